//! Changes of message counts are rows of their own, so that transactions do not wait for each other (ADR 0022).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    analytics::{CountedType, MessageCounts, counted_in},
    channel::Channel,
    delivery::DeliveryState,
    ids::MessageId,
};

use super::parts::PartOrigin;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountChanges {
    rows: BTreeMap<(DateTime<Utc>, CountedType), MessageCounts>,
}

impl CountChanges {
    /// Counts a state; `Queued` means submitted. Only messages over WhatsApp whose origin is stored count.
    pub fn add(&mut self, message: MessageId, channel: Channel, origin: Option<PartOrigin>, state: DeliveryState) {
        let Some(of) = origin.filter(|_| channel == Channel::Whatsapp).and_then(PartOrigin::counted_as) else { return };
        let mut one = MessageCounts::default();
        one.count(state);
        if !one.is_empty() {
            self.rows.entry((counted_in(message.0), of)).or_default().count(state);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn at(&self) -> Vec<DateTime<Utc>> {
        self.rows.keys().map(|(at, _)| *at).collect()
    }

    pub(super) fn types(&self) -> Vec<&'static str> {
        self.rows.keys().map(|(_, of)| of.as_str()).collect()
    }

    pub(super) fn counts(&self, of: impl Fn(&MessageCounts) -> i64) -> Vec<i32> {
        // One statement moves at most thousands of messages.
        self.rows.values().map(|counts| i32::try_from(of(counts)).unwrap_or(i32::MAX)).collect()
    }
}
