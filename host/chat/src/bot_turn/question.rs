//! The input of a chatbot: the event and the session in the types of `wit/`.

use chrono::{DateTime, Utc};
use domain::chat;
use plugin_host::{
    chatbot::{CustomEvent, Event, EventKind, Rating, RatingScore, Session, TemplateReference},
    unix_millis,
};
use storage::chat::participant_events::WaitingEvent as StoredEvent;

use super::turn_context::{Subject, TurnContext};
use crate::conversation::plugin_view::{channel, channel_fact, customer, message, zone};

pub(super) fn of(scene: &TurnContext, event: &StoredEvent, now: DateTime<Utc>) -> (Event, Session) {
    let (kind, happened_at) = match &scene.subject {
        Subject::Started(wrote) => (EventKind::ConversationStarted, wrote.message.created_at),
        Subject::Message(wrote) => (EventKind::Message(message(wrote)), wrote.message.created_at),
        Subject::Rating(score, wrote) => {
            (EventKind::Rating(Rating { score: rating(score), comment: None }), wrote.message.created_at)
        }
        Subject::Released => (EventKind::AgentReleased, event.moment()),
        Subject::Timer(name) => (EventKind::Timer(name.clone()), event.moment()),
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
        EventKind::Custom(_) => "custom",
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
    let team = scene.participant.team.iter().map(|team| ("team".to_owned(), team.name.clone()));
    Session {
        participant_id: scene.participant.id.to_string(),
        client_ref: scene.client.client_ref.clone(),
        business_number: scene.inbox.address().unwrap_or_default().to_owned(),
        customer: customer(&scene.customer),
        channel: channel(scene.participant.channel),
        state: scene.participant.bot_state.clone(),
        now_ms: unix_millis(now),
        local_time: zone(&scene.client.time_zone).local_time(now),
        reopened: scene.reopened,
        previous_template: scene
            .template
            .as_ref()
            .map(|template| TemplateReference { id: template.id.clone(), name: template.name.clone() }),
        // The last team of the chat. The interface has no field for it.
        metadata: team.chain(channel_fact(scene.participant.channel)).collect(),
    }
}
