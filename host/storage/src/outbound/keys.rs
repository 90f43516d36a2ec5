use domain::ids::MessageId;
use uuid::Uuid;

#[derive(Debug, Default)]
pub(super) struct LegKeys {
    pub(super) messages: Vec<Uuid>,
    pub(super) ordinals: Vec<i16>,
}

impl LegKeys {
    /// Returns the least and the greatest message, so that other partitions are not read.
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
