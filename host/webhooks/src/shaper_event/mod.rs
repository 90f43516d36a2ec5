//! Turns stored events into the types of world `webhook-shaper`. This is the only place that fills them.

mod chatbot;
mod incoming_message;
mod partner;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    event::{Event, MessageMoved, SessionChanged},
};
use events::{ReportKind, WebhookReport};
use plugin_host::{
    World, WorldQuestion, plugin_channel, unix_millis,
    webhook_shaper::{SessionStatusEvent, StatusEvent, WebhookEvent},
};

#[derive(Debug, thiserror::Error)]
pub enum ShaperEventError {
    #[error("it is not an event of this version")]
    Form(#[source] serde_json::Error),
    #[error("its webhook does not report such events")]
    Kind,
}

/// Reads a stored event. `business` is the address of its inbox.
pub fn read(stored: &str, business: &str) -> Result<WebhookEvent, ShaperEventError> {
    match serde_json::from_str::<WebhookReport>(stored) {
        Ok(report) => of(&report, business).ok_or(ShaperEventError::Kind),
        // Earlier releases stored the types of the shaper, and such deliveries may still wait.
        Err(error) => match WorldQuestion::recorded(World::WebhookShaper, stored) {
            Ok(WorldQuestion::WebhookShaper(event)) => Ok(*event),
            _ => Err(ShaperEventError::Form(error)),
        },
    }
}

/// Names the channel of the inbox in an event about a chat.
pub fn naming(mut event: WebhookEvent, channel: Option<Channel>) -> WebhookEvent {
    let named = match &mut event {
        WebhookEvent::Incoming(event) => &mut event.channel,
        WebhookEvent::Chatbot(event) => &mut event.channel,
        WebhookEvent::Status(_)
        | WebhookEvent::SessionStatus(_)
        | WebhookEvent::Partner(_)
        | WebhookEvent::Other(_) => return event,
    };
    *named = channel.map(plugin_channel);
    event
}

fn of(report: &WebhookReport, business: &str) -> Option<WebhookEvent> {
    let at = report.recorded.at;
    Some(match (report.kind, &report.recorded.event) {
        (ReportKind::Incoming, Event::MessageCame(came)) => {
            WebhookEvent::Incoming(incoming_message::incoming(came, business, at))
        }
        (ReportKind::Status, Event::MessageMoved(moved)) => WebhookEvent::Status(status(moved, business)),
        (ReportKind::Session, Event::SessionChanged(changed)) => {
            WebhookEvent::SessionStatus(session(changed, business, at))
        }
        (ReportKind::Partner, event) => WebhookEvent::Partner(partner::partner(event, business, at)?),
        (ReportKind::Chatbot(chatbot_report), Event::MessageCame(came)) => {
            WebhookEvent::Chatbot(chatbot::message_event(came, chatbot_report, business, at))
        }
        (ReportKind::Chatbot(chatbot_report), Event::MessageSaid(said)) => {
            WebhookEvent::Chatbot(chatbot::reply_event(said, chatbot_report, business, at))
        }
        (ReportKind::Chatbot(chatbot_report), Event::MessageChanged(changed)) => {
            WebhookEvent::Chatbot(chatbot::change_event(changed, chatbot_report, business, at))
        }
        (ReportKind::Chatbot(chatbot_report), Event::ChatChangedHands(changed)) => {
            let (scene, assigned) = (report.scene.as_deref()?, changed.assignment()?);
            WebhookEvent::Chatbot(chatbot::assignment_event(scene, assigned, chatbot_report, business, at))
        }
        _ => return None,
    })
}

/// The built-in shaper of an event (SPEC 6.1 to 6.5).
pub(crate) fn built_in(event: &WebhookEvent) -> &'static str {
    match event {
        WebhookEvent::Chatbot(chatbot) if chatbot.settings.payload_version == "v2" => "webhook-v2",
        WebhookEvent::Chatbot(_) => "webhook-v1",
        WebhookEvent::Incoming(_)
        | WebhookEvent::Status(_)
        | WebhookEvent::SessionStatus(_)
        | WebhookEvent::Partner(_)
        | WebhookEvent::Other(_) => "webhook-standard",
    }
}

fn status(moved: &MessageMoved, business: &str) -> StatusEvent {
    let conversation = moved.conversation.as_ref();
    let failure = moved.failure.as_ref().filter(|_| moved.state.is_failed());
    StatusEvent {
        sender: business.to_owned(),
        receiver: of_kind(&moved.to, AddressKind::Phone),
        recipient_user_id: of_kind(&moved.to, AddressKind::Bsuid),
        gst_id: moved.gst_id.clone(),
        ct_id: moved.ct_id.clone(),
        conversation_ct_id: conversation.and_then(|conversation| conversation.ct_id.clone()),
        // Most messages go over WhatsApp, which is not named. The metadata names every other channel.
        channel: (moved.leg > 0 || moved.channel == Channel::Sms).then(|| moved.channel.as_str().to_owned()),
        status: moved.state.as_str().to_owned(),
        send_time: moved.times.sent.map(iso_time),
        delivery_time: moved.times.delivered.map(iso_time),
        read_time: moved.times.read.map(iso_time),
        played_time: moved.times.played.map(iso_time),
        error_code: failure.map(|failure| failure.code.to_string()),
        error_code_string: failure.map(|failure| failure.text.clone()),
        conversation_id: conversation.map(|conversation| conversation.id.to_string()),
        conversation_participant_id: conversation.map(|conversation| conversation.participant.to_string()),
        cost: moved.tracking.cost.clone(),
        request_id: moved.tracking.request.map(|id| id.to_string()),
        tqrmt_id: moved.tracking.tqrmt_id.clone(),
        metadata: channel_name(moved.channel).into_iter().collect(),
    }
}

/// The metadata that names a channel other than WhatsApp, because the field of a first attempt does not.
fn channel_name(channel: Channel) -> Option<(String, String)> {
    (channel != Channel::Whatsapp).then(|| ("channel".to_owned(), channel.as_str().to_owned()))
}

fn session(changed: &SessionChanged, business: &str, at: DateTime<Utc>) -> SessionStatusEvent {
    SessionStatusEvent {
        whatsapp_number: business.to_owned(),
        status: changed.words.clone(),
        status_type: changed.status.as_str().to_owned(),
        timestamp_ms: unix_millis(at),
        metadata: Vec::new(),
    }
}

fn of_kind(addresses: &[Address], kind: AddressKind) -> Option<String> {
    addresses.iter().find_map(|address| address.as_kind(kind)).map(str::to_owned)
}
