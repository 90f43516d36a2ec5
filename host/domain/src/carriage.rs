//! What can come of handing a message to a carrier, in words that hold for every channel.

use std::time::Duration;

use crate::inbound::ProviderFailure;

/// The carrier has the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// The provider's id of the message. Absent where parts have ids of their own and the message has none.
    pub provider_id: Option<String>,
    /// Addresses of the recipient that the provider named in its answer: a canonical phone number, a BSUID.
    pub learned: Vec<crate::address::Address>,
    /// Held back by the provider: sent or failed later.
    pub held: bool,
}

/// The carrier does not have the message, or nobody knows. Each variant says what may be done next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// Refused for good.
    #[error("refused: ({}) {}", .0.code, .0.text)]
    Rejected(ProviderFailure),
    /// The recipient is not reached on this channel: another address, or another channel, may do.
    #[error("not reached on this channel: ({}) {}", .0.code, .0.text)]
    Unreachable(ProviderFailure),
    /// Refused for now; sending again is safe. Counts against the tries of the leg.
    #[error("refused for now: ({}) {}", failure.code, failure.text)]
    Retry {
        /// Code and text.
        failure: ProviderFailure,
        /// How long the provider asks to wait.
        after: Option<Duration>,
    },
    /// Too fast for the inbox as a whole; sending again is safe. The lane slows down, and the leg loses no try.
    #[error("too fast: ({}) {}", failure.code, failure.text)]
    SlowDown {
        /// Code and text.
        failure: ProviderFailure,
        /// How long the provider asks to wait.
        after: Option<Duration>,
    },
    /// Too fast for this recipient; sending again is safe.
    #[error("too fast for this recipient: ({}) {}", .0.code, .0.text)]
    RecipientLimited(ProviderFailure),
    /// The account cannot send: the operator must act. The lane waits, and the leg loses no try.
    #[error("the account cannot send: ({}) {}", .0.code, .0.text)]
    AccountStopped(ProviderFailure),
    /// Nothing was written: sending again is safe.
    #[error("not sent: {reason}")]
    NotSent {
        /// Why, for people.
        reason: String,
        /// How long to wait before the next try; the dispatcher's own schedule when absent.
        after: Option<Duration>,
    },
    /// Written, but what became of it is not known: wait for news that carries our id (ADR 0004).
    #[error("outcome unknown: {reason}")]
    Unknown {
        /// Why, for people.
        reason: String,
    },
}

impl SendFailure {
    /// Code and text, where the provider gave them.
    pub fn failure(&self) -> Option<&ProviderFailure> {
        match self {
            Self::Rejected(failure)
            | Self::Unreachable(failure)
            | Self::RecipientLimited(failure)
            | Self::AccountStopped(failure)
            | Self::Retry { failure, .. }
            | Self::SlowDown { failure, .. } => Some(failure),
            Self::NotSent { .. } | Self::Unknown { .. } => None,
        }
    }
}
