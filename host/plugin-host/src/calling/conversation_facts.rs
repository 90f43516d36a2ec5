//! The facts of a conversation that a plugin may ask for.

use plugin_bindings::patchbay::plugin::conversation::{PastMessage, RunningTimer};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConversationQuestion {
    Tags,
    /// The last messages, at most so many.
    History(u32),
    Timers,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConversationAnswer {
    Tags(Vec<String>),
    /// Oldest first.
    History(Vec<PastMessage>),
    /// The next one first.
    Timers(Vec<RunningTimer>),
}

impl ConversationAnswer {
    /// The answer where there is no conversation, for example in a trial call.
    pub fn nothing(question: ConversationQuestion) -> Self {
        match question {
            ConversationQuestion::Tags => Self::Tags(Vec::new()),
            ConversationQuestion::History(_) => Self::History(Vec::new()),
            ConversationQuestion::Timers => Self::Timers(Vec::new()),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Tags(tags) => tags.iter().map(String::len).sum(),
            Self::History(messages) => messages.iter().map(|message| message.id.len() + message.text.len()).sum(),
            Self::Timers(timers) => timers.iter().map(|timer| timer.name.len()).sum(),
        }
    }
}
