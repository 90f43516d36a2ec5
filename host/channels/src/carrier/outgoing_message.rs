use chrono::{DateTime, Utc};
use domain::{address::Address, content::OutboundContent, ids::MessageId};
use tokio::sync::mpsc::UnboundedSender;

use super::OurFiles;

#[derive(Clone, Copy)]
pub struct OutgoingMessage<'a> {
    /// The reference number of a long SMS comes from it, so that repeated parts join the parts that were sent before.
    pub message: MessageId,
    /// Our name of the leg. The provider returns it with reports, if the channel can.
    pub opaque: &'a str,
    /// Number of the call for this leg, from 1. The pause of the carrier increases with it.
    pub attempt: i16,
    pub to: &'a Address,
    pub other: Option<&'a Address>,
    pub content: &'a OutboundContent,
    /// Provider id of the quoted message.
    pub quoted: Option<&'a str>,
    /// True if that message is ours. Set if the carrier asks for it ([`super::Carrier::asks_who_is_quoted`]).
    pub quotes_ours: bool,
    pub source: Option<&'a str>,
    /// SMS: UTF-16 even if the GSM alphabet is enough.
    pub unicode: bool,
    /// SMS: `priority_flag`, 0 to 3.
    pub priority: u8,
    /// SMS: name of the wanted bind. Ignored if there is no such bind.
    pub bind: Option<&'a str>,
    /// SMS: how long the SMSC tries to deliver it, in seconds; if absent, the SMSC's default.
    pub validity_seconds: Option<u32>,
    /// True if a person wrote it: Messenger gives people more time than programs.
    pub human: bool,
    /// When the recipient last wrote to the inbox. Set if the carrier asks for it ([`super::Carrier::needs_standing`]).
    pub wrote_at: Option<DateTime<Utc>>,
    /// Parts that the provider has already, from 1. They are not sent again.
    pub taken: &'a [u8],
    pub parts: &'a dyn PartJournal,
    pub files: &'a dyn OurFiles,
}

impl<'a> OutgoingMessage<'a> {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartTaken {
    pub message: MessageId,
    pub part: u8,
    /// Its bind. Receipts name the same one.
    pub bind: String,
    pub smsc_id: String,
}

/// Records accepted parts, so that only the others are sent after a crash. Called between two submits, so it must not wait.
pub trait PartJournal: Send + Sync {
    fn record(&self, part: PartTaken);
}

impl PartJournal for UnboundedSender<PartTaken> {
    fn record(&self, part: PartTaken) {
        // If the dispatcher is gone, its marks make the next one read the stored parts.
        let _ = self.send(part);
    }
}

/// For channels whose messages have no parts.
impl PartJournal for () {
    fn record(&self, _part: PartTaken) {}
}
