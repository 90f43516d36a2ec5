//! One request in the ledger: its load, its phase, and how to end it.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Notify, time::Instant};

use super::{account::Owner, link::PeerLink, load::RequestLoad};

/// The side on which the request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Patchbay: the handler works, or has nothing to send now.
    Ours,
    /// A turn: nothing has been done yet, so it may be ended as if its peer were slow.
    Queued {
        /// Start of the wait.
        since: Instant,
    },
    /// The peer, which sends the body.
    Receiving {
        /// Start of the wait.
        since: Instant,
        /// Bytes received since then.
        moved: u64,
    },
    /// The peer, which has not taken the last part of the answer yet.
    Sending {
        /// Start of the answer.
        since: Instant,
        /// Time when the last part was sent.
        waiting: Instant,
        /// Bytes sent before the last part.
        moved: u64,
    },
}

/// The speed of a peer. A smaller value is slower.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct PeerSpeed {
    bytes_per_second: f64,
    since: Instant,
}

#[derive(Debug)]
pub(super) struct RequestEntry {
    pub owner: Owner,
    /// True if the key was looked up for this request, and not only remembered from an earlier one.
    pub is_identified: bool,
    /// The load that counts for the process.
    pub load: RequestLoad,
    /// The bytes that count in the account of its owner.
    pub of_account: u64,
    pub phase: Phase,
    /// Bytes of its answer that were sent.
    pub sent: u64,
    /// Time when its answer began.
    pub answered: Option<Instant>,
    pub link: PeerLink,
    /// Wakes the handler that reads the body or waits for a turn.
    pub ended: Arc<Notify>,
}

impl RequestEntry {
    /// The load that counts in the account of its owner.
    pub fn share(&self) -> RequestLoad {
        RequestLoad { bytes: self.of_account, ..self.load }
    }

    /// Returns the pace of a peer, if the request has waited for it or for a turn longer than `grace`.
    pub fn pace(&self, grace: Duration, now: Instant) -> Option<PeerSpeed> {
        let (since, moved) = match self.phase {
            Phase::Ours => return None,
            Phase::Queued { since } => (since, 0),
            Phase::Receiving { since, moved } => (since, moved),
            Phase::Sending { since, moved, .. } => (since, moved),
        };
        let passed = now.saturating_duration_since(since);
        #[expect(clippy::cast_precision_loss, reason = "a pace need not be exact")]
        let bytes_per_second = moved as f64 / passed.as_secs_f64();
        (passed >= grace).then_some(PeerSpeed { bytes_per_second, since })
    }

    /// True if its peer has taken nothing of the answer for `time`.
    pub fn is_stuck(&self, time: Duration, now: Instant) -> bool {
        matches!(self.phase, Phase::Sending { waiting, .. } if now.saturating_duration_since(waiting) >= time)
    }

    /// Ends the request: a handler that reads the body or waits for a turn answers at once, and an answer is cut off.
    pub fn end(&self) {
        match self.phase {
            Phase::Ours | Phase::Queued { .. } | Phase::Receiving { .. } => self.ended.notify_one(),
            Phase::Sending { .. } => self.link.cut(),
        }
    }
}
