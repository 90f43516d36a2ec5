//! The carrier trait (DESIGN 2). A dispatcher [takes](Carrier::take) places, commits marks for at most that many
//! messages (or twice that if the carrier [marks ahead](Carrier::marks_ahead)), and [sends](Carrier::send) each over
//! its place. It keeps the [`Doubt`] of a place until the outcome is on disk, and asks [`SendFailure::next`] after a
//! failure.

mod credentials;
mod files;
mod inbox;
pub(crate) mod inbox_pace;
mod outgoing_message;
mod own_report;
mod place;
mod presence;
pub(crate) mod rate_gate;
mod registry;

use std::{borrow::Cow, time::Duration};

use async_trait::async_trait;
use domain::{
    address::Address,
    carriage::{Acceptance, NO_ANSWER, SendFailure},
    content::OutboundContent,
    failure_code::OwnCode,
    inbound::ProviderFailure,
    inbox::InboxKind,
};

use crate::account::AccountLogin;
pub use credentials::Credentials;
pub use files::{FileUnavailable, OurFile, OurFiles};
pub use inbox::CarrierInbox;
pub use outgoing_message::{OutgoingMessage, PartJournal, PartTaken};
pub use own_report::{OwnReport, TakenMessage};
pub use place::{Doubt, SendPlace};
pub use presence::{PresenceRefused, PresenceSignal};
pub use registry::Carriers;

/// Longest wait in [`Carrier::ready`]. A waiting dispatcher looks at its queue about as often.
pub const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A carrier. Each kind of inbox has one, shared by all inboxes of that kind.
#[async_trait]
pub trait Carrier: Send + Sync + 'static {
    fn kind(&self) -> InboxKind;

    fn credentials(&self, login: AccountLogin) -> Credentials {
        Credentials::of(login)
    }

    fn window(&self, inbox: &CarrierInbox) -> usize;

    /// Takes up to `wanted` places for messages that start now. No place is a passing state, see [`Carrier::ready`];
    /// `Err` lasts.
    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause>;

    /// True if as many messages may be marked as are in flight, for answers that are faster than a commit. After a kill
    /// they are in doubt.
    fn marks_ahead(&self) -> bool {
        false
    }

    /// Returns when there may be room again, at the latest after [`POLL_INTERVAL`]. Wait only with something to send.
    async fn ready(&self, _inbox: &CarrierInbox) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }

    /// Admits a message to this recipient, which then counts, or returns how long it must wait while others continue.
    fn admit(&self, _inbox: &CarrierInbox, _to: &Address) -> Result<(), Duration> {
        Ok(())
    }

    fn pace(&self, _inbox: &CarrierInbox) -> Duration {
        Duration::ZERO
    }

    /// How long facts that the client may change are valid during a lane. `None`: until the lane is given back.
    fn settings_last(&self) -> Option<Duration> {
        None
    }

    /// Names of the binds that a message can ask for, if there are several.
    fn binds(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if it needs the author of a message and when its recipient last wrote, because its provider reports reads by time.
    fn needs_standing(&self) -> bool {
        false
    }

    /// True if its provider finds a quoted message only with its author.
    fn asks_who_is_quoted(&self) -> bool {
        false
    }

    /// The content itself, or a replacement if the channel lacks this kind. [`Carrier::send`] does this by itself.
    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        Ok(Cow::Borrowed(content))
    }

    /// Sends a message and waits for the answer. Never sends twice by itself.
    async fn send(
        &self,
        inbox: &CarrierInbox,
        place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure>;

    /// Looks up a message whose answer was lost, before it is sent again.
    async fn lookup(&self, _inbox: &CarrierInbox, _outgoing: &OutgoingMessage<'_>) -> ProviderState {
        ProviderState::NotPossible
    }

    /// The reports and answers about a message that it took, if no provider makes them. They are stored with its outcome.
    fn own_reports(&self, _taken: &TakenMessage<'_>) -> Vec<OwnReport> {
        Vec::new()
    }

    /// Shows the customer that messages were read, or that an agent is typing, if the channel can.
    async fn show(&self, _inbox: &CarrierInbox, _presence: &PresenceSignal<'_>) -> Result<(), PresenceRefused> {
        Err(PresenceRefused::NoSuchThing)
    }

    /// The failure of a message whose repetition had no answer either.
    fn no_answer(&self) -> ProviderFailure {
        ProviderFailure {
            code: NO_ANSWER,
            text: "the provider answered neither the send nor its repetition; the message may have arrived".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing can be sent: {reason}")]
pub struct CarrierPause {
    pub reason: String,
    pub look_again: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderState {
    /// The provider cannot be asked: send once more, and record the ambiguity.
    NotPossible,
    /// It has the message.
    Taken(Acceptance),
    /// It never got the message, so sending is safe.
    NotThere,
}

/// The channel has no replacement for the content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this channel cannot carry it: {reason}")]
pub struct UnsupportedContent {
    pub reason: String,
}

/// Our own code of a message that its channel cannot carry.
pub const CANNOT_CARRY: i64 = OwnCode::CannotCarry.code();

impl From<FileUnavailable> for SendFailure {
    fn from(not_there: FileUnavailable) -> Self {
        match not_there {
            FileUnavailable::Yet(_) => Self::NotSent { reason: not_there.to_string(), after: None },
            FileUnavailable::Ever(_) => UnsupportedContent { reason: not_there.to_string() }.into(),
        }
    }
}

impl From<UnsupportedContent> for SendFailure {
    fn from(refused: UnsupportedContent) -> Self {
        Self::Rejected(ProviderFailure { code: CANNOT_CARRY, text: refused.to_string() })
    }
}
