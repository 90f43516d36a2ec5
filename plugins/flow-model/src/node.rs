use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::text::FlowText;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// Sends a text or a file.
    Message,
    /// Shows options and waits for a choice.
    Menu,
    /// Asks and waits for an answer.
    Question,
    /// Chooses the way by the first case that is true.
    Condition,
    /// Sends an HTTP request and takes attributes from the response.
    Http,
    /// Sets attributes of the flow and of the contact, and tags.
    Set,
    /// Waits for a time.
    Wait,
    /// Hands over to agents.
    HandOver,
    /// Closes the conversation.
    Close,
}

impl NodeKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Menu => "menu",
            Self::Question => "question",
            Self::Condition => "condition",
            Self::Http => "http",
            Self::Set => "set",
            Self::Wait => "wait",
            Self::HandOver => "hand-over",
            Self::Close => "close",
        }
    }

    /// Whether the conversation stays at such a node until something happens.
    pub const fn waits(self) -> bool {
        matches!(self, Self::Menu | Self::Question | Self::Wait)
    }

    /// Whether such a node needs input of the customer.
    pub const fn asks(self) -> bool {
        matches!(self, Self::Menu | Self::Question)
    }

    /// Whether the bot's part of the conversation ends at such a node.
    pub const fn ends(self) -> bool {
        matches!(self, Self::HandOver | Self::Close)
    }
}

/// A node of any kind. Each kind has some of the fields; `check` names a field of another kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlowNode {
    #[serde(rename = "type")]
    pub kind: NodeKind,
    pub text: Option<FlowText>,
    pub next: Option<String>,
    pub media: Option<NodeMedia>,
    pub options: Option<Vec<MenuOption>>,
    /// Label of the button that opens a list.
    pub label: Option<FlowText>,
    /// Attribute for the answer, or for the id of the chosen option.
    pub save: Option<String>,
    pub accept: Option<AcceptedAnswer>,
    /// Text after an answer that was not understood. If absent, `text`.
    pub retry: Option<FlowText>,
    /// Answers that are not understood before the way is `otherwise`.
    pub attempts: Option<u32>,
    pub otherwise: Option<String>,
    pub cases: Option<Vec<ConditionCase>>,
    pub method: Option<String>,
    pub url: Option<String>,
    pub headers: Option<BTreeMap<String, String>>,
    pub body: Option<Value>,
    /// Attributes from the response: JSON pointers by name.
    pub map: Option<BTreeMap<String, String>>,
    /// Ways for statuses, such as `404`.
    pub statuses: Option<BTreeMap<String, String>>,
    pub failed: Option<String>,
    pub timeout_ms: Option<u32>,
    pub set: Option<BTreeMap<String, String>>,
    /// Values of attributes of the contact, by name. An empty one removes the value.
    pub contact: Option<BTreeMap<String, String>>,
    pub tags: Option<Vec<String>>,
    pub seconds: Option<u32>,
    /// Way if the customer writes during a wait. If absent, the message has no effect.
    pub on_message: Option<String>,
    pub team: Option<String>,
    pub note: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeMedia {
    pub url: String,
    /// `image`, `video`, `audio` or `document`.
    pub kind: String,
    pub filename: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuOption {
    pub id: String,
    pub title: FlowText,
    /// Second line, in a list.
    pub description: Option<FlowText>,
    /// Words, in lower case, that choose it.
    #[serde(default)]
    pub words: Vec<String>,
    pub next: Option<String>,
}

/// The answers that a question takes.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptedAnswer {
    pub kind: AnswerKind,
    /// Least length of a text or of digits, least number, or earliest day (0 = today).
    pub min: Option<f64>,
    /// Most of the same.
    pub max: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerKind {
    Text,
    Integer,
    Number,
    /// Digits, with or without spaces and hyphens between them.
    Digits,
    Email,
    Phone,
    /// `2026-12-31`, `31.12.2026` or `31/12/2026`.
    Date,
    /// `17:30`.
    Time,
    /// A picture or another file. The attribute gets its address.
    File,
}

/// A case of a condition: one of `open`, `channel` and `attribute`, and for `attribute` one comparison.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConditionCase {
    /// Whether it is within the opening hours.
    pub open: Option<bool>,
    pub channel: Option<String>,
    pub attribute: Option<String>,
    /// Texts are compared without regard to upper and lower case.
    pub equals: Option<String>,
    pub contains: Option<String>,
    pub above: Option<f64>,
    pub below: Option<f64>,
    pub exists: Option<bool>,
    pub next: Option<String>,
}

/// A way to another node.
#[derive(Debug, Clone)]
pub(crate) struct Target<'a> {
    pub(crate) field: String,
    /// `None` = the way is missing.
    pub(crate) node: Option<&'a str>,
}

impl<'a> Target<'a> {
    pub(crate) fn new(field: String, node: &'a Option<String>) -> Self {
        Self { field, node: node.as_deref() }
    }

    pub(crate) fn to(field: String, node: &'a str) -> Self {
        Self { field, node: Some(node) }
    }
}

impl FlowNode {
    pub fn options(&self) -> &[MenuOption] {
        self.options.as_deref().unwrap_or_default()
    }

    /// The ways out of the node. A way that its kind needs and that is absent has no target.
    pub(crate) fn targets(&self) -> Vec<Target<'_>> {
        let needed = |field: &str, node| Target::new(field.to_owned(), node);
        let mut targets = match self.kind {
            NodeKind::Message | NodeKind::Question | NodeKind::Set | NodeKind::Wait => vec![needed("next", &self.next)],
            NodeKind::Http => vec![needed("next", &self.next), needed("failed", &self.failed)],
            NodeKind::Condition => vec![needed("otherwise", &self.otherwise)],
            NodeKind::Menu | NodeKind::HandOver | NodeKind::Close => vec![],
        };
        let options = self.options().iter().enumerate();
        targets.extend(options.map(|(at, option)| Target::new(format!("options/{at}/next"), &option.next)));
        let cases = self.cases.iter().flatten().enumerate();
        targets.extend(cases.map(|(at, case)| Target::new(format!("cases/{at}/next"), &case.next)));
        let statuses = self.statuses.iter().flatten();
        targets.extend(statuses.map(|(status, node)| Target::to(format!("statuses/{status}"), node)));
        let more =
            [("otherwise", &self.otherwise, self.kind != NodeKind::Condition), ("onMessage", &self.on_message, true)];
        for (field, node, is_optional) in more {
            if let (Some(node), true) = (node, is_optional) {
                targets.push(Target::to(field.to_owned(), node));
            }
        }
        targets
    }
}
