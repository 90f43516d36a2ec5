use std::{fmt, time::Duration};

use chrono::TimeDelta;
use plugin_host::{
    CallError, CallTrace, LogLevel, LogLine,
    chatbot::{Action, AttributeValue, EventKind},
    unquoted_output,
};

use super::{attributes, bot_message::BotMessage, time::format_span};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HostEffect {
    Said(Box<BotMessage>),
    State(String),
    Timer {
        name: String,
        seconds: u32,
    },
    /// The message is sent when that time has passed.
    TemplateScheduled {
        name: String,
        seconds: u32,
        message: Box<BotMessage>,
    },
    TemplateCancelled(String),
    /// A timer was cancelled, or no timer had that name.
    TimerCancelled(String),
    HandedOver {
        team: Option<String>,
        note: Option<String>,
    },
    Closed,
    Tagged(String),
    Untagged(String),
    AttributeSet {
        name: String,
        /// `None`: the value is removed.
        value: Option<AttributeValue>,
    },
    Typing,
    ReadMarked,
    Reacted {
        message: String,
        /// Empty: the reaction is taken back.
        emoji: String,
    },
    RatingAsked,
    /// An action that hosts of this version ignore.
    LeftOut(String),
}

impl HostEffect {
    /// The effect of an action, without regard to the conversation. `None` if hosts of this version ignore it.
    pub(crate) fn of(action: &Action) -> Option<Self> {
        if let Some(said) = BotMessage::of(action) {
            return Some(match action {
                Action::RequestRating => Self::RatingAsked,
                _ => Self::Said(Box::new(said)),
            });
        }
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Some(match action {
            Action::SetState(state) => Self::State(state.clone()),
            Action::StartTimer(timer) => Self::Timer { name: timer.name.clone(), seconds: timer.after_seconds },
            Action::CancelTimer(name) => Self::TimerCancelled(name.clone()),
            Action::ScheduleTemplate(later) => Self::TemplateScheduled {
                name: later.name.clone(),
                seconds: later.after_seconds,
                message: Box::new(BotMessage::of_template(&later.template)),
            },
            Action::CancelTemplate(name) => Self::TemplateCancelled(name.clone()),
            Action::HandOver(to) => Self::HandedOver { team: given(&to.team), note: given(&to.note) },
            Action::Close => Self::Closed,
            Action::AddTag(tag) => Self::Tagged(tag.clone()),
            Action::RemoveTag(tag) => Self::Untagged(tag.clone()),
            Action::SetAttribute(change) => {
                Self::AttributeSet { name: change.name.clone(), value: change.value.clone() }
            }
            Action::Typing => Self::Typing,
            Action::MarkRead => Self::ReadMarked,
            Action::React(reaction) => Self::Reacted {
                message: reaction.message_id.clone(),
                emoji: reaction.emoji.clone().unwrap_or_default(),
            },
            Action::Custom(text) => Self::LeftOut(text.clone()),
            _ => return None,
        })
    }

