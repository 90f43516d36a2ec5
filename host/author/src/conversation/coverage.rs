//! The parts of a bot that its conversations reach: kinds of events, buttons, timers and started requests. A bot is a
//! compiled component, so branches inside it are not seen.

use std::collections::{BTreeMap, BTreeSet};

use plugin_host::chatbot::{Content, EventKind, HttpError, HttpOutcome};

use crate::local_run::{
    bot_message::BotChoice,
    effects::{HostEffect, LocalTurn},
};

/// The most buttons, timers or requests that a line names. It has the number of the others.
const SHOWN: usize = 20;

/// The coverage of all conversations of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    inputs: BTreeSet<TestedInput>,
    /// Titles and ids of offered buttons and list entries. True: tapped.
    choices: BTreeMap<(String, String), bool>,
    /// Names of started timers. True: fired.
    timers: BTreeMap<String, bool>,
    /// Started requests, as method and address.
    requests: BTreeMap<String, RequestEnds>,
    /// The request of each started job of the present conversation.
    jobs: BTreeMap<String, String>,
}

/// The outcomes of a started request that the bot received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct RequestEnds {
    ended: bool,
    /// Without a response.
    failed: bool,
    timed_out: bool,
}

/// A kind of input that a test can give to a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TestedInput {
    Text,
    File,
    Location,
    Reaction,
    Contact,
    Other,
    Rating,
    AgentReleased,
    Custom,
}

impl TestedInput {
    const ALL: [Self; 9] = [
        Self::Text,
        Self::File,
        Self::Location,
        Self::Reaction,
        Self::Contact,
        Self::Other,
        Self::Rating,
        Self::AgentReleased,
        Self::Custom,
    ];

    /// `None` for buttons, timers and started requests, which are listed by name, and for the start of a conversation,
    /// which no test can leave out.
    fn of(kind: &EventKind) -> Option<Self> {
        match kind {
            EventKind::Message(message) => match &message.content {
                Content::Text(_) => Some(Self::Text),
                Content::Media(_) => Some(Self::File),
                Content::Location(_) => Some(Self::Location),
                Content::Reaction(_) => Some(Self::Reaction),
                Content::Contact(_) => Some(Self::Contact),
                Content::Other(_) => Some(Self::Other),
                Content::Choice(_) => None,
            },
            EventKind::Rating(_) => Some(Self::Rating),
            EventKind::AgentReleased => Some(Self::AgentReleased),
            EventKind::Custom(_) => Some(Self::Custom),
            EventKind::Timer(_) | EventKind::ConversationStarted | EventKind::HttpFinished(_) => None,
        }
    }

    /// The step that gives it.
    fn step(self) -> &'static str {
        match self {
            Self::Text => "customer: TEXT",
            Self::File => "customer: {image: ..}",
            Self::Location => "customer: {location: ..}",
            Self::Reaction => "customer: {reaction: ..}",
            Self::Contact => "customer: {contact: ..}",
            Self::Other => "customer: {unsupported: ..}",
            Self::Rating => "rating: ..",
            Self::AgentReleased => "agent: releases",
            Self::Custom => "event: ..",
        }
    }
}

impl Coverage {
    pub(super) fn note_turn(&mut self, turn: &LocalTurn) {
        if let Some(kind) = &turn.delivered {
            self.inputs.extend(TestedInput::of(kind));
            match kind {
                EventKind::Timer(name) => {
                    self.timers.insert(name.clone(), true);
                }
                EventKind::HttpFinished(finished) => self.note_end(&finished.job, &finished.outcome),
                _ => {}
            }
        }
        for (job, request) in &turn.started {
            self.requests.entry(request.clone()).or_default();
            self.jobs.insert(job.clone(), request.clone());
        }
        for effect in &turn.effects {
            match effect {
                HostEffect::Said(said) => said.options.iter().for_each(|choice| {
                    self.choices.entry(key(choice)).or_default();
                }),
                HostEffect::Timer { name, .. } => {
                    self.timers.entry(name.clone()).or_default();
                }
                _ => {}
            }
        }
    }

    fn note_end(&mut self, job: &str, outcome: &HttpOutcome) {
        let Some(request) = self.jobs.remove(job) else { return };
        let ends = self.requests.entry(request).or_default();
        ends.ended = true;
        ends.failed |= matches!(outcome, HttpOutcome::Failed(_));
        ends.timed_out |= matches!(outcome, HttpOutcome::Failed(HttpError::TimedOut));
    }

    pub(super) fn note_tap(&mut self, choice: &BotChoice) {
        self.choices.insert(key(choice), true);
    }

    /// The parts that no conversation has reached, a line for each kind. Empty if the run had no conversation.
    pub fn gaps(&self) -> Vec<String> {
        if self.inputs.is_empty() {
            return vec![];
        }
        let choices = self.choices.iter().filter(|(_, tapped)| !**tapped);
        let choices =
            choices.map(|((title, id), _)| if title == id { title.clone() } else { format!("{title} [{id}]") });
        let timers = self.timers.iter().filter(|(_, fired)| !**fired).map(|(name, _)| name.clone());
        let inputs = TestedInput::ALL.into_iter().filter(|input| !self.inputs.contains(input));
        let lines = [
            line("buttons and list entries that no test taps", choices.collect()),
            line("timers that fire in no test", timers.collect()),
            line("started requests that end in no test", self.requests_that(|ends| !ends.ended)),
            line("started requests that fail in no test", self.requests_that(|ends| ends.ended && !ends.failed)),
            line(
                "started requests whose deadline passes in no test",
                self.requests_that(|ends| ends.ended && !ends.timed_out),
            ),
            line("steps that no test has", inputs.map(|input| format!("`{}`", input.step())).collect()),
        ];
        lines.into_iter().flatten().collect()
    }

    fn requests_that(&self, is_gap: impl Fn(&RequestEnds) -> bool) -> Vec<String> {
        let found = self.requests.iter().filter(|(_, ends)| is_gap(ends));
        found.map(|(request, _)| request.clone()).collect()
    }
}

fn key(choice: &BotChoice) -> (String, String) {
    (choice.title.clone(), choice.id.clone())
}

fn line(title: &str, mut names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| format!("{title}: {}", names.join(", ")))
}
