//! Send requests (SPEC 2.2 to 2.5): [`SendRequest::parse`] needs only the body; [`SendRequest::resolve`] also needs the
//! sending number and the template. Faults of one recipient are values (DESIGN 6).

mod chat_content;
mod check;
mod components;
mod conversation;
mod links;
mod request;
mod resolve;
mod response;
mod sms;
#[cfg(test)]
mod tests;
mod wire;

use serde::{Deserialize, Serialize};

use crate::{
    content::OutboundContent,
    ids::ConversationId,
    phone::Msisdn,
    recipient::{Recipient, RecipientFault},
    sandbox::TEST_NUMBERS_ONLY,
};
pub use components::link_faults;
pub use conversation::ConversationFault;
pub use links::read as read_link;
pub use request::SendBody;
pub use response::{NamedRecipient, SendReceipt, SendResponse, SendStatus};
pub use sms::SmsRequest;
pub use wire::{
    ComponentKind, ConversationParameter, HeaderFormat, RequestCard, RequestComponent, SendPayload, UnifiedSend,
    WireFallback, WireMedia, WireMessage, WireRecipient,
};

/// Longest text of a `CHAT` message, in characters (PROVIDERS A.2).
pub const TEXT_MAX: usize = 4096;
/// Longest caption, in characters (PROVIDERS A.2).
pub const CAPTION_MAX: usize = 1024;
/// Longest `ctId` or `gstId`, in characters.
pub const TRACKING_ID_MAX: usize = 255;

/// Which endpoint a body came to: it decides where the payload is, and which message types there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendEndpoint {
    /// `/v2/messages`: `channel` and `payload`.
    Unified,
    /// `/v2/channels/whatsapp`: the payload itself.
    Whatsapp,
    /// `/v2/channels/sms`: the payload itself.
    Sms,
    /// `/v2/json`: the payload itself, for conversations.
    Conversation,
}

/// `messageType` of the endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SendKind {
    Notification,
    /// Free-form, within 24 hours of the customer's last message on Cloud.
    Chat,
    Conversation,
}

impl SendKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notification => "NOTIFICATION",
            Self::Chat => "CHAT",
            Self::Conversation => "CONVERSATION",
        }
    }
}

#[derive(Debug, Clone)]
pub struct SendRequest {
    endpoint: SendEndpoint,
    sender: Msisdn,
    kind: SendKind,
    template: Option<TemplateChoice>,
    messages: Vec<RequestMessage>,
    fallback: Option<FallbackRequest>,
    prefix: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateChoice {
    pub name: String,
    pub id: String,
}

#[derive(Debug, Clone)]
struct RequestMessage {
    recipients: Vec<WireRecipient>,
    conversation: Option<ConversationId>,
    content: RequestContent,
}

#[derive(Debug, Clone)]
enum RequestContent {
    Template(Vec<RequestComponent>),
    Chat(Box<OutboundContent>),
}

/// An SMS fallback that is turned on (SPEC 2.4); `sendFallback: false` is the same as none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FallbackRequest {
    /// Text of the client (manual mode); `None` = the resolved text of the message (auto mode).
    pub text: Option<String>,
    pub unicode: bool,
}

/// The facts about the sending number that resolving needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberFacts {
    /// The number itself: no message goes to it.
    pub msisdn: Msisdn,
    /// The WhatsApp business account of its templates. `None` if it has none.
    pub waba_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedSend {
    pub sender: Msisdn,
    pub kind: SendKind,
    pub template: Option<TemplateChoice>,
    pub fallback: Option<FallbackRequest>,
    pub parts: Vec<ResolvedPart>,
}

/// One content with its recipients, each accepted or rejected.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedPart {
    pub content: OutboundContent,
    pub conversation: Option<ConversationId>,
    /// In the order of the request; duplicates stay.
    pub recipients: Vec<Result<AcceptedRecipient, RejectedRecipient>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedRecipient {
    pub recipient: Recipient,
    /// The recipient as the client wrote it, for a later rejection.
    pub number: String,
    pub ct_id: Option<String>,
    /// System tracking id from the client. Our own message id is made in addition.
    pub gst_id: Option<String>,
}

/// A recipient that cannot be sent to: one entry of `rejectedRecipients` (SPEC 2.5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectedRecipient {
    /// The recipient as the client wrote it: `to`, else `customerUserId`, else empty.
    pub number: String,
    #[serde(serialize_with = "as_text")]
    pub reason: RejectionReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RejectionReason {
    #[error(transparent)]
    Address(#[from] RecipientFault),
    /// Meta's 131021.
    #[error("the recipient is the sender itself")]
    Sender,
    /// `CHAT` on Cloud without a customer message in the last 24 hours (SPEC 4.1).
    #[error("the customer has not written in the last 24 hours; send a template instead")]
    OutsideWindow,
    /// On the client's own list.
    #[error("the recipient is on your blocklist")]
    Blocked,
    /// A marketing template to a customer that stopped them (SPEC 6.4).
    #[error("the customer has stopped marketing messages; other categories may be sent")]
    MarketingStopped,
    /// A template to one customer more than the tier of the number allows (SPEC part 8).
    #[error("the number may send templates to {limit} different customers in 24 hours, and has; try again later")]
    TierUsedUp { limit: u32 },
    /// A one-time code to a user id without a known number: Meta's 131062.
    #[error(
        "a one-time code cannot be sent to a user id, and no phone number of this customer is known on the sender; give `to`"
    )]
    NumberNeeded,
    /// An SMS to a subscriber that answered STOP to its source (SPEC 4.8).
    #[error("the recipient has stopped SMS from this source")]
    StoppedSms,
    #[error("an SMS needs `to`: a phone number")]
    NoPhone,
    #[error("{TEST_NUMBERS_ONLY}")]
    NoTestNumber,
    #[error(transparent)]
    Conversation(#[from] ConversationFault),
}

fn as_text<S: serde::Serializer>(reason: &RejectionReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(reason)
}

impl RejectedRecipient {
    /// For an accepted recipient that turns out not to be sendable (window, opt-out).
    pub fn after_all(accepted: AcceptedRecipient, reason: RejectionReason) -> Self {
        Self { number: accepted.number, reason }
    }
}

impl ResolvedPart {
    pub fn accepted(&self) -> impl Iterator<Item = &AcceptedRecipient> {
        self.recipients.iter().filter_map(|entry| entry.as_ref().ok())
    }

    pub fn rejected(&self) -> impl Iterator<Item = &RejectedRecipient> {
        self.recipients.iter().filter_map(|entry| entry.as_ref().err())
    }

    /// Rejects accepted recipients by stored state (24-hour window, blocklist, tier); `judge` returns `None` to keep one.
    pub fn reject_where(&mut self, mut judge: impl FnMut(&Recipient) -> Option<RejectionReason>) {
        for entry in &mut self.recipients {
            let Some(reason) = entry.as_ref().ok().and_then(|accepted| judge(&accepted.recipient)) else { continue };
            if let Ok(accepted) = entry.clone() {
                *entry = Err(RejectedRecipient::after_all(accepted, reason));
            }
        }
    }
}

impl ResolvedSend {
    pub fn reject_where(&mut self, mut judge: impl FnMut(&Recipient) -> Option<RejectionReason>) {
        for part in &mut self.parts {
            part.reject_where(&mut judge);
        }
    }
}
