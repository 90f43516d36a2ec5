//! Messages: those that come, those that are put into a chat, and those on their way out.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{EventChat, EventCustomer};
use crate::{
    address::Address,
    channel::Channel,
    chat::SentTemplate,
    content::OutboundContent,
    conversation::ConversationRef,
    delivery::DeliveryState,
    ids::{ChatMessageId, MessageId, RequestId, UserId},
    inbound::{InboundContent, ProviderFailure},
    referral::Referral,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageCame {
    /// Its place in the chat; also its `gstId`.
    pub message: ChatMessageId,
    /// The chat, with this message in it.
    pub chat: EventChat,
    pub customer: EventCustomer,
    /// The content, with the client's payloads in place.
    pub content: InboundContent,
    /// It is a tap on a card of a carousel.
    #[serde(default, skip_serializing_if = "is_false")]
    pub carousel: bool,
    /// True if it needs an answer: false for a reaction, and for a message about a conversation that is over.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub asks: bool,
    /// Our address of the file that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_url: Option<String>,
    /// The message that it quotes, taps or reacts to, when we know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnsweredMessage>,
    /// The provider's id of the message that it quotes or whose button was tapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted_provider_id: Option<String>,
    /// The template that the customer had been sent last, if nothing free-form was sent since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_template: Option<SentTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationRef>,
    /// Amount and currency, by the client's rates for messages of customers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<Referral>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredMessage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_message: Option<ChatMessageId>,
    /// Set when we sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    pub gst_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ct_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<AnsweredTemplate>,
}

impl AnsweredMessage {
    pub fn id(&self) -> String {
        match (self.chat_message, self.message) {
            (Some(chat), _) => chat.to_string(),
            (None, Some(sent)) => sent.to_string(),
            (None, None) => self.gst_id.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredTemplate {
    /// The provider's template id.
    pub id: String,
    /// The texts of its body parameters, in order.
    pub parameters: Vec<String>,
}

/// A chatbot or an agent put a message into a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageSaid {
    pub message: ChatMessageId,
    /// The messages that say the rest of it, in order, where its channel takes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<ChatMessageId>,
    pub by: Speaker,
    pub chat: EventChat,
    pub customer: EventCustomer,
    pub content: OutboundContent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<ChatMessageId>,
    #[serde(default, rename = "ctId", skip_serializing_if = "Option::is_none")]
    pub ct_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Speaker {
    Bot,
    Agent(UserId),
    /// A person of the business, by other means than ours.
    Elsewhere,
}

/// An outbound message took a step (SPEC 3.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageMoved {
    pub message: MessageId,
    /// The chat message that it delivers; absent when it came through the send endpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_message: Option<ChatMessageId>,
    /// Which of its legs: 0 for the first, higher ones for fallbacks.
    pub leg: i16,
    pub channel: Channel,
    pub state: DeliveryState,
    /// The recipient: the address that is written to, and another one that is kept.
    pub to: Vec<Address>,
    pub gst_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ct_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationRef>,
    /// When it took this step and those before.
    #[serde(default, skip_serializing_if = "StepTimes::is_empty")]
    pub times: StepTimes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ProviderFailure>,
    #[serde(default, skip_serializing_if = "Tracking::is_empty")]
    pub tracking: Tracking,
}

/// The tracking ids of a message other than its own ids (SPEC 2.1, 6.2), and its cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tracking {
    /// Id of the stored step that this event reports. Readers that report it further may use this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// Tracking id of a tap on one of its quick replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tqrmt_id: Option<String>,
    /// Amount and currency, by the client's rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// A message of an SMS product, which reports it to its client in its own way and not by webhook.
    #[serde(default, skip_serializing_if = "is_false")]
    pub of_product: bool,
    /// A template in a chat: its steps are reported like those of messages from the send endpoints (SPEC 6.5).
    #[serde(default, skip_serializing_if = "is_false")]
    pub template_of_chat: bool,
}

impl Tracking {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// When a message took its steps, as far as known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTimes {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<DateTime<Utc>>,
}

impl StepTimes {
    /// The times of the steps up to `state`. For a failure, the time of sending at most (SPEC 3.2).
    pub fn up_to(state: DeliveryState, times: [Option<DateTime<Utc>>; 4]) -> Self {
        let [sent, delivered, read, played] = times;
        let reached = |step, at: Option<DateTime<Utc>>| at.filter(|_| state >= step && !state.is_failed());
        Self {
            sent: if state.is_failed() { sent } else { reached(DeliveryState::Sent, sent) },
            delivered: reached(DeliveryState::Delivered, delivered),
            read: reached(DeliveryState::Read, read),
            played: reached(DeliveryState::Played, played),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_true(flag: &bool) -> bool {
    *flag
}

fn yes() -> bool {
    true
}
