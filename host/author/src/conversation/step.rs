use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use plugin_host::chatbot::{Content, CustomEvent, Rating};
use serde_json::{Map, Value};

use super::{expectation::ExpectedMessage, setup::StoredValues};
use crate::yaml::{YamlFault, YamlNode};

#[derive(Debug, Clone)]
pub(super) struct ConversationStep {
    pub(super) line: u64,
    pub(super) written: String,
    pub(super) kind: StepKind,
}

/// The place to which a bot must hand over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WantedTeam {
    Queue,
    Team(String),
}

#[derive(Debug, Clone)]
pub(super) enum StepKind {
    Customer(StepInput),
    Rating(Rating),
    Clock(ClockMove),
    Released,
    Ended,
    Custom(CustomEvent),
    Bot(Box<ExpectedMessage>),
    BotSilent,
    State(Value),
    Stored(StoredValues),
    HandedOver {
        /// `None` = anywhere.
        team: Option<WantedTeam>,
        /// Text that the note must contain, if given.
        note: Option<String>,
    },
    NotHandedOver,
    Closed(bool),
    Tagged(Vec<String>),
    NotTagged,
    /// Values by name; null: no value.
    Attributes(Map<String, Value>),
    RatingAsked(bool),
    Typing(bool),
    Reacted(String),
    Timers(Vec<(String, Option<TimeDelta>)>),
    Fails(String),
    Logged(String),
}

#[derive(Debug, Clone)]
pub(super) enum StepInput {
    Content {
        content: Content,
        quotes: Option<String>,
        /// The bytes of its file.
        file: Option<Arc<[u8]>>,
    },
    /// The button or list entry with this title or id.
    Tap(String),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ClockMove {
    By(TimeDelta),
    To(DateTime<Utc>),
}

impl StepKind {
    pub(super) fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Customer(_) | Self::Rating(_) | Self::Clock(_) | Self::Released | Self::Ended | Self::Custom(_)
        )
    }
}

const SHORT: usize = 70;

pub(super) fn short(name: &str, value: &YamlNode) -> String {
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

pub(super) fn only_entry(node: &YamlNode) -> Result<(&str, &YamlNode), YamlFault> {
    match node.map("a step")? {
        [(name, value)] => Ok((name, value)),
        [] => Err(node.fault("this step is empty")),
        [(first, _), (second, _), ..] => {
            Err(node.fault(format!("a step does one thing; put `{first}` and `{second}` in steps of their own")))
        }
    }
}
