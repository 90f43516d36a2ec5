//! Sample webhook events. They give the values of fields that a question leaves out.

use crate::webhook_shaper::{
    Channel, ChatbotEvent, ChatbotSettings, Direction, IncomingMessageEvent, OtherEvent, PartnerEvent,
    SessionStatusEvent, StatusEvent, WebhookEvent, partner_event,
};
use crate::worlds::sample;

const BUSINESS: &str = "27110000000";
const CUSTOMER: &str = "27820000001";
const TIME: &str = "2025-10-14T08:00:00Z";
const TIME_MS: u64 = 1_760_428_800_000;

pub(super) fn of_case(variant: &str, case: &str) -> Option<serde_json::Value> {
    let sample = match (variant, case) {
        ("shaper/webhook-event", "incoming") => serde_json::to_value(incoming()),
        ("shaper/webhook-event", "status") => serde_json::to_value(status()),
        ("shaper/webhook-event", "session-status") => serde_json::to_value(session_status()),
        ("shaper/webhook-event", "partner") => serde_json::to_value(partner()),
        ("shaper/webhook-event", "chatbot") => serde_json::to_value(chatbot()),
        ("shaper/webhook-event", "other") => serde_json::to_value(other()),
        _ => return None,
    };
    sample.ok()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn incoming() -> IncomingMessageEvent {
    IncomingMessageEvent {
        profile_name: some("Sample"),
        sender: some(CUSTOMER),
        sender_user_id: some("ZA.100"),
        username: None,
        receiver: BUSINESS.into(),
        channel: Some(Channel::Whatsapp),
        text: some("Hello"),
        button_text: None,
        button_payload: None,
        latitude: None,
        longitude: None,
        label: None,
        address: None,
        media_url: None,
        caption: None,
        file_extension: None,
        message_type: some("CONVERSATION"),
        message_content_type: "TEXT".into(),
        gst_id: some("sample"),
        ct_id: None,
        conversation_id: None,
        conversation_participant_id: None,
        sent_time: some(TIME),
        status: some("RECEIVED"),
        cost: None,
        template_id: None,
        template_name: None,
        body_parameters: None,
        tqrmt_id: None,
        conversation_status_code: None,
        conversation_status_message: None,
        request_id: None,
        error_code: None,
        error_code_string: None,
        metadata: vec![],
    }
}

fn status() -> StatusEvent {
    StatusEvent {
        sender: BUSINESS.into(),
        receiver: some(CUSTOMER),
        recipient_user_id: None,
        gst_id: "sample".into(),
        ct_id: None,
        conversation_ct_id: None,
        channel: None,
        status: "DELIVERED".into(),
        send_time: some(TIME),
        delivery_time: some(TIME),
        read_time: None,
        played_time: None,
        error_code: None,
        error_code_string: None,
        conversation_id: None,
        conversation_participant_id: None,
        cost: None,
        request_id: None,
        tqrmt_id: None,
        metadata: vec![],
    }
}

/// A Lite number connected. This is also the question of a trial call.
fn session_status() -> SessionStatusEvent {
    match sample::webhook_event() {
        WebhookEvent::SessionStatus(event) => event,
        _ => SessionStatusEvent {
            whatsapp_number: BUSINESS.into(),
            status: "Connected".into(),
            status_type: "success".into(),
            timestamp_ms: TIME_MS,
            metadata: vec![],
        },
    }
}

fn partner() -> PartnerEvent {
    PartnerEvent {
        quality_rating: some("GREEN"),
        messaging_limit_tier: some("TIER_1K"),
        ..partner_event("PHONE_QUALITY_CHANGED", BUSINESS, TIME_MS)
    }
}

fn chatbot() -> ChatbotEvent {
    ChatbotEvent {
        event_id: "sample".into(),
        direction: Direction::Incoming,
        timestamp_ms: TIME_MS,
        chat_participant_id: "sample".into(),
        channel: Some(Channel::Whatsapp),
        conversation_status: some("ACTIVE"),
        conversation_closed: false,
        conversation_missed: false,
        chat_bot_conversation: true,
        client_ref: some("sample"),
        sender_msisdn: some(CUSTOMER),
        receiver_msisdn: some(BUSINESS),
        customer_user_id: some("ZA.100"),
        username: None,
        message_id: some("sample"),
        ct_id: None,
        message_type: some("TEXT"),
        message_text: some("Hello"),
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
            payload_version: "v2".into(),
            include_outgoing: false,
            stop_on_agent_assignment: false,
        },
        metadata: vec![],
    }
}

fn other() -> OtherEvent {
    OtherEvent { name: "sample".into(), timestamp_ms: TIME_MS, payload: "{}".into(), metadata: vec![] }
}
