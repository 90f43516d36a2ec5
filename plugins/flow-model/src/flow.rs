use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    contact::FlowAttributeType,
    node::{FlowNode, Target},
};

/// A parsed flow. Its nodes are parsed one by one, when they are needed: a call enters few of them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Flow<'a> {
    #[serde(default, rename = "description")]
    _description: Option<IgnoredAny>,
    /// Codes of the languages. Empty = one language without a code. The first is that of a customer whose language is unknown.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Id of the first node of a conversation.
    pub start: String,
    #[serde(borrow)]
    pub nodes: Nodes<'a>,
    /// Names of attributes that outlive the conversation.
    #[serde(default)]
    pub kept: Vec<String>,
    /// Attributes of the contact that the flow reads or sets, with their types.
    #[serde(default)]
    pub contact_attributes: BTreeMap<String, FlowAttributeType>,
    /// Opening hours, in the time zone of the client.
    #[serde(borrow, default)]
    pub hours: Option<&'a RawValue>,
    /// Id of the node that follows when an agent gives the conversation back. `None` = `start`, with the next message.
    #[serde(default)]
    pub released: Option<String>,
    #[serde(default)]
    pub idle: Option<IdleRule>,
    #[serde(default)]
    pub commands: Vec<FlowCommand>,
    #[serde(default)]
    pub events: Vec<FlowEvent>,
    /// Values that only HTTP requests may hold, by name.
    #[serde(borrow, default)]
    pub secrets: Option<&'a RawValue>,
}

/// The way of a conversation in which the customer is silent.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IdleRule {
    pub minutes: u32,
    pub next: Option<String>,
}

/// Words that lead to a node from everywhere.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlowCommand {
    pub words: Vec<String>,
    pub next: Option<String>,
}

/// A custom event that leads to a node from everywhere.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlowEvent {
    pub name: String,
    /// Attributes from its payload: JSON pointers by name.
    #[serde(default)]
    pub map: BTreeMap<String, String>,
    pub next: Option<String>,
}

impl<'a> Flow<'a> {
    /// Parses a flow without its nodes.
    pub fn read(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub fn node(&self, id: &str) -> Option<Result<FlowNode, serde_json::Error>> {
        self.nodes.find(id).map(|node| serde_json::from_str(node.get()))
    }

    pub fn secrets(&self) -> Result<BTreeMap<String, String>, serde_json::Error> {
        self.secrets.map_or(Ok(BTreeMap::new()), |secrets| serde_json::from_str(secrets.get()))
    }

    /// The ways into the flow, apart from `start`.
    pub(crate) fn entries(&self) -> Vec<Target<'_>> {
        let mut entries = vec![];
        if let Some(released) = &self.released {
            entries.push(Target::to("released".to_owned(), released));
        }
        let idle = self.idle.iter().map(|idle| ("idle/next".to_owned(), &idle.next));
        let commands = self.commands.iter().enumerate();
        let commands = commands.map(|(at, command)| (format!("commands/{at}/next"), &command.next));
        let events = self.events.iter().enumerate();
        let events = events.map(|(at, event)| (format!("events/{at}/next"), &event.next));
        entries.extend(idle.chain(commands).chain(events).map(|(field, next)| Target::new(field, next)));
        entries
    }
}

/// Nodes by id, as text.
#[derive(Debug)]
pub struct Nodes<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'a> Nodes<'a> {
    pub fn find(&self, id: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(own, _)| *own == id).map(|(_, node)| *node)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a RawValue)> + '_ {
        self.0.iter().copied()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Nodes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NodesVisitor;

        impl<'de> Visitor<'de> for NodesVisitor {
            type Value = Nodes<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a node for each id, which has no escape sequence")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Nodes<'de>, A::Error> {
                let mut nodes = vec![];
                while let Some(node) = map.next_entry()? {
                    nodes.push(node);
                }
                Ok(Nodes(nodes))
            }
        }

        deserializer.deserialize_map(NodesVisitor)
    }
}
