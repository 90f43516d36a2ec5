//! The delivery state machine of an outbound message and its legs (SPEC 3.2).

use serde::{Deserialize, Serialize};

/// Where a message or one of its legs stands. The order of the variants is the order of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DeliveryState {
    /// Stored, not yet taken by a provider.
    Queued,
    /// The provider has it.
    Accepted,
    /// On its way to the customer.
    Sent,
    Delivered,
    Read,
    Played,
    /// Will not arrive. Terminal; reached from queued, accepted or sent.
    Failed,
}

impl DeliveryState {
    /// All of them, in the order of progress.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Accepted, Self::Sent, Self::Delivered, Self::Read, Self::Played, Self::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Accepted => "ACCEPTED",
            Self::Sent => "SENT",
            Self::Delivered => "DELIVERED",
            Self::Read => "READ",
            Self::Played => "PLAYED",
            Self::Failed => "FAILED",
        }
    }

    /// The steps to report when a provider says `reached`, oldest first. A skipped step is filled in; no state moves
    /// back, and nothing follows a failure.
    pub fn advance(self, reached: DeliveryState) -> &'static [DeliveryState] {
        use DeliveryState::{Accepted, Delivered, Failed, Played, Queued, Read, Sent};
        const PATH: [DeliveryState; 5] = [Accepted, Sent, Delivered, Read, Played];
        const FAILED: [DeliveryState; 1] = [Failed];
        let position = |state: DeliveryState| PATH.iter().position(|step| *step == state);
        match (self, reached) {
            (Failed, _) | (_, Queued) => &[],
            (Queued | Accepted | Sent, Failed) => &FAILED,
            (_, Failed) => &[],
            (from, to) => {
                let first = position(from).map_or(0, |at| at + 1);
                let last = position(to).map_or(0, |at| at + 1);
                PATH.get(first..last).unwrap_or(&[])
            }
        }
    }

    pub fn is_failed(self) -> bool {
        self == Self::Failed
    }
}

impl std::str::FromStr for DeliveryState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|state| state.as_str() == text);
        named.ok_or_else(|| UnknownState(text.to_owned()))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("unknown delivery state `{0}`")]
pub struct UnknownState(String);

#[cfg(test)]
mod tests {
    use super::DeliveryState::*;

    #[test]
    fn a_read_receipt_without_delivery_fills_the_gap() {
        assert_eq!(Sent.advance(Read), [Delivered, Read]);
    }

    #[test]
    fn the_first_status_brings_the_acceptance_with_it() {
        assert_eq!(Queued.advance(Sent), [Accepted, Sent]);
    }

    #[test]
    fn a_state_never_moves_back() {
        assert!(Read.advance(Sent).is_empty());
        assert!(Read.advance(Read).is_empty());
        assert!(Delivered.advance(Failed).is_empty());
    }

    #[test]
    fn nothing_follows_a_failure() {
        assert_eq!(Sent.advance(Failed), [Failed]);
        assert!(Failed.advance(Delivered).is_empty());
    }
}
