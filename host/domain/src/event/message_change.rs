use serde::{Deserialize, Serialize};

use super::{EventChat, EventCustomer};
use crate::{change::ChangeKind, chat::Direction, ids::ChatMessageId};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageChanged {
    pub message: ChatMessageId,
    /// Which way it went: its author is the customer, or the business by other means than ours.
    pub direction: Direction,
    pub kind: ChangeKind,
    /// Its readable text now. `None` for a deleted message, and for a file without a caption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub chat: EventChat,
    pub customer: EventCustomer,
}
