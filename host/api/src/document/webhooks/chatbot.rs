//! The bodies of chatbot webhooks (SPEC 6.5).

#![expect(dead_code, reason = "these types only describe bodies")]

use utoipa::ToSchema;
use uuid::Uuid;

use super::closed_sets::{ChatStatusName, EventDirection};

/// A message of a live chat, in version 1 (`chatbotPayloadVersion`).
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "eventId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f50",
    "direction": "INCOMING",
    "timestamp": 1769847330000_i64,
    "chatParticipantId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f51",
    "conversationStatus": "ACTIVE",
    "conversationClosed": false,
    "conversationMissed": false,
    "chatBotConversation": true,
    "clientRef": "acme",
    "senderMsisdn": "27830000001",
    "receiverMsisdn": "27820001001",
    "messageId": "wamid.HBgLMjc4MzAwMDAwMDE",
    "messageType": "TEXT",
    "messageText": "Where is my order?",
})))]
pub(super) struct ChatbotEventV1 {
    /// Id of the event, for deduplication.
    event_id: Uuid,
    /// `OUTGOING` only if `chatbotIncludeOutgoing` is set.
    #[schema(value_type = EventDirection)]
    direction: String,
    /// Milliseconds since 1970-01-01T00:00Z.
    timestamp: i64,
    /// Participant of live chat: the id of every call about this chat.
    chat_participant_id: Uuid,
    /// State of the chat.
    #[schema(value_type = Option<ChatStatusName>, nullable = false)]
    conversation_status: Option<String>,
    /// The chat is closed.
    conversation_closed: bool,
    /// No agent answered in time.
    conversation_missed: bool,
    /// A chatbot is in charge of the chat.
    chat_bot_conversation: bool,
    /// The client.
    #[schema(nullable = false)]
    client_ref: Option<String>,
    /// Phone number of the sender.
    #[schema(nullable = false)]
    sender_msisdn: Option<String>,
    /// Phone number of the receiver.
    #[schema(nullable = false)]
    receiver_msisdn: Option<String>,
    /// Id of the message.
    #[schema(nullable = false)]
    message_id: Option<String>,
    /// Client tracking id.
    #[schema(nullable = false)]
    ct_id: Option<String>,
    /// `TEXT`, `BUTTON`, `INTERACTIVE`, `REACTION`, `EDITED`, `DELETED` and others.
    #[schema(nullable = false)]
    message_type: Option<String>,
    /// Text of the message.
    #[schema(nullable = false)]
    message_text: Option<String>,
    /// Address of the file.
    #[schema(nullable = false)]
    media_url: Option<String>,
    /// The template that the message answers.
    #[schema(nullable = false)]
    template_id: Option<String>,
    /// Name of that template.
    #[schema(nullable = false)]
    template_name: Option<String>,
    /// The agent who is assigned.
    #[schema(nullable = false)]
    assigned_agent_id: Option<String>,
    /// Name of that agent.
    #[schema(nullable = false)]
    assigned_agent_name: Option<String>,
    /// The agent who was assigned last.
    #[schema(nullable = false)]
    last_assigned_agent_id: Option<String>,
    /// Name of that agent.
    #[schema(nullable = false)]
    last_assigned_agent_name: Option<String>,
}

/// The fields that version 2 adds.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ChatbotEventV2Fields {
    /// BSUID of the customer, if `direction` is `INCOMING`.
    #[schema(nullable = false)]
    sender_user_id: Option<String>,
    /// BSUID of the customer, if `direction` is `OUTGOING`.
    #[schema(nullable = false)]
    recipient_user_id: Option<String>,
    /// User name of the customer.
    #[schema(nullable = false)]
    username: Option<String>,
    /// The message that this one quotes.
    #[schema(nullable = false)]
    quoted_message_id: Option<String>,
    /// Text of that message.
    #[schema(nullable = false)]
    quoted_text: Option<String>,
    /// Team of the chat.
    #[schema(nullable = false)]
    team_id: Option<String>,
    /// Name of the team.
    #[schema(nullable = false)]
    team_name: Option<String>,
    /// For an assignment: it moved the chat to another team.
    #[schema(nullable = false)]
    routed_to_another_team: Option<bool>,
}
