//! Incoming messages, delivery states, sessions and partner events (SPEC 6.1 to 6.4).

use patchbay_plugin_sdk::json::Object;
use patchbay_plugin_sdk::webhook_shaper::*;

struct Standard;

impl WebhookShaper for Standard {
    fn shape(event: WebhookEvent) -> Result<Body, Error> {
        let body = match event {
            WebhookEvent::Incoming(event) => incoming(&event),
            WebhookEvent::Status(event) => status(&event),
            WebhookEvent::SessionStatus(event) => session_status(&event),
            WebhookEvent::Partner(event) => partner(&event),
            WebhookEvent::Other(event) => return Ok(Body::json(event.payload)),
            WebhookEvent::Chatbot(_) => {
                return Err(Error::new(
                    "chatbot-event",
                    "this shaper does not write chatbot events; use `webhook-v1` or `webhook-v2`",
                ));
            }
        };
        Ok(body.finish().into())
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Standard);

fn incoming(event: &IncomingMessageEvent) -> Object {
    let body = Object::new()
        .maybe("profileName", &event.profile_name)
        .maybe("sender", &event.sender)
        .maybe("senderUserId", &event.sender_user_id)
        .maybe("username", &event.username)
        .text("receiver", &event.receiver)
        .maybe("text", &event.text)
        .maybe("buttonText", &event.button_text)
        .maybe("buttonPayload", &event.button_payload)
        .maybe("latitude", &event.latitude)
        .maybe("longitude", &event.longitude)
        .maybe("label", &event.label)
        .maybe("address", &event.address)
        .maybe("mediaUrl", &event.media_url)
        .maybe("caption", &event.caption)
        .maybe("fileExtension", &event.file_extension)
        .maybe("messageType", &event.message_type)
        .text("messageContentType", &event.message_content_type)
        .maybe("gstId", &event.gst_id)
        .maybe("ctId", &event.ct_id)
        .maybe("conversationId", &event.conversation_id)
        .maybe("participantId", &event.conversation_participant_id)
        .maybe("sentTime", &event.sent_time)
        .maybe("status", &event.status)
        .maybe("cost", &event.cost)
        .maybe("templateId", &event.template_id)
        .maybe("templateName", &event.template_name);
    let body = match &event.body_parameters {
        Some(parameters) => body.raw("bodyParameters", &by_position(parameters)),
        None => body,
    };
    body.maybe("tqrmtId", &event.tqrmt_id)
        .maybe("conversationStatusCode", &event.conversation_status_code)
        .maybe("conversationStatusMessage", &event.conversation_status_message)
        .maybe("requestId", &event.request_id)
        .maybe("errorCode", &event.error_code)
        .maybe("errorCodeString", &event.error_code_string)
}

/// `{"1":"first","2":"second"}`.
fn by_position(parameters: &[(String, String)]) -> String {
    parameters.iter().fold(Object::new(), |object, (position, value)| object.text(position, value)).finish()
}

fn status(event: &StatusEvent) -> Object {
    Object::new()
        .text("sender", &event.sender)
        .maybe("receiver", &event.receiver)
        .maybe("recipientUserId", &event.recipient_user_id)
        .text("gstId", &event.gst_id)
        .maybe("ctId", &event.ct_id)
        .maybe("conversationCtId", &event.conversation_ct_id)
        .maybe("channel", &event.channel)
        .text("status", &event.status)
        .maybe("sendTime", &event.send_time)
        .maybe("deliveryTime", &event.delivery_time)
        .maybe("readTime", &event.read_time)
        .maybe("playedTime", &event.played_time)
        .maybe("errorCode", &event.error_code)
        .maybe("errorCodeString", &event.error_code_string)
        .maybe("conversationId", &event.conversation_id)
        .maybe("participantId", &event.conversation_participant_id)
        .maybe("cost", &event.cost)
        .maybe("requestId", &event.request_id)
        .maybe("tqrmtId", &event.tqrmt_id)
}

fn session_status(event: &SessionStatusEvent) -> Object {
    Object::new()
        .text("whatsAppNumber", &event.whatsapp_number)
        .text("status", &event.status)
        .text("statusType", &event.status_type)
        .integer("timestamp", event.timestamp_ms)
}

fn partner(event: &PartnerEvent) -> Object {
    Object::new()
        .text("eventType", &event.event_type)
        .maybe("whatsAppNumber", &event.whatsapp_number)
        .integer("timestamp", event.timestamp_ms)
        .maybe("qualityRating", &event.quality_rating)
        .maybe("messagingLimitTier", &event.messaging_limit_tier)
        .maybe("channelStatus", &event.channel_status)
        .maybe("templateName", &event.template_name)
        .maybe("templateStatus", &event.template_status)
        .maybe("rejectedReason", &event.rejected_reason)
        .maybe("previousQualityScore", &event.previous_quality_score)
        .maybe("newQualityScore", &event.new_quality_score)
        .maybe("templateLanguage", &event.template_language)
        .maybe("templateElement", &event.template_element)
        .maybe("waId", &event.wa_id)
        .maybe("category", &event.category)
        .maybe("preferenceValue", &event.preference_value)
        .maybe("oldNumber", &event.old_number)
        .maybe("newNumber", &event.new_number)
        .maybe("plugin", &fact(event, "plugin"))
        .maybe("pluginVersion", &fact(event, "pluginVersion"))
        .maybe("webhookId", &fact(event, "webhookId"))
        .maybe("webhookType", &fact(event, "webhookType"))
        .maybe("url", &fact(event, "url"))
        .maybe("reason", &fact(event, "reason"))
}

/// An additional value of an event that the interface has no field for.
fn fact(event: &PartnerEvent, name: &str) -> Option<String> {
    event.metadata.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}
