//! The configuration, every part of which may be left out. `config.schema.json` describes it for the host.

use patchbay_plugin_sdk::{hours::Hours, router::Target};
use serde::Deserialize;

/// Who answers when.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// Rules about the customer's tags; the first that fits decides.
    pub tags: Vec<TagRule>,
    /// Give the conversation back to the team that had it last.
    pub same_team: bool,
    /// Rules about the words of the first message; the first that fits decides.
    pub words: Vec<WordRule>,
    /// Who answers when no rule fits; the client's default chatbot when left out.
    pub otherwise: Destination,
    /// When people are there, in the time zone of the client; always when left out.
    pub hours: Option<Hours>,
    /// Who answers in place of people when none are there; the unassigned queue when left out.
    pub closed: Option<Destination>,
}

/// For customers with one of these tags.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagRule {
    /// Any of them; capitals do not matter.
    pub tags: Vec<String>,
    /// Who answers.
    pub to: Destination,
    /// Also when nobody is there: the conversation waits.
    #[serde(default)]
    pub always: bool,
}

/// For first messages with one of these words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordRule {
    /// Any of them; capitals do not matter. Several words in one entry must come in this order.
    pub words: Vec<String>,
    /// Who answers.
    pub to: Destination,
}

/// Who answers.
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
    /// An agent, by id, or by a name or e-mail that only one has.
    Agent(String),
    /// The unassigned queue.
    Queue,
}

impl Destination {
    /// As the host understands it.
    pub fn target(&self) -> Target {
        match self {
            Self::DefaultBot => Target::Bot(None),
            Self::Bot(name) => Target::Bot(Some(name.clone())),
            Self::Team(name) => Target::Team(name.clone()),
            Self::Agent(id) => Target::Agent(id.clone()),
            Self::Queue => Target::Queue,
        }
    }

    /// Whether it takes people to answer.
    pub fn is_people(&self) -> bool {
        !matches!(self, Self::DefaultBot | Self::Bot(_))
    }
}
