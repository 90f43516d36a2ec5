//! World `router`: the types of the interface, with short constructors for decisions.

pub use crate::bindings::chatbot::patchbay::plugin::types::{
    Channel, Choice, Content, Customer, Error, IncomingMessage, LocalTime, Metadata, TemplateReference, Weekday,
};
pub use crate::bindings::router::exports::patchbay::plugin::routing::{Decision, Guest as Router, Inbound, Target};

impl Decision {
    /// A decision with the reason that is stored with it.
    pub fn new(target: Target, reason: impl Into<String>) -> Self {
        Self { target, reason: reason.into(), note: None }
    }

    /// The client's default chatbot answers.
    pub fn default_bot(reason: impl Into<String>) -> Self {
        Self::new(Target::Bot(None), reason)
    }

    /// The chatbot of this name answers.
    pub fn bot(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(Target::Bot(Some(name.into())), reason)
    }

    /// The conversation waits for a team.
    pub fn team(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(Target::Team(name.into()), reason)
    }

    /// An agent answers.
    pub fn agent(id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(Target::Agent(id.into()), reason)
    }

    /// The conversation waits in the unassigned queue.
    pub fn queue(reason: impl Into<String>) -> Self {
        Self::new(Target::Queue, reason)
    }

    /// Adds a note for the agent.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl Inbound {
    /// The customer's words: the text of the message, or the title of the chosen button.
    pub fn text(&self) -> Option<&str> {
        self.message.content.text()
    }
}
