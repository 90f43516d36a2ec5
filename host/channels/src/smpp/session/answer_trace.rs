//! The way of an answer to an SMSC: whether it was written, and whether the SMSC was heard after that.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// If the SMSC is heard so long after an answer was written, it has the answer. PDUs that it had sent before are read by then.
const PROOF: Duration = Duration::from_secs(2);

/// When a session last heard its SMSC, and whether it has ended. It may outlive the session.
#[derive(Debug, Clone)]
pub(crate) struct SessionLife {
    heard: Arc<Mutex<Instant>>,
    ended: CancellationToken,
}

impl SessionLife {
    pub(crate) fn new(ended: CancellationToken, now: Instant) -> Self {
        Self { heard: Arc::new(Mutex::new(now)), ended }
    }

    pub(crate) fn note_heard(&self, now: Instant) {
        *self.heard.lock() = now;
    }

    pub(crate) fn trace(&self, sequence: u32, arrived: Instant) -> AnswerTrace {
        AnswerTrace { life: self.clone(), sequence, arrived, written: Arc::default() }
    }
}

/// The answer to one request.
#[derive(Debug, Clone)]
pub(crate) struct AnswerTrace {
    life: SessionLife,
    /// Of the request.
    pub(crate) sequence: u32,
    /// When the request was read.
    pub(crate) arrived: Instant,
    written: Arc<OnceLock<Instant>>,
}

impl AnswerTrace {
    /// An answer is written once.
    pub(crate) fn note_written(&self, now: Instant) {
        let _ = self.written.set(now);
    }

    pub(crate) fn written_at(&self) -> Option<Instant> {
        self.written.get().copied()
    }

    pub(crate) fn is_of_session_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.life.heard, &other.life.heard)
    }

    /// True if the session ended and nothing shows that the SMSC has the answer.
    pub(crate) fn is_lost(&self) -> bool {
        let is_proven = |written: Instant| self.life.heard.lock().saturating_duration_since(written) >= PROOF;
        self.life.ended.is_cancelled() && !self.written_at().is_some_and(is_proven)
    }
}
