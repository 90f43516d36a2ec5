//! The effects of a bot's turn.

use std::time::Duration;

use plugin_host::{CallError, CallTrace, LogLevel, LogLine};

use super::bot_message::BotMessage;

/// One effect of the host for the bot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    Said(Box<BotMessage>),
    State(String),
    Timer {
        name: String,
        /// Duration in seconds.
        seconds: u32,
    },
    /// A timer was cancelled, or no timer had that name.
    TimerCancelled(String),
    HandedOver {
        team: Option<String>,
        note: Option<String>,
    },
    Closed,
    Tagged(String),
    RatingAsked,
    /// An action that hosts of this version ignore.
    LeftOut(String),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    pub(crate) event: String,
    /// In order.
    pub(crate) effects: Vec<Effect>,
    /// Why there are no effects.
    pub(crate) failure: Option<Failure>,
    pub(crate) notes: Notes,
}

/// Output of a call for its author.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    pub(crate) logs: Vec<LogLine>,
    /// Standard output and standard error.
    pub(crate) stderr: String,
    pub(crate) duration: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The code of an error that the plugin returned.
    pub(crate) code: Option<String>,
    pub(crate) reason: String,
    /// The host's reaction.
    pub(crate) then: String,
}

impl Notes {
    pub(crate) fn of(trace: &CallTrace) -> Self {
        Self { logs: trace.logs.clone(), stderr: trace.stderr.clone(), duration: trace.duration }
    }

    /// From the trace of a failed call, if it began.
    pub(crate) fn of_error(error: &CallError) -> Self {
        error.trace().map(Self::of).unwrap_or_default()
    }

    /// Readable lines without indentation.
    pub(crate) fn lines(&self) -> Vec<String> {
        let logs = self.logs.iter().map(|line| format!("log {}: {}", level(line.level), line.message));
        logs.chain(self.stderr.lines().map(|line| format!("stderr: {line}"))).collect()
    }

    pub(crate) fn add(&mut self, later: &Self) {
        self.logs.extend(later.logs.iter().cloned());
        self.stderr.push_str(&later.stderr);
        self.duration += later.duration;
    }
}

pub(crate) fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    }
}
