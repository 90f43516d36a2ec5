//! Errors of calls and of the start of the host.

use std::{path::PathBuf, time::Duration};

use chrono::{DateTime, Utc};

use crate::fairness::breaker::CallVerdict;
use crate::{CallTrace, ExceededLimit, KeyValueError, PluginOutcome, World, chatbot};

/// Why a call gave no answer. The call has had no effect.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error(
        "there is no working plugin named `{plugin}`; `plugins()` lists those that are loaded and why others are not"
    )]
    NotFound {
        /// The requested name.
        plugin: String,
    },
    /// An uploaded version that can never be loaded.
    #[error("plugin `{plugin}` cannot be loaded: {reason}; upload it again")]
    Unloadable {
        plugin: String,
        /// The fault, in words.
        reason: String,
    },
    /// An uploaded version that cannot be loaded now. Try again later.
    #[error("plugin `{plugin}` cannot be loaded at the moment: {reason}")]
    Unavailable {
        plugin: String,
        reason: String,
        /// Whether the component could not be read from its store.
        unread: bool,
    },
    #[error("plugin `{plugin}` is a {found}, not a {expected}")]
    WrongWorld {
        plugin: String,
        /// The world of the question.
        expected: World,
        found: World,
    },
    /// The plugin failed too often for this client and is suspended.
    #[error(
        "plugin `{plugin}` is suspended until {until}, because it failed too often; fix it, or activate another version"
    )]
    Suspended {
        plugin: String,
        /// When the next call decides about the suspension, by the clock of the call.
        until: DateTime<Utc>,
    },
    /// The recorded call cannot be replayed.
    #[error("the recording cannot be read: {reason}")]
    BadRecording {
        /// The fault, in words.
        reason: String,
    },
    /// No place became free in time. Try again later.
    #[error("too many calls at once: plugin `{plugin}` found no free place in time; try again later")]
    TooBusy {
        /// Name of the plugin.
        plugin: String,
    },
    #[error("the plugin returned the error `{}`: {}", error.code, error.message)]
    Refused {
        /// The error that the plugin returned.
        error: chatbot::Error,
        trace: Box<CallTrace>,
    },
    #[error("the plugin crashed: {reason}")]
    Trap {
        /// The cause, in words for the author.
        reason: String,
        trace: Box<CallTrace>,
    },
    #[error("the plugin did not answer within {} ms", after.as_millis())]
    TimedOut {
        /// How long the host waited.
        after: Duration,
        trace: Box<CallTrace>,
    },
    #[error("the plugin exceeded its limit of {which}")]
    LimitExceeded {
        /// The exceeded limit.
        which: ExceededLimit,
        trace: Box<CallTrace>,
    },
    /// The answer of the plugin breaks a rule.
    #[error("the plugin's answer cannot be used: {reason}")]
    BadAnswer {
        /// The fault, with the part that has it.
        reason: String,
        trace: Box<CallTrace>,
    },
    /// The store of key-values or of files could not be read. The plugin is not to blame; try again.
    #[error("{source}")]
    KeyValues {
        /// The error of the store.
        source: KeyValueError,
        trace: Box<CallTrace>,
    },
}

impl CallError {
    /// How the call counts for the suspension of its plugin.
    pub(crate) fn verdict(&self) -> CallVerdict {
        match self {
            Self::Refused { .. } => CallVerdict::Well,
            Self::Trap { .. } | Self::TimedOut { .. } | Self::LimitExceeded { .. } | Self::BadAnswer { .. } => {
                CallVerdict::Failed
            }
            _ => CallVerdict::Nothing,
        }
    }

    /// The same failure, if the host has no fault. Otherwise the fault is the cause of a call that began and failed.
    pub(crate) fn caused_by(self, fault: Option<KeyValueError>) -> Self {
        let Some(source) = fault else { return self };
        let mut trace = match self {
            Self::Refused { trace, .. }
            | Self::Trap { trace, .. }
            | Self::TimedOut { trace, .. }
            | Self::LimitExceeded { trace, .. }
            | Self::BadAnswer { trace, .. } => trace,
            error => return error,
        };
        trace.outcome = PluginOutcome::KeyValuesUnavailable;
        Self::KeyValues { source, trace }
    }

    pub(crate) fn trace_mut(&mut self) -> Option<&mut CallTrace> {
        match self {
            Self::Refused { trace, .. }
            | Self::Trap { trace, .. }
            | Self::TimedOut { trace, .. }
            | Self::LimitExceeded { trace, .. }
            | Self::BadAnswer { trace, .. }
            | Self::KeyValues { trace, .. } => Some(trace),
            _ => None,
        }
    }

    /// The trace, if the call began.
    pub fn trace(&self) -> Option<&CallTrace> {
        match self {
            Self::NotFound { .. }
            | Self::Unloadable { .. }
            | Self::Unavailable { .. }
            | Self::WrongWorld { .. }
            | Self::Suspended { .. }
            | Self::BadRecording { .. }
            | Self::TooBusy { .. } => None,
            Self::Refused { trace, .. }
            | Self::Trap { trace, .. }
            | Self::TimedOut { trace, .. }
            | Self::LimitExceeded { trace, .. }
            | Self::BadAnswer { trace, .. }
            | Self::KeyValues { trace, .. } => Some(trace),
        }
    }

    /// Whether the same call may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::TooBusy { .. } | Self::Unavailable { .. } | Self::TimedOut { .. } | Self::KeyValues { .. } => true,
            Self::Refused { error, .. } => error.retry,
            Self::NotFound { .. }
            | Self::Unloadable { .. }
            | Self::WrongWorld { .. }
            | Self::Suspended { .. }
            | Self::BadRecording { .. }
            | Self::Trap { .. }
            | Self::LimitExceeded { .. }
            | Self::BadAnswer { .. } => false,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The WebAssembly engine does not work on this machine.
    #[error("the WebAssembly engine could not be started")]
    Engine(#[source] wasmtime::Error),
    #[error("the cache of compiled plugins at {} cannot be used; make the directory writable", path.display())]
    Cache {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A component that ships with the program does not load.
    #[error("the built-in plugin `{name}` does not load: {problems}")]
    BuiltIn {
        name: &'static str,
        /// All faults, in words.
        problems: String,
    },
    #[error("`plugins.dir` is set to {}, which cannot be read; create the directory or clear the setting", path.display())]
    PluginsDirectory {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}
