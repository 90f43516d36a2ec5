//! Messages that their author edited or deleted after they were sent (PROVIDERS A.8, B).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::address::Address;

/// An author changed a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageChange {
    /// The provider's id of the message that is changed.
    pub provider_id: String,
    /// Ids of the other messages that we made of it, of those that exist: a file each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<String>,
    /// The author of the change.
    pub by: Author,
    /// When.
    pub at: DateTime<Utc>,
    /// How.
    pub change: ContentChange,
}

/// The author of a change. Only the author of a message may change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Author {
    /// The customer with these addresses.
    Customer(Vec<Address>),
    /// The business, by other means than ours.
    Business,
}

/// How a message was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContentChange {
    /// It has another text.
    Edited {
        /// The text, or the caption of a file. `None` if there is none any more.
        text: Option<String>,
        /// The provider's JSON of the new message.
        raw: Value,
    },
    /// It was taken back.
    Deleted,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ChangeKind {
    /// It has another text.
    Edited,
    /// It was taken back.
    Deleted,
}

impl ChangeKind {
    /// The name that clients and chatbots see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "EDITED",
            Self::Deleted => "DELETED",
        }
    }

    /// The name of the custom event that chatbots get.
    pub fn custom_event(self) -> &'static str {
        match self {
            Self::Edited => "message-edited",
            Self::Deleted => "message-deleted",
        }
    }
}

impl ContentChange {
    /// Returns the kind of the change.
    pub fn kind(&self) -> ChangeKind {
        match self {
            Self::Edited { .. } => ChangeKind::Edited,
            Self::Deleted => ChangeKind::Deleted,
        }
    }
}
