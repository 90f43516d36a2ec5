//! What is stored of an event until the chatbot sees it.

use domain::ids::ChatMessageId;
use serde::{Deserialize, Serialize};

/// The payload of every event that a message brought. It names the message; the rest is what was true when it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Happening {
    /// The message.
    pub(crate) message: ChatMessageId,
    /// It opened a closed conversation.
    #[serde(default)]
    pub(crate) reopened: bool,
    /// The template that the customer had been sent last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) template: Option<Template>,
    /// The team that had the chat before it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_team: Option<String>,
    /// The rating that the message is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rating: Option<String>,
}

/// A template that was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Template {
    /// The provider's template id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
}

/// The payload of a timer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimerPayload {
    /// The name that the chatbot gave it.
    pub(crate) name: String,
}

impl Happening {
    /// Kind of event: the conversation began with this message, and a router decides who answers.
    pub(crate) const ROUTE: &'static str = "ROUTE";
    /// Kind of event: the conversation began with this message, which follows as an event of its own.
    pub(crate) const STARTED: &'static str = "STARTED";
    /// Kind of event: the customer wrote.
    pub(crate) const WROTE: &'static str = "MESSAGE";
    /// Kind of event: the customer rated the conversation.
    pub(crate) const RATED: &'static str = "RATING";
}
