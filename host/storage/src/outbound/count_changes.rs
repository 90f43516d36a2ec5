//! Changes of counts of messages on their way into a statement that moves messages. They are rows of their own: whoever moves
//! messages of the same second waits for nobody (ADR 0022).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    analytics::{CountedType, MessageCounts, counted_in},
    channel::Channel,
    delivery::DeliveryState,
    ids::MessageId,
};

use super::parts::PartOrigin;

/// What a group of messages adds to the counts: one row for each second and type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountChanges {
    rows: BTreeMap<(DateTime<Utc>, CountedType), MessageCounts>,
}

impl CountChanges {
    /// A message reached a state, by that of its legs on which nothing follows over its channel; `Queued` = it was submitted.
    /// Counts are of WhatsApp, and of what is still known to have been sent by whom.
    pub fn add(&mut self, message: MessageId, channel: Channel, origin: Option<PartOrigin>, state: DeliveryState) {
        let Some(of) = origin.filter(|_| channel == Channel::Whatsapp).and_then(PartOrigin::counted_as) else { return };
        let mut one = MessageCounts::default();
        one.count(state);
        if !one.is_empty() {
            self.rows.entry((counted_in(message.0), of)).or_default().count(state);
        }
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The seconds.
    pub(super) fn at(&self) -> Vec<DateTime<Utc>> {
        self.rows.keys().map(|(at, _)| *at).collect()
    }

    /// The types.
    pub(super) fn types(&self) -> Vec<&'static str> {
        self.rows.keys().map(|(_, of)| of.as_str()).collect()
    }

    /// One of the counts.
    pub(super) fn counts(&self, of: impl Fn(&MessageCounts) -> i64) -> Vec<i32> {
        // One statement moves thousands of messages at most.
        self.rows.values().map(|counts| i32::try_from(of(counts)).unwrap_or(i32::MAX)).collect()
    }
}
