//! Requests and answers that are pending. A request is claimed when its octets are written; one that is given up before
//! is never sent.

use std::{collections::HashMap, sync::Arc, time::Instant};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use rusmpp::{CommandId, CommandStatus};
use tokio::sync::{Notify, oneshot};

use crate::smpp::pdu::{frame::PduFrame, header::Header};

/// Sequence numbers go from 1 to this one (SMPP 3.4, 3.2).
const LAST_SEQUENCE: u32 = 0x7fff_ffff;

#[derive(Debug, Clone)]
pub(in crate::smpp) struct Response {
    pub status: CommandStatus,
    pub body: Bytes,
    pub is_nack: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingLoss {
    /// It was not written, and never will be.
    Unwritten,
    Written,
}

#[derive(Default)]
pub(super) struct PendingRequests {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    requests: HashMap<u32, Waiting>,
    last: u32,
    closed: bool,
    /// Deliveries of the SMSC without our answer.
    owed: usize,
}

struct Waiting {
    expects: CommandId,
    written: Option<Instant>,
    answer: oneshot::Sender<Response>,
}

impl PendingRequests {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(super) fn number(&self) -> u32 {
        self.state().number()
    }

    /// Queues a request; `None` if no more are accepted.
    pub(super) fn queue(&self, command: CommandId) -> Option<(u32, oneshot::Receiver<Response>)> {
        let mut state = self.state();
        if state.closed && command != CommandId::Unbind {
            return None;
        }
        let sequence = state.number();
        let (answer, answered) = oneshot::channel();
        let expects = command.matching_response();
        state.requests.insert(sequence, Waiting { expects, written: None, answer });
        Some((sequence, answered))
    }

    /// True if a queued request is still wanted; it counts as written from now on.
    pub(super) fn claim(&self, sequence: u32) -> bool {
        match self.state().requests.get_mut(&sequence) {
            Some(waiting) => {
                waiting.written = Some(Instant::now());
                true
            }
            None => false,
        }
    }

    /// Passes an answer to its request, and returns when that was written; `None` if no request waits for it.
    pub(super) fn settle(&self, frame: &PduFrame) -> Option<Instant> {
        let Header { command, status, sequence } = frame.header;
        let is_nack = command == CommandId::GenericNack;
        let mut state = self.state();
        let found = state.requests.get(&sequence).filter(|waiting| is_nack || waiting.expects == command);
        let written = found.and_then(|waiting| waiting.written)?;
        let waiting = state.requests.remove(&sequence)?;
        // A request that is given up at this moment looks here once more before.
        let _ = waiting.answer.send(Response { status, body: frame.body.clone(), is_nack });
        drop(state);
        self.changed.notify_waiters();
        Some(written)
    }

    pub(super) fn give_up(&self, sequence: u32) -> PendingLoss {
        let removed = self.state().requests.remove(&sequence);
        self.changed.notify_waiters();
        match removed {
            Some(Waiting { written: Some(_), .. }) => PendingLoss::Written,
            // A close removes unwritten requests.
            Some(_) | None => PendingLoss::Unwritten,
        }
    }

    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.requests.retain(|_, waiting| waiting.written.is_some());
        drop(state);
        self.changed.notify_waiters();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Returns when no written request waits for an answer, and no answer is pending.
    pub(super) async fn quiet(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Before the check, so that no change between the two is missed.
            changed.as_mut().enable();
            {
                let state = self.state();
                if state.owed == 0 && state.requests.values().all(|waiting| waiting.written.is_none()) {
                    return;
                }
            }
            changed.await;
        }
    }

    fn owe(&self) {
        self.state().owed += 1;
    }

    fn pay(&self) {
        let mut state = self.state();
        state.owed = state.owed.saturating_sub(1);
        drop(state);
        self.changed.notify_waiters();
    }
}

impl State {
    fn number(&mut self) -> u32 {
        loop {
            self.last = if self.last >= LAST_SEQUENCE { 1 } else { self.last + 1 };
            if !self.requests.contains_key(&self.last) {
                return self.last;
            }
        }
    }
}

pub(in crate::smpp) struct PendingAnswer {
    pending: Arc<PendingRequests>,
}

impl PendingAnswer {
    pub(super) fn new(pending: &Arc<PendingRequests>) -> Self {
        pending.owe();
        Self { pending: Arc::clone(pending) }
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        self.pending.pay();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(command: CommandId, sequence: u32) -> PduFrame {
        PduFrame { header: Header::new(command, CommandStatus::EsmeRok, sequence), body: Bytes::new() }
    }

    #[test]
    fn a_request_that_is_given_up_before_it_is_written_cannot_be_written_any_more() {
        let pending = PendingRequests::default();
        let (first, _answer) = pending.queue(CommandId::SubmitSm).unwrap();
        assert_eq!(pending.give_up(first), PendingLoss::Unwritten);
        assert!(!pending.claim(first));
        let (second, _answer) = pending.queue(CommandId::SubmitSm).unwrap();
        assert!(pending.claim(second));
        assert_eq!(pending.give_up(second), PendingLoss::Written);
    }

    #[test]
    fn only_the_answer_to_a_request_that_was_written_settles_it() {
        let pending = PendingRequests::default();
        let (sequence, mut answered) = pending.queue(CommandId::SubmitSm).unwrap();
        assert!(pending.settle(&answer(CommandId::SubmitSmResp, sequence)).is_none(), "it has not been written");
        pending.claim(sequence);
        assert!(pending.settle(&answer(CommandId::EnquireLinkResp, sequence)).is_none());
        assert!(pending.settle(&answer(CommandId::SubmitSmResp, sequence + 1)).is_none());
        assert!(pending.settle(&answer(CommandId::SubmitSmResp, sequence)).is_some());
        assert!(!answered.try_recv().unwrap().is_nack);
        let (sequence, mut answered) = pending.queue(CommandId::SubmitSm).unwrap();
        pending.claim(sequence);
        assert!(pending.settle(&answer(CommandId::GenericNack, sequence)).is_some());
        assert!(answered.try_recv().unwrap().is_nack);
    }

    #[tokio::test]
    async fn a_closed_session_drops_unwritten_requests_and_waits_for_the_rest() {
        let pending = Arc::new(PendingRequests::default());
        let (written, _first) = pending.queue(CommandId::SubmitSm).unwrap();
        let (queued, mut second) = pending.queue(CommandId::SubmitSm).unwrap();
        pending.claim(written);
        let owed = PendingAnswer::new(&pending);
        pending.close();
        assert!(pending.queue(CommandId::SubmitSm).is_none() && pending.queue(CommandId::Unbind).is_some());
        assert!(!pending.claim(queued) && second.try_recv().is_err());
        let quiet = pending.quiet();
        tokio::pin!(quiet);
        assert!(futures::poll!(&mut quiet).is_pending());
        pending.settle(&answer(CommandId::SubmitSmResp, written));
        assert!(futures::poll!(&mut quiet).is_pending(), "an answer is owed");
        drop(owed);
        quiet.await;
    }

    #[test]
    fn numbers_wrap_around_and_skip_pending_requests() {
        let pending = PendingRequests::default();
        let (first, _answer) = pending.queue(CommandId::SubmitSm).unwrap();
        pending.state().last = LAST_SEQUENCE;
        assert_eq!((first, pending.number()), (1, 2));
    }
}
