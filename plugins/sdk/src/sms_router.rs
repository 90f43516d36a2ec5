//! World `sms-router`: the types of the interface, with short constructors for decisions.

pub use crate::bindings::chatbot::patchbay::plugin::types::{Error, Metadata};
pub use crate::bindings::sms_router::exports::patchbay::plugin::sms_routing::{
    Change, Decision, Direction, Guest as SmsRouter, Sms,
};

/// Implements `decide-sms` of [`SmsRouter`] with a function for one message.
pub fn decide_each(
    messages: Vec<Sms>,
    decide: impl FnMut(&Sms) -> Result<Decision, Error>,
) -> Result<Vec<Decision>, Error> {
    messages.iter().map(decide).collect()
}

impl Sms {
    /// Whether the message goes to a subscriber.
    pub fn is_outgoing(&self) -> bool {
        self.direction == Direction::Outgoing
    }
}

impl Decision {
    /// Refuses the message, for this reason.
    pub fn refuse(reason: impl Into<String>) -> Self {
        Self::Refuse(reason.into())
    }
}

impl Change {
    /// Changes nothing.
    pub fn nothing() -> Self {
        Self { bind: None, source: None, priority: None, validity_seconds: None, text: None, reason: None }
    }

    /// Sends over the bind of this name.
    pub fn over(bind: impl Into<String>) -> Self {
        Self { bind: Some(bind.into()), ..Self::nothing() }
    }

    /// Replaces the source.
    pub fn from(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the priority for the SMSC, 0 to 3.
    pub fn with_priority(mut self, priority: u8) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets the validity in seconds.
    pub fn valid_for(mut self, seconds: u32) -> Self {
        self.validity_seconds = Some(seconds);
        self
    }

    /// Replaces the text.
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Adds the reason.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl From<Change> for Decision {
    /// Sends the message with this change.
    fn from(change: Change) -> Self {
        if change == Change::nothing() { Self::AsIs } else { Self::Change(change) }
    }
}
