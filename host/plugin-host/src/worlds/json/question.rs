//! A question to a plugin, owned: parsed from JSON or from a recording.

use std::cell::RefCell;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{JsonNode, ReadableJson, problem::Problem, sms_router::Messages};
use crate::{
    World,
    chatbot::{Event, Session},
    router::Inbound,
    sms_fallback::Undeliverable,
    sms_router::Sms,
    webhook_shaper::WebhookEvent,
    worlds::sample,
};

/// A question to a plugin, by world.
#[derive(Debug, Clone, PartialEq)]
pub enum WorldQuestion {
    Chatbot {
        /// A message, a timer or another event of the conversation.
        event: Box<Event>,
        session: Box<Session>,
    },
    SmsFallback(Box<Undeliverable>),
    WebhookShaper(Box<WebhookEvent>),
    Router(Box<Inbound>),
    SmsRouter(Vec<Sms>),
}

#[derive(Deserialize)]
struct Recorded {
    event: Event,
    session: Session,
}

impl WorldQuestion {
    pub fn sample(world: World) -> Self {
        match world {
            World::Chatbot => {
                let (event, session) = sample::hello();
                Self::Chatbot { event: Box::new(event), session: Box::new(session) }
            }
            World::SmsFallback => Self::SmsFallback(Box::new(sample::undeliverable())),
            World::WebhookShaper => Self::WebhookShaper(Box::new(sample::webhook_event())),
            World::Router => Self::Router(Box::new(sample::inbound())),
            World::SmsRouter => Self::SmsRouter(vec![sample::sms()]),
        }
    }

    /// Parses a question. If fields are left out, a sample gives their values; if `event` and `session` are null, the
    /// whole question is the sample. Only chatbots have a session.
    ///
    /// # Errors
    /// Everything that is unknown or of the wrong type, by its path.
    pub fn from_json(world: World, event: &Value, session: &Value) -> Result<Self, Vec<Problem>> {
        let problems = RefCell::default();
        let read = match Self::sample(world) {
            Self::Chatbot { event: event_base, session: session_base } => {
                let event = part("event", event, *event_base, &problems);
                let session = part("session", session, *session_base, &problems);
                event.zip(session).map(|(event, session)| Self::Chatbot { event, session })
            }
            Self::SmsFallback(base) => part("event", event, *base, &problems).map(Self::SmsFallback),
            Self::WebhookShaper(base) => part("event", event, *base, &problems).map(Self::WebhookShaper),
            Self::Router(base) => part("event", event, *base, &problems).map(Self::Router),
            Self::SmsRouter(base) => {
                let read = part("event", event, Messages::from(base), &problems);
                read.map(|messages| Self::SmsRouter((*messages).into()))
            }
        };
        if world != World::Chatbot && !session.is_null() {
            let problem = format!("world `{world}` has no session; leave it out");
            problems.borrow_mut().push(("session".into(), problem));
        }
        let problems = problems.into_inner();
        match read {
            Some(question) if problems.is_empty() => Ok(question),
            _ => Err(problems),
        }
    }

    /// The question as JSON: `{"event", "session"}`, or only `{"event"}` if the world has no session. It has every
    /// field, so that [`Self::from_json`] gives the same question again.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Chatbot { event, session } => json!({ "event": event.write(), "session": session.write() }),
            Self::SmsFallback(undeliverable) => json!({ "event": undeliverable.write() }),
            Self::WebhookShaper(event) => json!({ "event": event.write() }),
            Self::Router(inbound) => json!({ "event": inbound.write() }),
            Self::SmsRouter(messages) => json!({ "event": Messages::from(messages.clone()).write() }),
        }
    }

    pub fn world(&self) -> World {
        match self {
            Self::Chatbot { .. } => World::Chatbot,
            Self::SmsFallback(_) => World::SmsFallback,
            Self::WebhookShaper(_) => World::WebhookShaper,
            Self::Router(_) => World::Router,
            Self::SmsRouter(_) => World::SmsRouter,
        }
    }

    /// The question of a recording.
    ///
    /// # Errors
    /// If the text is not a question of this world.
    pub fn recorded(world: World, text: &str) -> serde_json::Result<Self> {
        Ok(match world {
            World::Chatbot => {
                let Recorded { event, session } = serde_json::from_str(text)?;
                Self::Chatbot { event: Box::new(event), session: Box::new(session) }
            }
            World::SmsFallback => Self::SmsFallback(serde_json::from_str(text)?),
            World::WebhookShaper => Self::WebhookShaper(serde_json::from_str(text)?),
            World::Router => Self::Router(serde_json::from_str(text)?),
            World::SmsRouter => Self::SmsRouter(serde_json::from_str(text)?),
        })
    }
}

/// One part of a question. If it is null, the whole base.
fn part<T: ReadableJson>(name: &str, value: &Value, base: T, problems: &RefCell<Vec<Problem>>) -> Option<Box<T>> {
    match value {
        Value::Null => Some(Box::new(base)),
        value => T::read(&JsonNode::new(name, value, problems), Some(&base)).map(Box::new),
    }
}
