//! What a turn of the bot came to.

use std::time::Duration;

use plugin_host::{CallError, CallTrace, LogLevel, LogLine};

use super::bot_message::BotMessage;

/// One thing that the host did for the bot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// A message to the customer.
    Said(Box<BotMessage>),
    /// The note about where the conversation stands was replaced.
    State(String),
    /// A timer was started or moved.
    Timer {
        /// Its name.
        name: String,
        /// How long it runs, in seconds.
        seconds: u32,
    },
    /// A timer was stopped, or none of that name ran.
    TimerCancelled(String),
    /// The conversation went to people.
    HandedOver {
        /// To which team.
        team: Option<String>,
        /// What they should know.
        note: Option<String>,
    },
    /// The conversation was closed.
    Closed,
    /// The contact was tagged.
    Tagged(String),
    /// The customer was asked for a rating.
    RatingAsked,
    /// An action that hosts of this version leave out.
    LeftOut(String),
}

/// One call of the bot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    /// The event, in a few words.
    pub(crate) event: String,
    /// What was done, in order.
    pub(crate) effects: Vec<Effect>,
    /// Why nothing was done.
    pub(crate) failure: Option<Failure>,
    /// What the plugin left for its author.
    pub(crate) notes: Notes,
}

/// Log lines and what was written to standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    /// Log lines.
    pub(crate) logs: Vec<LogLine>,
    /// Standard output and standard error.
    pub(crate) stderr: String,
    /// How long the call took.
    pub(crate) duration: Duration,
}

/// A call that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The code of an error that the plugin returned.
    pub(crate) code: Option<String>,
    /// In words.
    pub(crate) reason: String,
    /// What the host does about it.
    pub(crate) then: String,
}

impl Notes {
    /// From the trace of a call.
    pub(crate) fn of(trace: &CallTrace) -> Self {
        Self { logs: trace.logs.clone(), stderr: trace.stderr.clone(), duration: trace.duration }
    }

    /// From the trace of a call that failed, if it began.
    pub(crate) fn of_error(error: &CallError) -> Self {
        error.trace().map(Self::of).unwrap_or_default()
    }

    /// Lines for people, with nothing in front.
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

/// The word of a level.
pub(crate) fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    }
}
