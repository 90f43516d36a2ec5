//! Bodies of chatbot events (SPEC 6.5). Version 2 is version 1 with the team, quoted-reply and BSUID fields added.

use patchbay_plugin_sdk::json::Object;
use patchbay_plugin_sdk::webhook_shaper::{ChatbotEvent, Direction, Error, WebhookEvent};

/// The chatbot event of a webhook event. Other events are for `webhook-standard`.
pub fn chatbot_event(event: WebhookEvent) -> Result<ChatbotEvent, Error> {
    match event {
        WebhookEvent::Chatbot(event) => Ok(event),
        _ => Err(Error::new(
            "not-a-chatbot-event",
            "this shaper writes chatbot events only; use `webhook-standard` for the other webhooks",
        )),
    }
}

/// The flat body of version 1.
pub fn version_1(event: &ChatbotEvent) -> String {
    message(event, common(event)).finish()
}

/// The body of version 2.
pub fn version_2(event: &ChatbotEvent) -> String {
    let (sender, recipient) = match event.direction {
        Direction::Incoming => (&event.customer_user_id, &None),
        Direction::Outgoing => (&None, &event.customer_user_id),
    };
    let body = common(event)
        .maybe("senderUserId", sender)
        .maybe("recipientUserId", recipient)
        .maybe("username", &event.username);
    let mut body =
        message(event, body).maybe("quotedMessageId", &event.quoted_message_id).maybe("quotedText", &event.quoted_text);
    if let Some(team) = &event.team {
        body = body.text("teamId", &team.id).maybe("teamName", &team.name);
    }
    if let Some(routed) = event.routed_to_another_team {
        body = body.boolean("routedToAnotherTeam", routed);
    }
    body.finish()
}

fn common(event: &ChatbotEvent) -> Object {
    let direction = match event.direction {
        Direction::Incoming => "INCOMING",
        Direction::Outgoing => "OUTGOING",
    };
    Object::new()
        .text("eventId", &event.event_id)
        .text("direction", direction)
        .integer("timestamp", event.timestamp_ms)
        .text("chatParticipantId", &event.chat_participant_id)
        .maybe("conversationStatus", &event.conversation_status)
        .boolean("conversationClosed", event.conversation_closed)
        .boolean("conversationMissed", event.conversation_missed)
        .boolean("chatBotConversation", event.chat_bot_conversation)
        .maybe("clientRef", &event.client_ref)
        .maybe("senderMsisdn", &event.sender_msisdn)
        .maybe("receiverMsisdn", &event.receiver_msisdn)
}

fn message(event: &ChatbotEvent, body: Object) -> Object {
    let mut body = body
        .maybe("messageId", &event.message_id)
        .maybe("ctId", &event.ct_id)
        .maybe("messageType", &event.message_type)
        .maybe("messageText", &event.message_text)
        .maybe("mediaUrl", &event.media_url)
        .maybe("templateId", &event.template_id)
        .maybe("templateName", &event.template_name);
    if let Some(agent) = &event.assigned_agent {
        body = body.text("assignedAgentId", &agent.id).maybe("assignedAgentName", &agent.name);
    }
    if let Some(agent) = &event.last_assigned_agent {
        body = body.text("lastAssignedAgentId", &agent.id).maybe("lastAssignedAgentName", &agent.name);
    }
    body
}
