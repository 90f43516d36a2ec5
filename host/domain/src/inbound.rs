//! Reports of providers in our terms: inbound messages and delivery statuses. Adapters parse into these types, the
//! callback store keeps them, the use cases read them.

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

/// One item of a provider callback, ready to be stored under its dedupe key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallbackItem {
    /// Same for every repetition of the same fact: kind, provider id, status. Unique per client in the database.
    pub dedupe_key: String,
    /// Its addressee.
    pub target: CallbackTarget,
    /// Its content.
    pub body: CallbackBody,
}

/// The addressee of a callback item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallbackTarget {
    /// A business number, by the provider's phone-number id.
    PhoneNumberId(String),
    /// A WhatsApp business account.
    Waba(String),
    /// A Facebook page, by Meta's id of it.
    Page(String),
    /// A business number of ours whose owner is already known, without a directory.
    Inbox(InboxId),
    /// The item names no addressee: it is counted and not kept.
    Nobody,
}

/// The content of a callback item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallbackBody {
    /// A customer wrote.
    Message(Box<InboundMessage>),
    /// An outbound message moved.
    Status(StatusUpdate),
    /// All messages to a customer up to a moment moved (PROVIDERS B).
    Watermark(Watermark),
    /// The business wrote to a customer by other means than ours (PROVIDERS B, `is_echo`).
    Echo(Box<Echo>),
    /// The author of a message edited or deleted it.
    Change(Box<MessageChange>),
    /// A customer came by an advertisement or a link, and has not written yet (PROVIDERS B, `referral`).
    Referral(Box<CameBy>),
    /// Number change, template status, quality, preferences: kept whole.
    Account {
        /// Meta's `field` (or `system.type`).
        field: String,
        /// The `value` object.
        value: Value,
    },
    /// An item that cannot be read, or has no place in a chat, such as a message of a group. It is kept for inspection.
    Unreadable(UnreadableItem),
    /// An item that has no effect here. It is counted.
    Ignored(IgnoredItem),
}

/// Most bytes of an unreadable item, or of the original of a message. The rest is cut.
pub const KEPT_BYTES_MAX: usize = 64 * 1024;

/// An item of a callback that cannot be read, or has no place in a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableItem {
    /// Which provider sent it.
    pub provider: InboxKind,
    /// Which part of a callback it is: `message`, `status`, `change`, `entry`, `event`, `message echo`, `group message`.
    pub kind: String,
    /// Why it cannot be read or taken. Names fields and no values.
    pub reason: String,
    /// The item as it came, at most [`KEPT_BYTES_MAX`].
    pub content: String,
    /// How many bytes it has.
    pub bytes: u64,
}

/// An item of a callback that has no effect here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredItem {
    /// Which provider sent it.
    pub provider: InboxKind,
    /// Why it has none, of a small set: `status type`, `status value`, `event`.
    pub kind: String,
    /// The provider's word for it, at most 32 characters.
    pub name: String,
}

/// The beginning of a text that is kept, at most [`KEPT_BYTES_MAX`] bytes of whole characters.
pub fn kept(mut text: String) -> String {
    if text.len() > KEPT_BYTES_MAX {
        let end = (0..=KEPT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

impl CallbackBody {
    /// The message of a customer that it is.
    pub fn message(&self) -> Option<&InboundMessage> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The step of an outbound message that it is.
    pub fn status(&self) -> Option<&StatusUpdate> {
        match self {
            Self::Status(update) => Some(update),
            _ => None,
        }
    }

    /// Whether it is about an earlier message, so that it comes after all messages that were told with it.
    pub fn follows_messages(&self) -> bool {
        matches!(self, Self::Change(_))
    }
}

/// A customer came by an advertisement or a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CameBy {
    /// The customer.
    pub from: Address,
    /// When.
    pub at: DateTime<Utc>,
    /// The referral.
    pub referral: Referral,
}

/// A report about all messages to one customer at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Watermark {
    /// The recipient of the messages.
    pub to: Address,
    /// Their status: delivered or read.
    pub status: ProviderStatus,
    /// Messages that were sent later are not meant. Also when it happened, as far as known.
    pub until: DateTime<Utc>,
}

/// A message that the business sent from somewhere else, such as the inbox of its page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Echo {
    /// The provider's message id.
    pub provider_id: String,
    /// The recipient.
    pub to: Address,
    /// When it was sent.
    pub sent_at: DateTime<Utc>,
    /// Provider id of the message that it quotes.
    pub quoted_provider_id: Option<String>,
    /// The content.
    pub content: OutboundContent,
    /// Another address of the same customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also_to: Option<Address>,
    /// Its file, where that has to be fetched from the provider: the content names no address of it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<InboundMedia>,
}

