//! Runs plugins: components that receive values and return values (DESIGN 4). Each call gets a fresh instance under
//! limits; what a plugin may reach is in `wit/` and nothing else; what it returns is checked like user input.
//!
//! [`PluginHost`] is the way in. It knows the components that ship with the program and those in a watched directory,
//! and swaps one for another while calls are in flight.

mod answer;
mod at_home;
mod breaker;
mod built_in;
mod cache;
mod call;
mod callee;
mod check;
mod clock;
mod compile;
mod components;
mod difference;
mod directory;
mod engine;
mod error;
mod examine;
mod gate;
mod grants;
mod guest;
mod host;
mod host_config;
mod http;
mod imports;
pub mod json;
mod key_values;
mod lanes;
mod limits;
mod loader;
mod meter;
mod outgoing;
mod output;
mod plugin_ref;
mod programs;
mod record;
mod recorded_limits;
mod registry;
mod replay;
mod run;
mod sample;
mod share;
mod tape;
mod world;
mod worlds;

pub use breaker::Suspension;
pub use call::{Call, CallTrace, ChatbotOutcome, LogLine, Outcome, RouterOutcome};
pub use check::{CheckReport, check};
pub use compile::{Compiler, check_apart, compile_child};
pub use components::ComponentSource;
pub use error::{CallError, HostError};
pub use examine::{Examined, Refusal};
pub use gate::RoomBeside;
pub use grants::{AllowedHost, EVERY_HOST};
pub use host::PluginHost;
pub use host_config::HostConfig;
pub use http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
pub use json::{DryAnswer, DryResult, Question};
pub use key_values::{KeyValueError, KeyValueSnapshot, KeyValueWrite, NoKeyValues, Scope};
pub use limits::{Limit, Limits};
pub use plugin_bindings::chatbot::patchbay::plugin::log::Level as LogLevel;
pub use plugin_ref::{PluginRef, is_plugin_name};
pub use record::{HostCall, HttpAnswer, KvAnswer, Recording};
pub use recorded_limits::RecordedLimits;
pub use registry::{PluginInfo, Source, State};
pub use replay::Replay;
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

/// Types of world `router`, generated from `wit/`.
pub mod router {
    pub use plugin_bindings::chatbot::patchbay::plugin::types::{
        Channel, Content, Customer, Error, IncomingMessage, Metadata, TemplateReference,
    };
    pub use plugin_bindings::router::exports::patchbay::plugin::routing::{
        Decision as Route, Inbound, Target, WallTime,
    };
}
