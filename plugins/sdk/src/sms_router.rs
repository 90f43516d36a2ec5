//! World `sms-router`: the types of the interface, with short ways to write decisions.

pub use crate::bindings::chatbot::patchbay::plugin::types::{Error, Metadata};
pub use crate::bindings::sms_router::exports::patchbay::plugin::sms_routing::{
    Change, Decision, Direction, Guest as SmsRouter, Sms,
};

/// A router that looks at one message at a time: `decide-sms` of [`SmsRouter`] is then `decide_each`.
pub fn decide_each(
    messages: Vec<Sms>,
    decide: impl FnMut(&Sms) -> Result<Decision, Error>,
) -> Result<Vec<Decision>, Error> {
    messages.iter().map(decide).collect()
}

impl Sms {
    /// Whether it goes to a subscriber.
    pub fn is_outgoing(&self) -> bool {
        self.direction == Direction::Outgoing
    }
}

impl Decision {
    /// The message does not go on, for this reason.
    pub fn refuse(reason: impl Into<String>) -> Self {
        Self::Refuse(reason.into())
    }
}

impl Change {
    /// Nothing changes.
    pub fn nothing() -> Self {
        Self { bind: None, source: None, priority: None, validity_seconds: None, text: None, reason: None }
    }

    /// Over the bind of this name.
    pub fn over(bind: impl Into<String>) -> Self {
        Self { bind: Some(bind.into()), ..Self::nothing() }
    }

    /// From another source.
    pub fn from(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// With a priority for the SMSC, 0 to 3.
    pub fn with_priority(mut self, priority: u8) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Valid for so many seconds.
    pub fn valid_for(mut self, seconds: u32) -> Self {
        self.validity_seconds = Some(seconds);
        self
    }

    /// With another text.
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// For this reason.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl From<Change> for Decision {
    /// It goes on as it is where nothing changes.
    fn from(change: Change) -> Self {
        if change == Change::nothing() { Self::AsIs } else { Self::Change(change) }
    }
}
