//! The JSON of a send of the conversation endpoint, for the OpenAPI document.
#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    recipient_schema::SendRecipient,
    schema::{SendComponent, SendFallback},
};
use crate::closed_sets::ConversationMessageType;

/// A send into long-lived conversations: up to 1,000 recipients in all its messages together (`limits.max_recipients`).
/// Every field name may also be written in snake_case.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    examples(
        json!({
            "sender": "27820001001",
            "messageType": "CONVERSATION",
            "messages": [{
                "recipientNumbers": [{"to": "27830000001", "ctId": "order-42"}],
                "conversationId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
                "messageText": "Your order is on its way.",
            }],
        }),
    ),
)]
pub(super) struct ConversationSend {
    /// The business number, in international format.
    #[schema(max_length = 64, examples("27820001001"))]
    sender: String,
    /// Free text into a conversation, or a template.
    #[schema(value_type = ConversationMessageType)]
    message_type: String,
    /// Required for a `NOTIFICATION`: name of the template. Not accepted for a `CONVERSATION`.
    template_name: Option<String>,
    /// Required for a `NOTIFICATION`: id of the template. Not accepted for a `CONVERSATION`.
    template_id: Option<String>,
    /// The messages; at least one.
    #[schema(min_items = 1, max_items = 1000)]
    messages: Vec<ConversationMessage>,
    /// SMS fallback for recipients who are not on WhatsApp.
    fallback: Option<SendFallback>,
}

/// One content and its recipients. The recipients are in `recipientNumbers` or, by its other name, `recipients`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ConversationMessage {
    /// The recipients.
    #[schema(min_items = 1, max_items = 1000, nullable = false)]
    recipient_numbers: Option<Vec<SendRecipient>>,
    /// The other name of `recipientNumbers`.
    #[schema(min_items = 1, max_items = 1000, nullable = false)]
    recipients: Option<Vec<SendRecipient>>,
    /// Required for a `CONVERSATION`: the conversation of the text. Not accepted for a `NOTIFICATION`.
    conversation_id: Option<Uuid>,
    /// Required for a `CONVERSATION`: the text.
    #[schema(max_length = 4096)]
    message_text: Option<String>,
    /// For a `NOTIFICATION`: values for the placeholders of the template.
    components: Option<Vec<SendComponent>>,
}
