//! Runs plugins: components that take values and return values (DESIGN 4).
//!
//! Each call gets a fresh instance under limits. A plugin reaches only the imports in `wit/`, and its result is checked
//! like user input. [`PluginHost`] is the entry. It knows the built-in components and those in a watched directory, and
//! replaces one while calls are in flight.
//!
//! # A hot reload
//!
//! 1. `loading::directory::follow` hears of a change in `plugins.dir` from the operating system, and also looks every
//!    300 ms. It waits 40 ms, so that it does not read half a file. If a file changes during its load, it is loaded
//!    again.
//! 2. `Loader::load` checks the file (kind, world, granted imports), compiles it or takes it from the cache
//!    (`loading/cache.rs`), links it and checks the types.
//! 3. `PluginHost::try_out` makes a sample call under the usual limits. An error that the plugin returns is an answer;
//!    a trap fails the load.
//! 4. `PluginRegistry::swap_in` replaces the table of plugins with one atomic pointer. A running call keeps its program.
//! 5. If a step fails, `note_broken` keeps the reason, and the old program stays. If a file is gone for 250 ms, its
//!    plugin is removed, or the built-in plugin of that name returns.
//!
//! # Record and replay
//!
//! 1. `calling/secrets/` gives a call the secrets of its configuration and stores a placeholder in every record of the
//!    call. A replay and a shadow get the placeholder.
//! 2. While a recording is on or a shadow is in force, `replaying::recorder` keeps the answers of the host.
//!    `calling/run.rs` joins question, surroundings, host calls and result.
//! 3. `replaying/replay.rs` repeats the call with these answers. Clock, randomness and waiting come from the recording,
//!    so the same version gives the same bytes. `difference.rs` names the first difference of another version.

mod calling;
mod check;
mod compile;
pub mod config_schema;
mod engine;
mod error;
mod fairness;
mod host;
mod host_config;
mod host_start;
mod loading;
mod plugin_ref;
mod replaying;
mod snapshot;
mod worlds;

pub use domain::world::World;
pub use plugin_bindings::patchbay::plugin::log::Level as LogLevel;

pub use crate::calling::log_line::LogLine;
pub use calling::{
    call::{CallTrace, ChatbotOutcome, FallbackOutcome, PluginCall, PluginOutcome, RouterOutcome},
    conclude::unquoted_output,
    conversation_facts::{ConversationAnswer, ConversationQuestion},
    file_part::{FileAnswer, FilePart},
    grants::{AllowedHost, EVERY_HOST, hosts_not_allowed},
    hints::remove_hints,
    http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp},
    http_limits::{HttpLimitFault, HttpLimits},
    key_values::{KeyValueError, KeyValueSnapshot, KeyValueWrite, KeysWanted, NoKeyValues, Scope},
    limits::{CallLimits, ExceededLimit},
    randomness::CallSeed,
    secrets::{SEALED, SecretOpener, replace_sealed, sealed},
    started_requests::StartedRequest,
    written_file::{WrittenFile, unknown_attachment, written_file_index},
};
pub use check::{CheckReport, SNAPSHOT_NOTE, check, component_notes, sha256, snapshot_note};
pub use compile::{Compiler, check_apart, compile_child};
pub use error::{CallError, HostError};
pub use fairness::{
    breaker::{SuspendedPlugin, SuspensionChange},
    call_limiter::ShadowPlace,
    turns::{QueueFull, Turn, TurnTerms, Turns},
};
pub use host::PluginHost;
pub use host_config::HostConfig;
pub use loading::{
    built_in_components::{built_in_component, built_in_name},
    component_source::ComponentSource,
    examine::{ComponentFacts, ComponentRefusal, ConfigFinding},
    registry::{PluginInfo, ProgramSource, ProgramState},
};
pub use plugin_ref::{PLUGIN_NAME_RULE, PluginRef, is_plugin_name};
pub use replaying::{
    recorded_limits::RecordedLimits,
    recording::{HostCall, HttpAnswer, KvAnswer, Recording},
    replay::CallReplay,
};
pub use snapshot::{SnapshotRefusal, snapshot};
pub use worlds::{
    answer::sms_router::MOST_MESSAGES as MOST_SMS_AT_ONCE,
    attribute_value::{domain_value, plugin_value},
    channel::plugin_channel,
    json::{self, DryAnswer},
    wall_clock::{Zone, unix_millis},
    world_question::{DryResult, WorldQuestion},
};

pub mod chatbot {
    pub use plugin_bindings::exports::patchbay::plugin::bot::{
        Action, Attribute, AttributeChange, AttributeValue, Button, CustomEvent, Event, EventKind, HandOver,
        HttpFinished, HttpOutcome, ListRow, ListSection, Rating, RatingScore, ReplyButtons, ReplyList, ReplyLocation,
        ReplyMedia, ReplyTemplate, ReplyText, ScheduledTemplate, Session, TemplateHeader, Timer,
    };
    pub use plugin_bindings::patchbay::plugin::conversation::{Author, PastMessage, RunningTimer};
    pub use plugin_bindings::patchbay::plugin::http::{Error as HttpError, Response as HttpReply};
    pub use plugin_bindings::patchbay::plugin::types::{
        Channel, Choice, ChoiceSource, Content, Customer, Error, IncomingMessage, LocalTime, Location, Media,
        MediaKind, Metadata, QuotedMessage, Reaction, TemplateReference, Weekday,
    };
}

pub mod sms_fallback {
    pub use plugin_bindings::exports::patchbay::plugin::fallback::{Decision, RequestedFallback, Sms, Undeliverable};
    pub use plugin_bindings::patchbay::plugin::types::{Error, LocalTime, Metadata};
}

/// Types of world `webhook-shaper`, and [`partner_event`](webhook_shaper::partner_event).
pub mod webhook_shaper {
    pub use crate::worlds::{partner_event, shaped_body::ShapedBody};
    pub use plugin_bindings::exports::patchbay::plugin::shaper::{
        Agent, ChatbotEvent, ChatbotSettings, Direction, IncomingMessageEvent, OtherEvent, PartnerEvent,
        SessionStatusEvent, StatusEvent, Team, WebhookEvent,
    };
    pub use plugin_bindings::patchbay::plugin::types::{Channel, Error, Metadata};
}

pub mod router {
    pub use plugin_bindings::exports::patchbay::plugin::routing::{Decision as Route, Inbound, Target};
    pub use plugin_bindings::patchbay::plugin::types::{
        Channel, Content, Customer, Error, IncomingMessage, LocalTime, Metadata, TemplateReference,
    };
}

pub mod sms_router {
    pub use plugin_bindings::exports::patchbay::plugin::sms_routing::{Change, Decision, Direction, Sms};
    pub use plugin_bindings::patchbay::plugin::types::{Error, Metadata};
}
