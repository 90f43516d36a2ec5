use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::value::RawValue;

use super::Event;

/// The version of events that this program writes.
pub const VERSION: u32 = 1;

/// An event as it is stored: `{"v":1,"at":...,"event":{...}}`. An unknown version or case is an error.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    pub at: DateTime<Utc>,
    pub event: Event,
}

#[derive(Debug, Serialize)]
pub struct EventRecord<'event> {
    v: u32,
    at: DateTime<Utc>,
    event: &'event Event,
}

impl<'event> EventRecord<'event> {
    pub fn new(at: DateTime<Utc>, event: &'event Event) -> Self {
        Self { v: VERSION, at, event }
    }
}

impl<'de> Deserialize<'de> for StoredEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The event is read last: that of another version may look like anything.
        #[derive(Deserialize)]
        struct Envelope<'text> {
            v: u32,
            at: DateTime<Utc>,
            #[serde(borrow)]
            event: &'text RawValue,
        }

        let Envelope { v, at, event } = Envelope::deserialize(deserializer)?;
        if v != VERSION {
            return Err(D::Error::custom(format_args!("an event of version {v}, and this program reads {VERSION}")));
        }
        // The error must not show its content.
        let event = serde_json::from_str(event.get())
            .map_err(|error| D::Error::custom(format_args!("no event of version {v}, at column {}", error.column())))?;
        Ok(Self { at, event })
    }
}
