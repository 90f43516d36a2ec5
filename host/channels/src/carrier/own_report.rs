//! News of messages that no provider reports, because none has them.

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    content::OutboundContent,
    ids::{InboxId, MessageId},
    inbound::CallbackItem,
};

/// A message that a carrier took.
#[derive(Clone, Copy)]
pub struct TakenMessage<'a> {
    pub inbox: InboxId,
    pub message: MessageId,
    /// As in [`super::OutgoingMessage`].
    pub opaque: &'a str,
    pub to: &'a Address,
    pub content: &'a OutboundContent,
    /// True if it is part of a live chat.
    pub is_of_chat: bool,
    pub at: DateTime<Utc>,
}

/// An item in the form of a provider's callback, for its time.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnReport {
    pub item: CallbackItem,
    pub due_at: DateTime<Utc>,
}
