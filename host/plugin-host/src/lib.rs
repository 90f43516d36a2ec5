//! Runs plugins: components that receive values and return values (DESIGN 4). Each call gets a fresh instance under
//! limits; what a plugin may reach is in `wit/` and nothing else; what it returns is checked like user input.
//!
//! [`PluginHost`] is the way in. It knows the components that ship with the program and those in a watched directory,
//! and swaps one for another while calls are in flight.

mod answer;
mod built_in;
mod cache;
mod call;
mod check;
mod directory;
mod engine;
mod error;
mod gate;
mod guest;
mod host;
mod imports;
mod key_values;
mod limits;
mod loader;
mod meter;
mod output;
mod registry;
mod run;
mod sample;
mod world;
mod worlds;

pub use call::{Call, CallTrace, ChatbotOutcome, LogLine, Outcome};
pub use check::{CheckReport, check};
pub use error::{CallError, HostError};
pub use host::{HostConfig, PluginHost};
pub use key_values::{KeyValueError, KeyValueSnapshot, KeyValueWrite, NoKeyValues, Scope};
pub use limits::{Limit, Limits};
pub use plugin_bindings::chatbot::patchbay::plugin::log::Level as LogLevel;
pub use registry::{PluginInfo, Source, State};
pub use world::World;

/// Types of world `chatbot`, generated from `wit/`.
pub mod chatbot {
    pub use plugin_bindings::chatbot::exports::patchbay::plugin::bot::{
        Action, Button, CustomEvent, Event, EventKind, HandOver, ListRow, ListSection, LocalTime, Rating, RatingScore,
        ReplyButtons, ReplyList, ReplyLocation, ReplyMedia, ReplyTemplate, ReplyText, Session, TemplateHeader, Timer,
        Weekday,
    };
    pub use plugin_bindings::chatbot::patchbay::plugin::types::{
        Channel, Choice, Content, Customer, Error, IncomingMessage, Location, Media, MediaKind, Metadata,
        QuotedMessage, Reaction, TemplateReference,
    };
}

/// Types of world `sms-fallback`, generated from `wit/`.
pub mod sms_fallback {
    pub use plugin_bindings::chatbot::patchbay::plugin::types::Metadata;
    pub use plugin_bindings::sms_fallback::exports::patchbay::plugin::fallback::{
        Decision, RequestedFallback, Sms, Undeliverable,
    };
}

/// Types of world `webhook-shaper`, generated from `wit/`.
pub mod webhook_shaper {
    pub use plugin_bindings::chatbot::patchbay::plugin::types::{Error, Metadata};
    pub use plugin_bindings::webhook_shaper::exports::patchbay::plugin::shaper::{
        Agent, ChatbotEvent, ChatbotSettings, Direction, IncomingMessageEvent, PartnerEvent, SessionStatusEvent,
        StatusEvent, Team, WebhookEvent,
    };
}
