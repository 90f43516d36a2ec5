//! A step of a conversation.

use chrono::{DateTime, TimeDelta, Utc};
use plugin_host::chatbot::{Content, CustomEvent, Rating};
use serde_json::Value;

use super::{expected::Expected, setup::Stored};
use crate::yaml::{Fault, Node};

/// A step and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// Line in the file.
    pub(super) line: u64,
    /// As it was written, in a few words.
    pub(super) written: String,
    /// What it does or checks.
    pub(super) kind: StepKind,
}

/// What a step does or checks.
#[derive(Debug, Clone)]
pub(super) enum StepKind {
    /// The customer sends something.
    Customer(Input),
    /// The customer rates.
    Rating(Rating),
    /// Time passes.
    Clock(ClockMove),
    /// An agent gives the conversation back.
    Released,
    /// An agent ends the conversation.
    Ended,
    /// Something else happens.
    Custom(CustomEvent),
    /// A message of the bot.
    Bot(Box<Expected>),
    /// No further message.
    BotSilent,
    /// The bot's state.
    State(Value),
    /// What is stored.
    Stored(Stored),
    /// The bot handed over.
    HandedOver {
        /// To this team, where that matters.
        team: Option<String>,
        /// With a note that holds this.
        note: Option<String>,
    },
    /// The bot closed the conversation.
    Closed,
    /// Tags that the contact has.
    Tagged(Vec<String>),
    /// The bot asked for a rating.
    RatingAsked,
    /// Timers that run.
    Timers(Vec<(String, Option<TimeDelta>)>),
    /// A call failed.
    Fails(String),
    /// A line of the log.
    Logged(String),
}

/// What a customer sends.
#[derive(Debug, Clone)]
pub(super) enum Input {
    /// Content, perhaps quoting a text.
    Content(Content, Option<String>),
    /// The button or list entry with this title or id.
    Tap(String),
}

/// How the clock moves.
#[derive(Debug, Clone, Copy)]
pub(super) enum ClockMove {
    /// By a span.
    By(TimeDelta),
    /// To a moment.
    To(DateTime<Utc>),
}

impl StepKind {
    /// Whether something happens to the bot.
    pub(super) fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Customer(_) | Self::Rating(_) | Self::Clock(_) | Self::Released | Self::Ended | Self::Custom(_)
        )
    }
}

/// Longest form of a step in a report, in characters.
const SHORT: usize = 70;

/// A step as it was written, in a few words.
pub(super) fn short(name: &str, value: &Node) -> String {
    let words = match value.text(name) {
        Ok(text) => text,
        Err(_) => value.json().to_string(),
    };
    let line = format!("{name}: {}", words.replace('\n', " "));
    match line.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(&line)),
        None => line,
    }
}

/// The only entry of a step.
pub(super) fn only_entry(node: &Node) -> Result<(&str, &Node), Fault> {
    match node.map("a step")? {
        [(name, value)] => Ok((name, value)),
        [] => Err(node.fault("this step is empty")),
        [(first, _), (second, _), ..] => {
            Err(node.fault(format!("a step does one thing; put `{first}` and `{second}` in steps of their own")))
        }
    }
}
