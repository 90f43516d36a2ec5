//! One request in the ledger: what it holds, whose turn it is, and how to end it.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Notify, time::Instant};

use super::{
    account::{Load, Owner},
    link::PeerLink,
};

/// A request is not ended in favour of another one of its source before it has waited this long for its peer.
pub(super) const GRACE: Duration = Duration::from_secs(1);
/// The same in favour of other sources and clients. It must be short: attackers open new connections as fast as old ones are ended,
/// and if all requests in flight were in their time of grace, a newcomer would be refused. It is long enough for a body that is sent
/// with its head.
pub(super) const GRACE_OF_CROWDS: Duration = Duration::from_millis(100);

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Ours: the handler works, or has nothing to send at the moment.
    Ours,
    /// The peer sends the body.
    Receiving {
        /// Since when.
        since: Instant,
        /// Bytes that have come.
        moved: u64,
    },
    /// The peer has not yet taken the part of the answer that was handed out last.
    Sending {
        /// Since when the answer is on its way.
        since: Instant,
        /// Since when the last part is.
        waiting: Instant,
        /// Bytes that were handed out before it.
        moved: u64,
    },
}

/// How slow a peer is: smaller is slower.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Pace {
    bytes_per_second: f64,
    since: Instant,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub owner: Owner,
    /// Whether its client is known, and not only its key from another request.
    pub is_identified: bool,
    /// Counted in the sums of the process.
    pub load: Load,
    /// Bytes of them that count in the account of its owner.
    pub of_account: u64,
    pub phase: Phase,
    /// Bytes of its answer that were handed out.
    pub sent: u64,
    /// When the first of them were.
    pub answered: Option<Instant>,
    pub link: PeerLink,
    /// Wakes the handler that reads the body.
    pub ended: Arc<Notify>,
}

impl Entry {
    /// Counted in the account of its owner.
    pub fn share(&self) -> Load {
        Load { requests: self.load.requests, bytes: self.of_account }
    }

    /// The pace of a peer that has been waited for longer than `grace`. `None` while it is our turn.
    pub fn pace(&self, grace: Duration, now: Instant) -> Option<Pace> {
        let (since, moved) = match self.phase {
            Phase::Ours => return None,
            Phase::Receiving { since, moved } => (since, moved),
            Phase::Sending { since, moved, .. } => (since, moved),
        };
        let passed = now.saturating_duration_since(since);
        #[expect(clippy::cast_precision_loss, reason = "a pace need not be exact")]
        let bytes_per_second = moved as f64 / passed.as_secs_f64();
        (passed >= grace).then_some(Pace { bytes_per_second, since })
    }

    /// Whether its peer has taken nothing of the answer for `time`.
    pub fn is_stuck(&self, time: Duration, now: Instant) -> bool {
        matches!(self.phase, Phase::Sending { waiting, .. } if now.saturating_duration_since(waiting) >= time)
    }

    /// Ends it: a handler that reads the body answers at once, an answer is cut off.
    pub fn end(&self) {
        match self.phase {
            Phase::Ours | Phase::Receiving { .. } => self.ended.notify_one(),
            Phase::Sending { .. } => self.link.cut(),
        }
    }
}