impl Echo {
    /// The addresses of the customer.
    pub fn addresses(&self) -> Vec<&Address> {
        std::iter::once(&self.to).chain(&self.also_to).collect()
    }
}

/// A message from a customer (PROVIDERS A.8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMessage {
    /// The provider's message id.
    pub provider_id: String,
    /// Phone number in digits; absent when withheld.
    pub from: Option<String>,
    /// BSUID.
    pub from_user_id: Option<String>,
    /// Parent BSUID.
    pub from_parent_user_id: Option<String>,
    /// The customer's address if it is neither a number nor a BSUID: a PSID, a visitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_address: Option<Address>,
    /// Display name.
    pub profile_name: Option<String>,
    /// Username, when set.
    pub username: Option<String>,
    /// When the customer sent it.
    pub sent_at: DateTime<Utc>,
    /// Provider id of the quoted message, or of the message with the tapped button.
    pub quoted_provider_id: Option<String>,
    /// The content.
    pub content: InboundContent,
    /// The provider's JSON, for the parts that we do not model.
    pub raw: Value,
    /// The advertisement or link that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<Referral>>,
}

/// Content of an inbound message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum InboundContent {
    /// Text.
    Text {
        /// The text.
        body: String,
    },
    /// A file.
    Media(InboundMedia),
    /// A place.
    Location(Location),
    /// A tap on a template's quick-reply button.
    Button {
        /// Button text.
        text: String,
        /// Payload as the provider echoes it.
        payload: String,
    },
    /// A tap on a reply button or list row.
    Interactive {
        /// Title.
        text: String,
        /// Id of the button or row.
        payload: String,
    },
    /// A reaction to a message.
    Reaction {
        /// Provider id of the message reacted to.
        message_id: String,
        /// Absent = reaction removed.
        emoji: Option<String>,
    },
    /// Contact cards.
    Contact {
        /// Names and numbers in a readable form.
        formatted: String,
    },
    /// Content that we do not model, as text.
    Unmodelled(UnmodelledContent),
}

/// Content of a type or form that we do not model. The original is kept with the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnmodelledContent {
    /// The provider's name of its type.
    pub type_name: String,
    /// Its readable text, never empty.
    pub text: String,
    /// True if the text has the customer's words, such as an order. False if it only names the content.
    pub has_words: bool,
    /// Why the provider does not hand it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ProviderFailure>,
}

/// A file that a customer sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMedia {
    /// The kind of file.
    pub media_kind: MediaKind,
    /// The provider's media id.
    pub provider_media_id: String,
    /// Direct address, when the callback carries one.
    pub url: Option<String>,
    /// MIME type.
    pub mime_type: String,
    /// Digest as the provider gives it (base64 or hex).
    pub sha256: Option<String>,
    /// Text below it.
    pub caption: Option<String>,
    /// Name of a document.
    pub filename: Option<String>,
}

/// A delivery status of an outbound message (PROVIDERS A.9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusUpdate {
    /// The provider's message id.
    pub provider_id: String,
    /// Our own correlation string, echoed (`biz_opaque_callback_data`).
    pub opaque: Option<String>,
    /// The status.
    pub status: ProviderStatus,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Phone number in digits, absent when sent to a BSUID.
    pub recipient: Option<String>,
    /// BSUID, absent on failures of sends to a phone number.
    pub recipient_user_id: Option<String>,
    /// Code and text of a failure.
    pub error: Option<ProviderFailure>,
}

/// Status values of the Cloud API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderStatus {
    /// Left the provider.
    Sent,
    /// On the device.
    Delivered,
    /// Read by the customer.
    Read,
    /// Voice note played.
    Played,
    /// Will not arrive.
    Failed,
}

/// Why a provider gave up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderFailure {
    /// The provider's code: the only thing to branch on.
    pub code: i64,
    /// Its text, for people.
    pub text: String,
}
