//! Messages that their author edited or deleted after they were sent (PROVIDERS A.8, B).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::address::Address;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageChange {
    pub provider_id: String,
    /// Ids of the other messages that we made of it, of those that exist: a file each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<String>,
    pub by: Author,
    pub at: DateTime<Utc>,
    pub change: ContentChange,
}

/// The author of a change. Only the author of a message may change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Author {
    Customer(Vec<Address>),
    /// The business, by other means than ours.
    Business,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContentChange {
    Edited {
        /// The text, or the caption of a file. `None` if there is none any more.
        text: Option<String>,
        /// The provider's JSON of the new message.
        raw: Value,
    },
    Deleted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ChangeKind {
    Edited,
    Deleted,
}

impl ChangeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "EDITED",
            Self::Deleted => "DELETED",
        }
    }

    pub fn custom_event(self) -> &'static str {
        match self {
            Self::Edited => "message-edited",
            Self::Deleted => "message-deleted",
        }
    }
}

impl ContentChange {
    pub fn kind(&self) -> ChangeKind {
        match self {
            Self::Edited { .. } => ChangeKind::Edited,
            Self::Deleted => ChangeKind::Deleted,
        }
    }
}
