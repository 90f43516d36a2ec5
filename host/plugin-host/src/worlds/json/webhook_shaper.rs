//! World `webhook-shaper`.

use serde_json::{Map, Value};

use super::forms::{record, words};
use super::{JsonNode, JsonObject, JsonRecord, ReadableJson, samples};
use crate::webhook_shaper::{
    Agent, ChatbotEvent, ChatbotSettings, Direction, IncomingMessageEvent, PartnerEvent, SessionStatusEvent,
    StatusEvent, Team, WebhookEvent,
};

const KINDS: [&str; 5] = ["incoming", "status", "session-status", "partner", "chatbot"];

words!(Direction { "incoming" => Incoming, "outgoing" => Outgoing });
record!(Agent { id, name });
record!(Team { id, name });
record!(ChatbotSettings { payload_version, include_outgoing, stop_on_agent_assignment });
record!(IncomingMessageEvent {
    profile_name,
    sender,
    sender_user_id,
    username,
    receiver,
    text,
    button_text,
    button_payload,
    latitude,
    longitude,
    label,
    address,
    media_url,
    caption,
    file_extension,
    message_type,
    message_content_type,
    gst_id,
    ct_id,
    conversation_id,
    participant_id,
    sent_time,
    status,
    cost,
    template_id,
    template_name,
    body_parameters,
    tqrmt_id,
    conversation_status_code,
    conversation_status_message,
    request_id,
    error_code,
    error_code_string,
    metadata,
});
record!(StatusEvent {
    sender,
    receiver,
    recipient_user_id,
    gst_id,
    ct_id,
    conversation_ct_id,
    channel,
    status,
    send_time,
    delivery_time,
    read_time,
    played_time,
    error_code,
    error_code_string,
    conversation_id,
    participant_id,
    cost,
    request_id,
    tqrmt_id,
    metadata,
});
record!(SessionStatusEvent { whatsapp_number, status, status_type, timestamp_ms, metadata });
record!(PartnerEvent {
    event_type,
    whatsapp_number,
    timestamp_ms,
    quality_rating,
    messaging_limit_tier,
    channel_status,
    template_name,
    template_status,
    rejected_reason,
    previous_quality_score,
    new_quality_score,
    template_language,
    template_element,
    wa_id,
    category,
    preference_value,
    old_number,
    new_number,
    metadata,
});
record!(ChatbotEvent {
    event_id,
    direction,
    timestamp_ms,
    chat_participant_id,
    conversation_status,
    conversation_closed,
    conversation_missed,
    chat_bot_conversation,
    client_ref,
    sender_msisdn,
    receiver_msisdn,
    customer_user_id,
    username,
    message_id,
    ct_id,
    message_type,
    message_text,
    media_url,
    template_id,
    template_name,
    quoted_message_id,
    quoted_text,
    assigned_agent,
    last_assigned_agent,
    team,
    routed_to_another_team,
    settings,
    metadata,
});

/// The fields of the event next to its `type`. If a field is left out, it comes from a sample of that type.
impl ReadableJson for WebhookEvent {
    fn read(node: &JsonNode<'_>, base: Option<&Self>) -> Option<Self> {
        let mut object = node.object()?;
        let read = match object.kind() {
            Some("incoming") => read_case(&mut object, base, samples::incoming(), Self::Incoming),
            Some("status") => read_case(&mut object, base, samples::status(), Self::Status),
            Some("session-status") => read_case(&mut object, base, samples::session_status(), Self::SessionStatus),
            Some("partner") => read_case(&mut object, base, samples::partner(), Self::Partner),
            Some("chatbot") => read_case(&mut object, base, samples::chatbot(), Self::Chatbot),
            _ => return object.unknown_kind(&KINDS),
        };
        object.finish();
        read
    }

    fn write(&self) -> Value {
        let mut map = Map::new();
        let kind = match self {
            Self::Incoming(event) => fields(event, &mut map, "incoming"),
            Self::Status(event) => fields(event, &mut map, "status"),
            Self::SessionStatus(event) => fields(event, &mut map, "session-status"),
            Self::Partner(event) => fields(event, &mut map, "partner"),
            Self::Chatbot(event) => fields(event, &mut map, "chatbot"),
        };
        map.insert("type".into(), kind.into());
        Value::Object(map)
    }
}

/// The sample is of the kind that is read, whatever the kind of `base`.
fn read_case<R: JsonRecord>(
    object: &mut JsonObject<'_>,
    base: Option<&WebhookEvent>,
    sample: R,
    case: fn(R) -> WebhookEvent,
) -> Option<WebhookEvent> {
    R::read_fields(object, base.is_some().then_some(&sample)).map(case)
}

fn fields<R: JsonRecord>(event: &R, into: &mut Map<String, Value>, kind: &'static str) -> &'static str {
    event.write_fields(into);
    kind
}
