//! Why a call gave no answer, and why the host did not start.

use std::{path::PathBuf, time::Duration};

use chrono::{DateTime, Utc};

use crate::fairness::breaker::Verdict;
use crate::{CallTrace, KeyValueError, Limit, World, chatbot};

/// Why a call gave no answer. Nothing of the call has taken effect.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No usable plugin of this name.
    #[error(
        "there is no working plugin named `{plugin}`; `plugins()` lists those that are loaded and why others are not"
    )]
    NotFound {
        /// The name that was asked for.
        plugin: String,
    },
    /// An uploaded version that cannot be loaded, and will not be the next time.
    #[error("plugin `{plugin}` cannot be loaded: {reason}; upload it again")]
    Unloadable {
        /// Name of the plugin.
        plugin: String,
        /// In words.
        reason: String,
    },
    /// An uploaded version that cannot be loaded now. Try again later.
    #[error("plugin `{plugin}` cannot be loaded at the moment: {reason}")]
    Unavailable {
        /// Name of the plugin.
        plugin: String,
        /// In words.
        reason: String,
        /// It could not be read from where it is kept.
        unread: bool,
    },
    /// The plugin is of another kind.
    #[error("plugin `{plugin}` is a {found}, not a {expected}")]
    WrongWorld {
        /// Name of the plugin.
        plugin: String,
        /// The world of the question.
        expected: World,
        /// The world of the plugin.
        found: World,
    },
    /// It failed too often for this client, and is not called for a while.
    #[error(
        "plugin `{plugin}` is suspended until {until}, because it failed too often; fix it, or activate another version"
    )]
    Suspended {
        /// Name of the plugin.
        plugin: String,
        /// When the next call decides whether it is called again, on the clock of the call.
        until: DateTime<Utc>,
    },
    /// A recorded call that cannot be made again.
    #[error("the recording cannot be read: {reason}")]
    BadRecording {
        /// In words.
        reason: String,
    },
    /// No free place in time. Try again later.
    #[error("too many calls at once: plugin `{plugin}` found no free place in time; try again later")]
    TooBusy {
        /// Name of the plugin.
        plugin: String,
    },
    /// The plugin returned an error.
    #[error("the plugin returned the error `{}`: {}", error.code, error.message)]
    Refused {
        /// What it returned.
        error: chatbot::Error,
        /// How the call went.
        trace: Box<CallTrace>,
    },
    /// The plugin crashed.
    #[error("the plugin crashed: {reason}")]
    Trap {
        /// In words.
        reason: String,
        /// How the call went.
        trace: Box<CallTrace>,
    },
    /// The plugin did not answer in time.
    #[error("the plugin did not answer within {} ms", after.as_millis())]
    TimedOut {
        /// How long the host waited.
        after: Duration,
        /// How the call went.
        trace: Box<CallTrace>,
    },
    /// The plugin went beyond a limit.
    #[error("the plugin went beyond its limit of {which}")]
    LimitExceeded {
        /// The limit.
        which: Limit,
        /// How the call went.
        trace: Box<CallTrace>,
    },
    /// The plugin answered something that cannot be carried out.
    #[error("the plugin's answer cannot be used: {reason}")]
    BadAnswer {
        /// What is wrong with it, naming the part.
        reason: String,
        /// How the call went.
        trace: Box<CallTrace>,
    },
    /// The key-value store could not be read. The plugin is not to blame; try again.
    #[error("{source}")]
    KeyValues {
        /// What the store said.
        source: KeyValueError,
        /// How the call went.
        trace: Box<CallTrace>,
    },
}

impl CallError {
    /// How the call counts against its plugin.
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self::Refused { .. } => Verdict::Well,
            Self::Trap { .. } | Self::TimedOut { .. } | Self::LimitExceeded { .. } | Self::BadAnswer { .. } => {
                Verdict::Failed
            }
            _ => Verdict::Nothing,
        }
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

    /// How the call went, if it began.
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

    /// Whether the same call may well succeed a little later.
    pub fn worth_retrying(&self) -> bool {
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

/// Why the host did not start.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The WebAssembly engine does not work on this machine.
    #[error("the WebAssembly engine could not be started")]
    Engine(#[source] wasmtime::Error),
    /// The cache directory cannot be used.
    #[error("the cache of compiled plugins at {} cannot be used; make the directory writable", path.display())]
    Cache {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A component that ships with the program does not load.
    #[error("the built-in plugin `{name}` does not load: {problems}")]
    BuiltIn {
        /// Its name.
        name: &'static str,
        /// In words.
        problems: String,
    },
    /// The watched directory is not there.
    #[error("`plugins.dir` is set to {}, which cannot be read; create the directory or clear the setting", path.display())]
    PluginsDirectory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}
