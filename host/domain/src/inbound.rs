//! Messages of customers and delivery statuses, in types that all providers share. Adapters parse callbacks into them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    address::Address,
    change::MessageChange,
    content::{Location, MediaKind, OutboundContent},
    ids::InboxId,
    inbox::InboxKind,
    referral::Referral,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallbackItem {
    /// The same for each repetition of a fact: kind, provider id, status. Unique per client in the database.
    pub dedupe_key: String,
    pub target: CallbackTarget,
    pub body: CallbackBody,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallbackTarget {
    /// A business number, by the provider's phone-number id.
    PhoneNumberId(String),
    Waba(String),
    /// A Facebook page, by Meta's id.
    Page(String),
    /// An inbox that is already known. It needs no search.
    Inbox(InboxId),
    /// The item names no owner. It is counted and belongs to no client.
    #[serde(rename = "nobody")]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallbackBody {
    Message(Box<InboundMessage>),
    Status(StatusUpdate),
    /// A new state of all messages to a customer up to a moment (PROVIDERS B).
    Watermark(Watermark),
    /// A message that the business sent with another app (PROVIDERS B, `is_echo`).
    Echo(Box<Echo>),
    Change(Box<MessageChange>),
    /// A customer followed an advertisement or a link and has not written yet (PROVIDERS B, `referral`).
    Referral(Box<AdvertArrival>),
    /// A change of number, template status, quality or preferences, stored unparsed.
    Account {
        /// Meta's `field` (or `system.type`).
        field: String,
        value: Value,
    },
    /// An item that cannot be read or has no place in a chat, such as a message of a group. Stored for inspection.
    Unreadable(UnreadableItem),
    Ignored(IgnoredItem),
}

/// Largest size of a stored unreadable item or original message, in bytes. The rest is cut off.
pub const KEPT_BYTES_MAX: usize = 64 * 1024;

/// The part of a callback that an unreadable item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadableKind {
    Message,
    Status,
    Change,
    Entry,
    Event,
    Update,
    MessageEcho,
    GroupMessage,
    /// It was readable and given up, and is none of the others.
    Item,
}

impl UnreadableKind {
    pub const ALL: [Self; 9] = [
        Self::Message,
        Self::Status,
        Self::Change,
        Self::Entry,
        Self::Event,
        Self::Update,
        Self::MessageEcho,
        Self::GroupMessage,
        Self::Item,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Status => "status",
            Self::Change => "change",
            Self::Entry => "entry",
            Self::Event => "event",
            Self::Update => "update",
            Self::MessageEcho => "message echo",
            Self::GroupMessage => "group message",
            Self::Item => "item",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableItem {
    pub provider: InboxKind,
    /// The name of an [`UnreadableKind`].
    pub kind: String,
    /// The reason. It names fields and no values.
    pub reason: String,
    /// The item as received, at most [`KEPT_BYTES_MAX`].
    pub content: String,
    /// Size of the whole item.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredItem {
    pub provider: InboxKind,
    /// The reason: `status type`, `status value` or `event`.
    pub kind: String,
    /// The provider's name for it, at most 32 characters.
    pub name: String,
}

/// The first [`KEPT_BYTES_MAX`] bytes of a text, cut between characters.
pub fn kept(mut text: String) -> String {
    if text.len() > KEPT_BYTES_MAX {
        let end = (0..=KEPT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

impl CallbackBody {
    pub fn message(&self) -> Option<&InboundMessage> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    pub fn status(&self) -> Option<&StatusUpdate> {
        match self {
            Self::Status(update) => Some(update),
            _ => None,
        }
    }

    /// True if the item changes an earlier message. It must then follow the new messages of the same callback.
    pub fn follows_messages(&self) -> bool {
        matches!(self, Self::Change(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvertArrival {
    pub from: Address,
    pub at: DateTime<Utc>,
    pub referral: Referral,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Watermark {
    pub to: Address,
    /// Delivered or read.
    pub status: ProviderStatus,
    /// The report holds for messages sent until this time. It is also the best known time of the event.
    pub until: DateTime<Utc>,
}

/// A message that the business sent with another app, such as the inbox of its page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Echo {
    pub provider_id: String,
    pub to: Address,
    pub sent_at: DateTime<Utc>,
    pub quoted_provider_id: Option<String>,
    pub content: OutboundContent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also_to: Option<Address>,
    /// The file, if it must be fetched from the provider. The content then has no URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<InboundMedia>,
}

impl Echo {
    pub fn addresses(&self) -> Vec<&Address> {
        std::iter::once(&self.to).chain(&self.also_to).collect()
    }
}

/// A message from a customer (PROVIDERS A.8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMessage {
    pub provider_id: String,
    /// Phone number in digits. Absent if the provider withholds it.
    pub from: Option<String>,
    pub from_user_id: Option<String>,
    pub from_parent_user_id: Option<String>,
    /// The customer's address if it is not a number or a BSUID: a PSID or a visitor id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_address: Option<Address>,
    pub profile_name: Option<String>,
    pub username: Option<String>,
    pub sent_at: DateTime<Utc>,
    /// Provider id of the quoted message, or of the message whose button was tapped.
    pub quoted_provider_id: Option<String>,
    pub content: InboundContent,
    /// The provider's JSON, for fields without a type here.
    pub raw: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<Referral>>,
}

impl InboundMessage {
    /// Provider id of the message that it quotes, taps or reacts to.
    pub fn answered_provider_id(&self) -> Option<&str> {
        match &self.content {
            InboundContent::Reaction { message_id, .. } => Some(message_id),
            _ => self.quoted_provider_id.as_deref(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum InboundContent {
    Text {
        body: String,
    },
    Media(InboundMedia),
    Location(Location),
    Button {
        text: String,
        /// Payload as the provider echoes it.
        payload: String,
    },
    Interactive {
        text: String,
        /// Id of the button or row.
        payload: String,
    },
    Reaction {
        /// Provider id of the message that the customer reacted to.
        message_id: String,
        /// Absent if the reaction was removed.
        emoji: Option<String>,
    },
    Contact {
        /// Names and numbers in a readable form.
        formatted: String,
    },
    Unmodelled(UnmodelledContent),
}

/// Content of a type or form that has no type here. The original is stored with the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnmodelledContent {
    pub type_name: String,
    /// The text for people. Never empty.
    pub text: String,
    /// True if the text is the customer's own, such as an order. Otherwise it only says that there is content.
    pub has_words: bool,
    /// The reason why the provider withholds the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ProviderFailure>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMedia {
    pub media_kind: MediaKind,
    pub provider_media_id: String,
    /// Download address, if the callback has one.
    pub url: Option<String>,
    pub mime_type: String,
    /// Digest as the provider gives it (base64 or hex).
    pub sha256: Option<String>,
    pub caption: Option<String>,
    pub filename: Option<String>,
}

/// A delivery status of an outbound message (PROVIDERS A.9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusUpdate {
    pub provider_id: String,
    /// The correlation string that we sent (`biz_opaque_callback_data`).
    pub opaque: Option<String>,
    pub status: ProviderStatus,
    pub at: DateTime<Utc>,
    /// Phone number in digits. Absent if the message went to a BSUID.
    pub recipient: Option<String>,
    /// BSUID. Absent if a message to a phone number failed.
    pub recipient_user_id: Option<String>,
    pub error: Option<ProviderFailure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderStatus {
    Sent,
    Delivered,
    Read,
    Played,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderFailure {
    /// The provider's code. Decisions depend on it alone.
    pub code: i64,
    pub text: String,
}