    pub(crate) fn words(&self) -> String {
        match self {
            Self::Said(said) => format!("bot: {}", said.show(true).replace('\n', "\n     ")),
            Self::State(state) => format!("  (state: {state})"),
            Self::Timer { name, seconds } => {
                format!("  (timer `{name}` in {})", format_span(TimeDelta::seconds(i64::from(*seconds))))
            }
            Self::HandedOver { team, note } => {
                let team = team.as_deref().unwrap_or("the unassigned queue");
                let note = note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
                format!("  (handed over to {team}{note})")
            }
            Self::Closed => "  (closed; the next message opens the conversation again)".to_owned(),
            Self::TemplateScheduled { name, seconds, message } => {
                let after = format_span(TimeDelta::seconds(i64::from(*seconds)));
                format!("  (template `{name}` in {after}: {})", message.show(false))
            }
            Self::TemplateCancelled(name) => format!("  (no template {name} waits any more)"),
            Self::TimerCancelled(name) => format!("  (no timer {name} any more)"),
            Self::Tagged(tag) => format!("  (tagged {tag})"),
            Self::Untagged(tag) => format!("  (no longer tagged {tag})"),
            Self::AttributeSet { name, value: Some(value) } => {
                format!("  (attribute {name}: {})", attributes::shown(value))
            }
            Self::AttributeSet { name, value: None } => format!("  (attribute {name} has no value any more)"),
            Self::Typing => "  (the bot is typing)".to_owned(),
            Self::ReadMarked => "  (marked as read)".to_owned(),
            Self::Reacted { emoji, .. } if emoji.is_empty() => "  (the bot takes its reaction back)".to_owned(),
            Self::Reacted { emoji, .. } => format!("  (the bot reacts with {emoji})"),
            Self::RatingAsked => "bot: How was our service?  (/rate poor, average or excellent)".to_owned(),
            Self::LeftOut(text) => format!("  (left out, hosts do not know this action or cannot read it: {text})"),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct LocalTurn {
    pub(crate) event: String,
    /// The event that the bot got. `None`: a template was sent, or the clock stopped.
    pub(crate) delivered: Option<EventKind>,
    pub(crate) effects: Vec<HostEffect>,
    /// The jobs of requests that the bot started, each with the request as method and address.
    pub(crate) started: Vec<(String, String)>,
    pub(crate) failure: Option<TurnFailure>,
    pub(crate) notes: CallNotes,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct CallNotes {
    pub(crate) logs: Vec<LogLine>,
    /// Standard output and standard error.
    pub(crate) stderr: String,
    pub(crate) duration: Duration,
    pub(crate) cost: Cost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    pub processor_time: Duration,
    /// Largest memory of one call, in bytes.
    pub memory_bytes: u64,
}

impl Cost {
    pub(crate) fn add(&mut self, later: Self) {
        self.processor_time += later.processor_time;
        self.memory_bytes = self.memory_bytes.max(later.memory_bytes);
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.processor_time.as_micros();
        let memory = crate::server::size(self.memory_bytes);
        write!(f, "{}.{:03} ms of processor time, {memory} of memory", micros / 1_000, micros % 1_000)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnFailure {
    pub(crate) code: Option<String>,
    pub(crate) reason: String,
    /// The host's reaction.
    pub(crate) then: String,
}

impl CallNotes {
    pub(crate) fn of(trace: &CallTrace) -> Self {
        let cost = Cost { processor_time: trace.processor_time, memory_bytes: trace.peak_memory_bytes };
        Self { logs: trace.logs.clone(), stderr: trace.printed(), duration: trace.duration, cost }
    }

    /// From the trace of a failed call, if it began. Output that the error quotes is left out.
    pub(crate) fn of_error(error: &CallError) -> Self {
        let Some(trace) = error.trace() else { return Self::default() };
        let notes = Self::of(trace);
        Self { stderr: unquoted_output(&notes.stderr, &error.to_string()), ..notes }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let logs = self.logs.iter().map(|line| format!("log {}: {}", level(line.level), line.message));
        logs.chain(self.stderr.lines().map(|line| format!("stderr: {line}"))).collect()
    }

    /// Adds a line for the author, as a server does.
    pub(crate) fn warn(&mut self, message: String) {
        self.logs.push(LogLine { level: LogLevel::Warn, message });
    }

    pub(crate) fn add(&mut self, later: &Self) {
        self.logs.extend(later.logs.iter().cloned());
        self.stderr.push_str(&later.stderr);
        self.duration += later.duration;
        self.cost.add(later.cost);
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

/// The name of an event in the output.
pub(crate) fn event_label(kind: &EventKind) -> String {
    match kind {
        EventKind::Message(_) => "message".to_owned(),
        EventKind::Timer(name) => format!("timer `{name}`"),
        EventKind::ConversationStarted => "conversation started".to_owned(),
        EventKind::AgentReleased => "agent released".to_owned(),
        EventKind::Rating(_) => "rating".to_owned(),
        EventKind::HttpFinished(_) => "finished request".to_owned(),
        EventKind::Custom(custom) => format!("event `{}`", custom.name),
    }
}
