//! Messages that their author changed.

use serde::{Deserialize, Serialize};

use super::{EventChat, EventCustomer};
use crate::{change::ChangeKind, chat::Direction, ids::ChatMessageId};

/// The author of a message edited or deleted it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageChanged {
    /// The message.
    pub message: ChatMessageId,
    /// Which way it went: its author is the customer, or the business by other means than ours.
    pub direction: Direction,
    /// The kind of change.
    pub kind: ChangeKind,
    /// Its readable text now. `None` for a deleted message, and for a file without a caption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The chat as it stands.
    pub chat: EventChat,
    /// The customer of the chat.
    pub customer: EventCustomer,
}
