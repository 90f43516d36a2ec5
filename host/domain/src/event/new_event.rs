//! An event before it has its number.

use chrono::{DateTime, Utc};

use super::Event;
use crate::ids::InboxId;

#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Its inbox; `None`: the client as a whole.
    pub inbox: Option<InboxId>,
    /// `domain::recipient::order_key` of the conversation: readers see the events of one key in order.
    pub order_key: i64,
    pub at: DateTime<Utc>,
    pub event: Event,
}
