//! The configuration. Every part is optional. `config.schema.json` describes it for the host.

use patchbay_plugin_sdk::{hours::Hours, router::Target};
use serde::Deserialize;

/// Most findings that the host takes.
const MOST_FINDINGS: usize = 50;

/// The rules for destinations.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// Rules about the customer's tags. The first match decides.
    pub tags: Vec<TagRule>,
    /// Give the conversation back to the team that had it last.
    pub same_team: bool,
    /// Rules about the words of the first message. The first match decides.
    pub words: Vec<WordRule>,
    /// Destination if no rule matches. If left out, the client's default chatbot.
    pub otherwise: Destination,
    /// Opening hours of agents, in the time zone of the client. If left out, always open.
    pub hours: Option<Hours>,
    /// Destination in place of agents outside opening hours. If left out, the unassigned queue.
    pub closed: Option<Destination>,
}

/// A rule for customers with one of these tags.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagRule {
    /// Any of them matches. Case is ignored.
    pub tags: Vec<String>,
    pub to: Destination,
    /// Ignores opening hours: the conversation waits.
    #[serde(default)]
    pub always: bool,
}

/// A rule for first messages with one of these words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordRule {
    /// Any of them matches. Case is ignored. Several words in one entry must come in this order.
    pub words: Vec<String>,
    pub to: Destination,
}

/// The destination of a conversation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Destination {
    /// The client's default chatbot.
    #[default]
    DefaultBot,
    /// A chatbot, by its plugin name.
    Bot(String),
    /// A team, by name.
    Team(String),
    /// An agent, by id, or by a name or e-mail that only one agent has.
    Agent(String),
    /// The unassigned queue.
    Queue,
}

impl Settings {
    /// The faults that a schema cannot express: each a place and the fault in one sentence.
    pub fn findings(&self) -> Vec<(String, String)> {
        let mut found = self.hours.as_ref().map(|hours| hours.findings("hours")).unwrap_or_default();
        found.truncate(MOST_FINDINGS);
        found
    }
}

impl Destination {
    /// The target in the type of the host.
    pub fn target(&self) -> Target {
        match self {
            Self::DefaultBot => Target::Bot(None),
            Self::Bot(name) => Target::Bot(Some(name.clone())),
            Self::Team(name) => Target::Team(name.clone()),
            Self::Agent(id) => Target::Agent(id.clone()),
            Self::Queue => Target::Queue,
        }
    }

    /// Whether agents answer.
    pub fn is_people(&self) -> bool {
        !matches!(self, Self::DefaultBot | Self::Bot(_))
    }
}
