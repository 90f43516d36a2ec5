//! The input of a chatbot: the event and the session in the types of `wit/`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use domain::chat::{self, RequestEnd};
use plugin_host::{
    chatbot::{
        Attribute, CustomEvent, Event, EventKind, HttpError, HttpFinished, HttpOutcome, HttpReply, Rating, RatingScore,
        Session, TemplateReference,
    },
    plugin_channel, plugin_value, unix_millis,
};
use storage::chat::participant_events::WaitingEvent as StoredEvent;

use super::turn_context::{Subject, TurnContext};
use crate::conversation::plugin_view::{customer, message, zone};

pub(super) fn of(scene: &TurnContext, event: &StoredEvent, now: DateTime<Utc>) -> (Event, Session) {
    let (kind, happened_at) = match &scene.subject {
        Subject::Started(wrote) => (EventKind::ConversationStarted, wrote.message.created_at),
        Subject::Message(wrote) => (EventKind::Message(message(wrote)), wrote.message.created_at),
        Subject::Rating(score, wrote) => {
            (EventKind::Rating(Rating { score: rating(score), comment: None }), wrote.message.created_at)
        }
        Subject::Released => (EventKind::AgentReleased, event.moment()),
        Subject::Timer(name) => (EventKind::Timer(name.clone()), event.moment()),
        Subject::RequestEnded(ended) => {
            let finished = HttpFinished { job: ended.job.clone(), outcome: http_outcome(&ended.end) };
            (EventKind::HttpFinished(finished), event.moment())
        }
        Subject::Custom(custom) => {
            let (name, payload) = (custom.name.clone(), custom.payload.clone());
            (EventKind::Custom(CustomEvent { name, payload }), event.moment())
        }
    };
    let asked = Event {
        id: event.id.to_string(),
        sequence: u64::try_from(scene.participant.events_handled.saturating_add(1)).unwrap_or(1),
        timestamp_ms: unix_millis(happened_at),
        kind,
        metadata: scene.subject.referral().map(|referral| referral.metadata().collect()).unwrap_or_default(),
    };
    (asked, session(scene, now))
}

pub(super) fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Message(_) => "message",
        EventKind::ConversationStarted => "conversation-started",
        EventKind::Timer(_) => "timer",
        EventKind::Rating(_) => "rating",
        EventKind::AgentReleased => "agent-released",
        EventKind::HttpFinished(_) => "http-finished",
        EventKind::Custom(_) => "custom",
    }
}

fn http_outcome(end: &RequestEnd) -> HttpOutcome {
    match end {
        RequestEnd::Response { status, headers, body } => HttpOutcome::Response(HttpReply {
            status: *status,
            headers: headers.clone(),
            body: STANDARD.decode(body).unwrap_or_default(),
        }),
        RequestEnd::TimedOut => HttpOutcome::Failed(HttpError::TimedOut),
        RequestEnd::TooLarge(most) => HttpOutcome::Failed(HttpError::TooLarge(*most)),
        RequestEnd::Refused(reason) => HttpOutcome::Failed(HttpError::NotGranted(reason.clone())),
        RequestEnd::Failed(reason) => HttpOutcome::Failed(HttpError::Failed(reason.clone())),
    }
}

fn rating(name: &str) -> RatingScore {
    match chat::Rating::from_name(name) {
        Some(chat::Rating::Poor) => RatingScore::Poor,
        Some(chat::Rating::Average) | None => RatingScore::Average,
        Some(chat::Rating::Excellent) => RatingScore::Excellent,
    }
}

fn session(scene: &TurnContext, now: DateTime<Utc>) -> Session {
    let attributes = scene.attributes.iter().map(|(name, value)| (name.as_str().to_owned(), plugin_value(value)));
    Session {
        participant_id: scene.participant.id.to_string(),
        client_ref: scene.client.client_ref.clone(),
        business_number: scene.inbox.address().unwrap_or_default().to_owned(),
        customer: customer(&scene.customer),
        channel: plugin_channel(scene.participant.channel),
        state: scene.participant.state_of(scene.plugin()).to_owned(),
        now_ms: unix_millis(now),
        local_time: zone(&scene.client.time_zone).local_time(now),
        reopened: scene.reopened,
        previous_template: scene
            .template
            .as_ref()
            .map(|template| TemplateReference { id: template.id.clone(), name: template.name.clone() }),
        window_ends_ms: scene.window_end.map(unix_millis),
        last_team: scene.participant.team.as_ref().map(|team| team.name.clone()),
        attributes: attributes.map(|(name, value)| Attribute { name, value }).collect(),
        metadata: Vec::new(),
    }
}
