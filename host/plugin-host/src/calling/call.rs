//! What goes into a call beside its question, and what comes out beside its answer.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::ids::ClientId;

use crate::{KeyValueWrite, LogLevel, PluginRef, Recording, chatbot, router};

/// Who calls what, and the surroundings that the plugin sees. The same call gives the same answer.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The client that the call is made for; calls at once are limited per client.
    pub client: ClientId,
    /// Which plugin.
    pub plugin: &'a PluginRef,
    /// The moment that the plugin's clocks show.
    pub now: DateTime<Utc>,
    /// Where the plugin's randomness begins.
    pub seed: u64,
    /// The plugin's configuration, a JSON text.
    pub config: &'a str,
    /// Names the event that the call is about: the same in every repetition of the call. Outgoing requests carry
    /// `{turn}-{n}` as their idempotency key.
    pub turn: &'a str,
    /// Hosts that the plugin may send requests to: `api.example.org`, `*.example.org`, `host:port`; none when empty.
    pub allowed_hosts: &'a [String],
    /// Keep all that is needed to make the call again: [`CallTrace::recording`] is then set, however the call ends.
    pub record: bool,
}

/// What a chatbot wants done.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatbotOutcome {
    /// To be carried out in order, all or none.
    pub actions: Vec<chatbot::Action>,
    /// To be applied together with the actions.
    pub writes: Vec<KeyValueWrite>,
    /// How the call went.
    pub trace: CallTrace,
}

/// What a router decided.
#[derive(Debug, Clone, PartialEq)]
pub struct RouterOutcome {
    /// Who answers the conversation, and why.
    pub route: router::Route,
    /// To be applied together with the route.
    pub writes: Vec<KeyValueWrite>,
    /// How the call went.
    pub trace: CallTrace,
}

/// How a call went, for its author and for the record.
#[derive(Debug, Clone, PartialEq)]
pub struct CallTrace {
    /// Name of the plugin.
    pub plugin: String,
    /// Version of an uploaded plugin; of one that ships, its generation in this process, counting up with every swap.
    pub version: u64,
    /// Hash of the component, in hexadecimal.
    pub sha256: String,
    /// From the start of the instance to the answer.
    pub duration: Duration,
    /// Largest size of the linear memory.
    pub peak_memory_bytes: u64,
    /// Log lines of the plugin.
    pub logs: Vec<LogLine>,
    /// What the plugin wrote to standard output and standard error, such as the message of a panic.
    pub stderr: String,
    /// How it ended.
    pub outcome: Outcome,
    /// HTTP requests that the plugin had sent.
    pub http_requests: u32,
    /// All that is needed to make the call again, if that was asked for.
    pub recording: Option<Box<Recording>>,
}

/// One line that a plugin logged.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LogLine {
    /// How much it matters.
    pub level: LogLevel,
    /// The line.
    pub message: String,
}

impl LogLine {
    /// The level in the words of `wit/`.
    pub fn level_name(&self) -> &'static str {
        match self.level {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With an answer.
    Answered,
    /// The plugin returned an error.
    Refused,
    /// The plugin crashed.
    Trapped,
    /// Out of time.
    TimedOut,
    /// Beyond a limit.
    LimitExceeded,
    /// With an answer that breaks a rule.
    BadAnswer,
    /// The key-value store could not be read.
    KeyValuesUnavailable,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 7] = [
        Self::Answered,
        Self::Refused,
        Self::Trapped,
        Self::TimedOut,
        Self::LimitExceeded,
        Self::BadAnswer,
        Self::KeyValuesUnavailable,
    ];

    /// A stable word, for metrics and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Trapped => "trapped",
            Self::TimedOut => "timed-out",
            Self::LimitExceeded => "limit-exceeded",
            Self::BadAnswer => "bad-answer",
            Self::KeyValuesUnavailable => "key-values-unavailable",
        }
    }
}
