//! The way of an answer to an SMSC: whether it was written, and whether the SMSC has read it.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// If the SMSC is heard so long after an answer was written, it has the answer: PDUs that it had sent before are read by then.
const PROOF: Duration = Duration::from_secs(2);

/// The last sign of life of an SMSC, and the end of its session. It may outlive the session.
#[derive(Debug, Clone)]
pub(crate) struct SessionLife {
    heard: Arc<Mutex<Heard>>,
    ended: CancellationToken,
}

#[derive(Debug)]
struct Heard {
    last: Instant,
    /// The SMSC has read all PDUs that were written before.
    read_until: Option<Instant>,
}

impl SessionLife {
    pub(crate) fn new(ended: CancellationToken, now: Instant) -> Self {
        Self { heard: Arc::new(Mutex::new(Heard { last: now, read_until: None })), ended }
    }

    pub(crate) fn note_heard(&self, now: Instant) {
        self.heard.lock().last = now;
    }

    /// Notes an answer of the SMSC to a request that was written at `written`.
    pub(crate) fn note_read(&self, written: Instant) {
        let mut heard = self.heard.lock();
        heard.read_until = heard.read_until.max(Some(written));
    }

    pub(crate) fn trace(&self, sequence: u32, arrived: Instant) -> AnswerTrace {
        AnswerTrace { life: self.clone(), sequence, arrived, written: Arc::default() }
    }

    fn has_read(&self, written: Instant) -> bool {
        let heard = self.heard.lock();
        heard.read_until.is_some_and(|until| until >= written) || heard.last.saturating_duration_since(written) >= PROOF
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
        self.life.ended.is_cancelled() && !self.written_at().is_some_and(|written| self.life.has_read(written))
    }
}
