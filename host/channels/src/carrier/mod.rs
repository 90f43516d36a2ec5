//! The one way out of the house: what a dispatcher must know of a channel to send over it (DESIGN 2).
//!
//! A dispatcher works for one inbox at a time. It [takes](Carrier::take) places, commits its marks for at most that many
//! messages, and [sends](Carrier::send) each over a place of its own; places that it has no message for it drops. Marks are
//! therefore never more than the calls that start at once, or twice that where the carrier [lets marks run
//! ahead](Carrier::marks_ahead). The [`Doubt`] of a place it keeps until the outcome is on disk. Of a failure it asks
//! [`SendFailure::next`] what to do; the carrier slows itself down.

pub(crate) mod doors;
mod files;
mod inbox;
mod outgoing;
mod place;
mod presence;
mod registry;

use std::{borrow::Cow, time::Duration};

use async_trait::async_trait;
use domain::{
    address::Address,
    carriage::{NO_ANSWER, SendFailure, Taken},
    content::OutboundContent,
    failure_code::OwnCode,
    inbound::ProviderFailure,
    inbox::InboxKind,
};

pub use files::{FileNotThere, OurFile, OurFiles};
pub use inbox::{CarrierInbox, Credentials};
pub use outgoing::{Outgoing, PartJournal, PartTaken};
pub use place::{Doubt, Place};
pub use presence::{NotShown, Presence};
pub use registry::Carriers;

/// Longest wait in [`Carrier::ready`]: whoever waits looks at its queue again about as often.
pub const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// One way out. There is one for each kind of inbox, shared by all inboxes of that kind.
#[async_trait]
pub trait Carrier: Send + Sync + 'static {
    /// Whose messages it carries.
    fn kind(&self) -> InboxKind;

    /// Most sends of this inbox that are ever in flight together.
    fn window(&self, inbox: &CarrierInbox) -> usize;

    /// Room for up to `wanted` messages that start now: as many as the pace and the sends in flight leave. None at all may
    /// pass at any moment, see [`Carrier::ready`]; `Err` lasts.
    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<Place>, Closed>;

    /// Whether as many messages may be marked as are in flight already, so that each call that ends is followed at once by the
    /// next: worth it where answers come faster than a transaction commits. After a kill, what was marked ahead is in doubt
    /// like a call, although nobody called. Where marks run ahead, what was called for and is not on disk is never more than a
    /// window; elsewhere it is two.
    fn marks_ahead(&self) -> bool {
        false
    }

    /// Returns when there may be room again, after [`LOOK_AGAIN`] at the latest. Only worth waiting for with something to
    /// send: where there is room it returns at once.
    async fn ready(&self, _inbox: &CarrierInbox) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }

    /// Lets a message to this recipient through, which then counts, or says how long it must wait while others go on.
    fn admit(&self, _inbox: &CarrierInbox, _to: &Address) -> Result<(), Duration> {
        Ok(())
    }

    /// How long apart messages to one recipient are once it has had as many as it may have at once.
    fn pace(&self, _inbox: &CarrierInbox) -> Duration {
        Duration::ZERO
    }

    /// How long what was read of an inbox is true, where its client may change it: a lane that is worked on for longer reads it
    /// again. `None` = until the lane is given back.
    fn settings_last(&self) -> Option<Duration> {
        None
    }

    /// Names of the binds that a message can ask for, where there is a choice.
    fn binds(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it must know who wrote a message and when its recipient last wrote, and whether its provider tells by moments what
    /// has been read.
    fn needs_standing(&self) -> bool {
        false
    }

    /// Whether its provider finds a quoted message only together with who wrote it.
    fn asks_who_is_quoted(&self) -> bool {
        false
    }

    /// What is sent of this content: itself, or what stands for it where the channel has no such thing.
    /// [`Carrier::send`] does this by itself.
    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, CannotCarry> {
        Ok(Cow::Borrowed(content))
    }

    /// Hands a message over and waits for the answer. Never sends anything twice by itself.
    async fn send(&self, inbox: &CarrierInbox, place: Place, outgoing: &Outgoing<'_>) -> Result<Taken, SendFailure>;

    /// Asks for a message whose answer was lost, before it is sent again.
    async fn lookup(&self, _inbox: &CarrierInbox, _outgoing: &Outgoing<'_>) -> Lookup {
        Lookup::NotPossible
    }

    /// Shows the customer that what it wrote has been read, or that somebody is writing: as far as the channel has that.
    async fn show(&self, _inbox: &CarrierInbox, _presence: &Presence<'_>) -> Result<(), NotShown> {
        Err(NotShown::NoSuchThing)
    }

    /// Whether a refusal with this code says that the provider's templates are not what our catalogue says.
    fn outdates_templates(&self, _code: i64) -> bool {
        false
    }

    /// What is reported of a message whose repetition was not answered either.
    fn no_answer(&self) -> ProviderFailure {
        ProviderFailure {
            code: NO_ANSWER,
            text: "the provider answered neither the send nor its repetition; the message may have arrived".to_owned(),
        }
    }
}

/// Nothing can be sent for a while, and waiting beside it helps nobody: the lane is given back until then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing can be sent: {reason}")]
pub struct Closed {
    /// Why, for people.
    pub reason: String,
    /// When to look again.
    pub look_again: Duration,
}

/// What a provider knows of a message whose answer was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// The provider cannot be asked: send once more, and record the ambiguity.
    NotPossible,
    /// It has the message.
    Taken(Taken),
    /// It never got the message: sending is safe.
    NotThere,
}

/// Nothing on this channel can stand for the content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this channel cannot carry it: {reason}")]
pub struct CannotCarry {
    /// Why, for people.
    pub reason: String,
}

/// Our own code of a message that its channel cannot carry.
pub const CANNOT_CARRY: i64 = OwnCode::CannotCarry.code();

impl From<FileNotThere> for SendFailure {
    fn from(not_there: FileNotThere) -> Self {
        match not_there {
            FileNotThere::Yet(_) => Self::NotSent { reason: not_there.to_string(), after: None },
            FileNotThere::Ever(_) => CannotCarry { reason: not_there.to_string() }.into(),
        }
    }
}

impl From<CannotCarry> for SendFailure {
    fn from(refused: CannotCarry) -> Self {
        Self::Rejected(ProviderFailure { code: CANNOT_CARRY, text: refused.to_string() })
    }
}
