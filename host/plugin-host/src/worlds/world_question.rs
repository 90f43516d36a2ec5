//! A question and an answer of any world: parsed from JSON or from a recording.

use domain::world::World;
use serde::{Deserialize, Serialize};

use super::{older_recordings::in_newest_form, sample, shaped_body::ShapedBody};
use crate::{
    chatbot::{Action, Event, Session},
    router::{Inbound, Route},
    sms_fallback::{self, Undeliverable},
    sms_router::{self, Sms},
    webhook_shaper::WebhookEvent,
};

/// A question to a plugin, by world. Its serialised form is that of recordings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
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

/// The answer of a plugin in a call without effects. Its serialised form is that of recordings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DryResult {
    Actions(Vec<Action>),
    Decision(sms_fallback::Decision),
    Payload(ShapedBody),
    Route(Route),
    SmsDecisions(Vec<sms_router::Decision>),
}

/// Evaluates an expression with the question in the types of its world, and with the case of its answer.
macro_rules! typed {
    ($question:expr, |$typed:ident, $case:pat_param| $result:expr) => {{
        use $crate::worlds::{
            questions::{DecideFallback, DecideSms, HandleEvent, RouteInbound, ShapeBody},
            world_question::{DryResult, WorldQuestion},
        };
        match $question {
            WorldQuestion::Chatbot { event, session } => {
                let ($typed, $case) = (HandleEvent::new(event, session), DryResult::Actions);
                $result
            }
            WorldQuestion::SmsFallback(undeliverable) => {
                let ($typed, $case) = (DecideFallback::new(undeliverable), DryResult::Decision);
                $result
            }
            WorldQuestion::WebhookShaper(event) => {
                let ($typed, $case) = (ShapeBody::new(event), DryResult::Payload);
                $result
            }
            WorldQuestion::Router(inbound) => {
                let ($typed, $case) = (RouteInbound::new(inbound), DryResult::Route);
                $result
            }
            WorldQuestion::SmsRouter(messages) => {
                let ($typed, $case) = (DecideSms::new(messages), DryResult::SmsDecisions);
                $result
            }
        }
    }};
}
pub(crate) use typed;

#[derive(Deserialize)]
struct RecordedTurn {
    event: Box<Event>,
    session: Box<Session>,
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
        Self::read(world, in_newest_form(world, serde_json::from_str(text)?))
    }

    /// Reads the form of recordings.
    pub(crate) fn read<'a, D: serde::Deserializer<'a>>(world: World, from: D) -> Result<Self, D::Error> {
        Ok(match world {
            World::Chatbot => {
                let RecordedTurn { event, session } = Deserialize::deserialize(from)?;
                Self::Chatbot { event, session }
            }
            World::SmsFallback => Self::SmsFallback(Deserialize::deserialize(from)?),
            World::WebhookShaper => Self::WebhookShaper(Deserialize::deserialize(from)?),
            World::Router => Self::Router(Deserialize::deserialize(from)?),
            World::SmsRouter => Self::SmsRouter(Deserialize::deserialize(from)?),
        })
    }
}

impl DryResult {
    pub(crate) fn world(&self) -> World {
        match self {
            Self::Actions(_) => World::Chatbot,
            Self::Decision(_) => World::SmsFallback,
            Self::Payload(_) => World::WebhookShaper,
            Self::Route(_) => World::Router,
            Self::SmsDecisions(_) => World::SmsRouter,
        }
    }

    /// The answer in the result of a recording. `None` if it is not an answer of this world.
    pub fn recorded(world: World, answer: &serde_json::Value) -> Option<Self> {
        let read = match world {
            World::Chatbot => Deserialize::deserialize(answer).map(Self::Actions),
            World::SmsFallback => Deserialize::deserialize(answer).map(Self::Decision),
            World::WebhookShaper => Deserialize::deserialize(answer).map(Self::Payload),
            World::Router => Deserialize::deserialize(answer).map(Self::Route),
            World::SmsRouter => Deserialize::deserialize(answer).map(Self::SmsDecisions),
        };
        read.ok()
    }
}
