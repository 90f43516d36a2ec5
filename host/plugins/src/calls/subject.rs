//! The subject of a call.

use uuid::Uuid;

#[derive(Debug, Clone)]
pub struct CallSubject {
    /// A participant, a message or a delivery.
    pub subject: Uuid,
    /// Identifies the event. The same in every repetition.
    pub turn: String,
    /// Seed of the plugin's random numbers. The same in every repetition.
    pub seed: u64,
}

impl CallSubject {
    /// Calls about an event of `subject`.
    pub fn event(event: Uuid, subject: Uuid) -> Self {
        Self { subject, turn: event.to_string(), seed: event.as_u64_pair().1 }
    }
}
