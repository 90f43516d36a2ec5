//! Legs as statements take them: one list of messages and one of ordinals.

use domain::ids::MessageId;
use uuid::Uuid;

/// The keys of several legs, split for `unnest`.
#[derive(Debug, Default)]
pub(super) struct LegKeys {
    /// Ids of the messages.
    pub(super) messages: Vec<Uuid>,
    /// Which leg of each.
    pub(super) ordinals: Vec<i16>,
}

impl LegKeys {
    /// The least and the greatest message: partitions that lie beside them need not be looked into.
    pub(super) fn range(&self) -> (Uuid, Uuid) {
        let least = self.messages.iter().min().copied().unwrap_or_default();
        (least, self.messages.iter().max().copied().unwrap_or_default())
    }
}

impl FromIterator<(MessageId, i16)> for LegKeys {
    fn from_iter<I: IntoIterator<Item = (MessageId, i16)>>(legs: I) -> Self {
        let (messages, ordinals) = legs.into_iter().map(|(message, ordinal)| (message.0, ordinal)).unzip();
        Self { messages, ordinals }
    }
}

impl From<&[(MessageId, i16)]> for LegKeys {
    fn from(legs: &[(MessageId, i16)]) -> Self {
        legs.iter().copied().collect()
    }
}
