//! The JSON of conversations.

use chat::long_lived_conversations::{CloseResult, OpenResult};
use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use domain::{
    conversation::{CloseReason, Conversation},
    ids::ConversationId,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::closed_sets::ConversationStateName;

/// A conversation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Conversation)]
pub(super) struct ConversationBody {
    /// The business number.
    #[schema(examples("27820001001"))]
    sender: String,
    /// The customer's phone number. Null if the conversation was opened without one.
    #[schema(examples("27830000001"))]
    recipient: Option<String>,
    /// The customer's business-scoped user id. Null if the conversation was opened without one.
    customer_user_id: Option<String>,
    /// Id of the conversation, for every later operation.
    #[schema(value_type = Uuid)]
    conversation_id: ConversationId,
    /// Its state.
    #[schema(value_type = ConversationStateName)]
    conversation_state: &'static str,
    /// Reference of its client.
    client_ref: String,
    /// Time of opening.
    #[schema(format = DateTime)]
    created_time: String,
    /// Time of closing or expiry. Absent while it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    closed_time: Option<String>,
}

impl ConversationBody {
    pub(super) fn new(conversation: Conversation, now: DateTime<Utc>) -> Self {
        Self {
            conversation_state: conversation.state(now).as_str(),
            closed_time: conversation.closed_by(now).map(|(at, _)| iso_time(at)),
            created_time: iso_time(conversation.created_at),
            sender: conversation.sender,
            recipient: conversation.recipient,
            customer_user_id: conversation.customer_user_id,
            conversation_id: conversation.id,
            client_ref: conversation.client_ref,
        }
    }
}

/// A conversation that was opened or found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpenedConversation)]
pub(super) struct OpenedBody {
    #[serde(flatten)]
    conversation: ConversationBody,
    /// `200`: it is new. `452`: it was active before.
    #[schema(examples("200"))]
    conversation_status_code: &'static str,
    /// The code as a text for people.
    conversation_status_message: &'static str,
}

impl OpenedBody {
    pub(super) fn new(opened: OpenResult, now: DateTime<Utc>) -> Self {
        let (code, message) = if opened.new {
            ("200", "A new conversation was created")
        } else {
            ("452", "An active conversation exists already for this sender and recipient: use its conversationId")
        };
        Self {
            conversation: ConversationBody::new(opened.conversation, now),
            conversation_status_code: code,
            conversation_status_message: message,
        }
    }
}

/// The result of a close call.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ClosedConversation)]
pub(super) struct ClosedBody {
    /// `true` if this call closed it.
    close_status: bool,
    /// The result as a text for people. If it was closed before, the time and the reason.
    close_message: String,
    /// `gstId` of the template whose quick reply the customer tapped last in it. Null if there is none.
    tqrmt_id: Option<String>,
}

impl ClosedBody {
    pub(super) fn new(closing: CloseResult, now: DateTime<Utc>) -> Self {
        let close_message = match closing.conversation.closed_by(now) {
            Some((at, reason)) if !closing.closed => {
                format!("The conversation was closed already at {}, {}", iso_time(at), words(reason))
            }
            _ => "The conversation was closed".to_owned(),
        };
        Self { close_status: closing.closed, close_message, tqrmt_id: closing.conversation.tqrmt_id }
    }
}

fn words(reason: CloseReason) -> &'static str {
    match reason {
        CloseReason::Asked => "by a call",
        CloseReason::Button => "by a button that the customer tapped",
        CloseReason::Expired => "when its time was over",
        CloseReason::Merged => "because it became part of another one",
    }
}

/// The remaining time of a conversation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RemainingTime)]
pub(super) struct RemainingBody {
    /// Id of the conversation.
    #[schema(value_type = Uuid)]
    pub(super) conversation_id: ConversationId,
    /// Whole seconds. 0 only if it takes no more messages.
    #[schema(minimum = 0)]
    pub(super) remaining_time: i64,
}
