//! The effects of a bot's turn.

use std::time::Duration;

use plugin_host::{CallError, CallTrace, LogLevel, LogLine};

use super::bot_message::BotMessage;

/// One effect of the host for the bot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// A message to the customer.
    Said(Box<BotMessage>),
    /// The state of the conversation was replaced.
    State(String),
    /// A timer was started or moved.
    Timer {
        name: String,
        /// Duration in seconds.
        seconds: u32,
    },
    /// A timer was cancelled, or no timer had that name.
    TimerCancelled(String),
    /// The conversation was handed over to agents.
    HandedOver {
        team: Option<String>,
        /// Note for the agents.
        note: Option<String>,
    },
    /// The conversation was closed.
    Closed,
    /// A tag was added to the contact.
    Tagged(String),
    /// The customer was asked for a rating.
    RatingAsked,
    /// An action that hosts of this version ignore.
    LeftOut(String),
}

/// One call of the bot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    /// The event, in a few words.
    pub(crate) event: String,
    /// In order.
    pub(crate) effects: Vec<Effect>,
    /// Why there are no effects.
    pub(crate) failure: Option<Failure>,
    /// Output for the author of the plugin.
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

/// A call without an answer.
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

    /// Adds the notes of a later call.
    pub(crate) fn add(&mut self, later: &Self) {
        self.logs.extend(later.logs.iter().cloned());
        self.stderr.push_str(&later.stderr);
        self.duration += later.duration;
    }
}

/// The name of a level.
pub(crate) fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    }
}
