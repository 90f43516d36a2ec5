//! Events for tests.

use plugin_host::webhook_shaper::{ChatbotEvent, ChatbotSettings, Direction};

/// A customer wrote to a chatbot.
pub(super) fn chatbot_event() -> ChatbotEvent {
    ChatbotEvent {
        event_id: "0199f7e4-0000-7000-8000-000000000001".to_owned(),
        direction: Direction::Incoming,
        timestamp_ms: 1_790_000_000_000,
        chat_participant_id: "0199f7e4-0000-7000-8000-000000000002".to_owned(),
        conversation_status: Some("BOT".to_owned()),
        conversation_closed: false,
        conversation_missed: false,
        chat_bot_conversation: true,
        client_ref: Some("demo".to_owned()),
        sender_msisdn: Some("27600000002".to_owned()),
        receiver_msisdn: Some("27600000001".to_owned()),
        customer_user_id: None,
        username: None,
        message_id: None,
        ct_id: None,
        message_type: Some("TEXT".to_owned()),
        message_text: Some("hello".to_owned()),
        media_url: None,
        template_id: None,
        template_name: None,
        quoted_message_id: None,
        quoted_text: None,
        assigned_agent: None,
        last_assigned_agent: None,
        team: None,
        routed_to_another_team: None,
        settings: ChatbotSettings {
            payload_version: "v1".to_owned(),
            include_outgoing: false,
            stop_on_agent_assignment: false,
        },
        metadata: Vec::new(),
    }
}
