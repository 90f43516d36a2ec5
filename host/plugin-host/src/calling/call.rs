//! The parameters of a call apart from its question, and its results apart from the answer.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::ids::ClientId;

use super::{
    hints::remove_hints, http_limits::HttpLimits, log_line::LogLine, randomness::CallSeed,
    started_requests::StartedRequest, written_file::WrittenFile,
};
use crate::{KeyValueWrite, PluginRef, Recording, chatbot, router, sms_fallback};

/// Caller, plugin and environment of a call. The same call gives the same answer.
#[derive(Debug, Clone, Copy)]
pub struct PluginCall<'a> {
    pub client: ClientId,
    pub plugin: &'a PluginRef,
    pub now: DateTime<Utc>,
    /// Seed of the random numbers, the same in every repetition.
    pub seed: CallSeed,
    pub config: &'a str,
    /// Identifies the event, the same in every repetition. Requests carry `{turn}-{n}` as their idempotency key.
    pub turn: &'a str,
    /// Hosts that the plugin may send requests to: `api.example.org`, `*.example.org`, `host:port`. If empty, none.
    pub allowed_hosts: &'a [String],
    pub http_limits: HttpLimits,
    /// Records the call, so that it can be replayed: [`CallTrace::recording`] is then set, for any outcome.
    pub record: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChatbotOutcome {
    pub actions: Vec<chatbot::Action>,
    /// The caller applies these together with the actions.
    pub writes: Vec<KeyValueWrite>,
    /// Requests to send once the actions have been applied.
    pub requests: Vec<StartedRequest>,
    /// Files that the call wrote. Replies name them ([`crate::written_file_index`]).
    pub files: Vec<WrittenFile>,
    pub trace: CallTrace,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RouterOutcome {
    pub route: router::Route,
    /// The caller applies these together with the route.
    pub writes: Vec<KeyValueWrite>,
    pub trace: CallTrace,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FallbackOutcome {
    pub decision: sms_fallback::Decision,
    /// The caller applies these together with the decision.
    pub writes: Vec<KeyValueWrite>,
    pub trace: CallTrace,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CallTrace {
    pub plugin: String,
    /// Version of an uploaded plugin, or the generation of a built-in one in this process.
    pub version: u64,
    pub sha256: String,
    /// From the start of the instance to the answer.
    pub duration: Duration,
    /// Processor time of the instance and of the host's work for it.
    pub processor_time: Duration,
    /// Largest size of the linear memory.
    pub peak_memory_bytes: u64,
    pub logs: Vec<LogLine>,
    /// The plugin's standard output and standard error, such as the message of a panic.
    pub stderr: String,
    pub outcome: PluginOutcome,
    /// Number of HTTP requests that were sent for the plugin.
    pub http_requests: u32,
    /// Everything needed to replay the call, if [`PluginCall::record`] was set.
    pub recording: Option<Box<Recording>>,
}

impl CallTrace {
    /// The lines of [`Self::stderr`] for its author, without hints to set a variable that a plugin cannot have.
    pub fn printed(&self) -> String {
        remove_hints(&self.stderr)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginOutcome {
    Answered,
    Refused,
    Trapped,
    TimedOut,
    LimitExceeded,
    BadAnswer,
    KeyValuesUnavailable,
}

impl PluginOutcome {
    pub const ALL: [Self; 7] = [
        Self::Answered,
        Self::Refused,
        Self::Trapped,
        Self::TimedOut,
        Self::LimitExceeded,
        Self::BadAnswer,
        Self::KeyValuesUnavailable,
    ];

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
