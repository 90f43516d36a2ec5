//! One message on its way out.

use chrono::{DateTime, Utc};
use domain::{address::Address, content::OutboundContent, ids::MessageId};
use tokio::sync::mpsc::UnboundedSender;

use super::OurFiles;

/// One message to one recipient, with all that any channel needs of it.
#[derive(Clone, Copy)]
pub struct Outgoing<'a> {
    /// Its id. What joins the parts of a long SMS is made from it, so repetitions join what went out before.
    pub message: MessageId,
    /// Comes back with the provider's news of the message where the channel can do that: our name of the leg.
    pub opaque: &'a str,
    /// Which call for this leg it is, from 1: the longer it goes on, the longer the carrier pauses.
    pub attempt: i16,
    /// Where it goes.
    pub to: &'a Address,
    /// The recipient's other address, for providers that take both.
    pub other: Option<&'a Address>,
    /// What it says.
    pub content: &'a OutboundContent,
    /// Provider id of the message that it quotes.
    pub quoted: Option<&'a str>,
    /// That message is one of ours, where the carrier asks for it ([`super::Carrier::asks_who_is_quoted`]).
    pub quotes_ours: bool,
    /// Sender to be shown in place of the inbox's address.
    pub source: Option<&'a str>,
    /// SMS: UTF-16 also where the GSM alphabet would do.
    pub unicode: bool,
    /// SMS: `priority_flag`, 0 to 3.
    pub priority: u8,
    /// SMS: name of the bind that it is to go over, where there is one of that name.
    pub bind: Option<&'a str>,
    /// SMS: how long the SMSC tries to deliver it, in seconds; its own time when absent.
    pub validity_seconds: Option<u32>,
    /// A person wrote it, and no program: Messenger gives people more time.
    pub human: bool,
    /// When the recipient last wrote to the inbox, where the carrier asks for it ([`super::Carrier::needs_standing`]).
    pub wrote_at: Option<DateTime<Utc>>,
    /// Parts that the provider has already, from 1: they are not sent again.
    pub taken: &'a [u8],
    /// Hears of every part as soon as the provider has it.
    pub parts: &'a dyn PartJournal,
    /// The files of ours that it may name.
    pub files: &'a dyn OurFiles,
}

impl<'a> Outgoing<'a> {
    /// A first call that needs nothing special.
    pub fn new(
        message: MessageId,
        opaque: &'a str,
        to: &'a Address,
        content: &'a OutboundContent,
        parts: &'a dyn PartJournal,
    ) -> Self {
        Self {
            message,
            opaque,
            attempt: 1,
            to,
            other: None,
            content,
            quoted: None,
            quotes_ours: false,
            source: None,
            unicode: false,
            priority: 0,
            bind: None,
            validity_seconds: None,
            human: false,
            wrote_at: None,
            taken: &[],
            parts,
            files: &(),
        }
    }
}

/// The provider has one part of a message of several, or the only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartTaken {
    /// The message.
    pub message: MessageId,
    /// Which part, from 1.
    pub part: u8,
    /// The bind that it went over: receipts name the same one.
    pub bind: String,
    /// The SMSC's id of the part.
    pub smsc_id: String,
}

/// Where parts are remembered, so that after a crash only the others are sent. Called between two submits, so it must not
/// wait: what is noted here is written together with the parts of other messages.
pub trait PartJournal: Send + Sync {
    /// Notes a part.
    fn taken(&self, part: PartTaken);
}

impl PartJournal for UnboundedSender<PartTaken> {
    fn taken(&self, part: PartTaken) {
        // Nobody listens any more when the dispatcher is gone, and then its marks tell the next one to ask around.
        let _ = self.send(part);
    }
}

/// For channels whose messages have no parts.
impl PartJournal for () {
    fn taken(&self, _part: PartTaken) {}
}
