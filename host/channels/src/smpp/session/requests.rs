//! Requests and answers of a session.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bytes::Bytes;
use rusmpp::CommandId;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    answer_trace::{AnswerTrace, SessionLife},
    pending_requests::{PendingAnswer, PendingLoss, PendingRequests, Response},
    write_queue::OutgoingItem,
};
use crate::smpp::pdu::{frame::PduFrame, header::Header};

/// Most requests of the SMSC that wait, in any configuration.
pub(crate) const MOST_WAITING: usize = 10_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct SilenceLimits {
    /// Silence after which an `enquire_link` is sent.
    pub enquire_link: Duration,
    /// Longest time without an answer to it, or without reading our bytes.
    pub link_timeout: Duration,
    /// Longest time for the last bytes.
    pub unbind_timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestFailure {
    /// It was not written, and never will be.
    Unwritten(String),
    Written(String),
}

#[derive(Clone)]
pub(crate) struct SmppSession {
    pub(crate) shared: Arc<SessionShared>,
}

pub(crate) struct SessionShared {
    pub(crate) name: String,
    pub(super) out: mpsc::Sender<OutgoingItem>,
    pub(super) pending: Arc<PendingRequests>,
    pub(crate) life: SessionLife,
    pub(crate) ended: CancellationToken,
    pub(crate) reason: OnceLock<String>,
}

pub(crate) struct SessionRequestHandle {
    pub session: SmppSession,
    pub header: Header,
    pub body: Bytes,
    pub(crate) answer: AnswerTrace,
    pub(crate) owed: PendingAnswer,
}

impl SessionRequestHandle {
    pub(crate) fn new(session: SmppSession, frame: PduFrame) -> Self {
        let owed = PendingAnswer::new(&session.shared.pending);
        let answer = session.shared.life.trace(frame.header.sequence, Instant::now());
        Self { session, header: frame.header, body: frame.body, answer, owed }
    }

    pub(crate) fn into_parts(self) -> (SmppSession, Header, PendingAnswer) {
        (self.session, self.header, self.owed)
    }
}

impl SmppSession {
    pub(crate) fn name(&self) -> &str {
        &self.shared.name
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.shared.ended.is_cancelled() && !self.shared.pending.is_closed()
    }

    pub(crate) async fn request(
        &self,
        command: CommandId,
        body: &[u8],
        limit: Duration,
    ) -> Result<Response, RequestFailure> {
        let Some((sequence, mut answered)) = self.shared.pending.queue(command) else {
            return Err(RequestFailure::Unwritten("the session is being closed".to_owned()));
        };
        // Also if the caller no longer waits.
        let guard = Guard { pending: &self.shared.pending, sequence };
        let pdu = Header::request(command, sequence).with(body);
        let answer = async {
            self.shared.write(OutgoingItem::Request { sequence, pdu }).await;
            (&mut answered).await.ok()
        };
        let reason = tokio::select! {
            biased;
            answer = timeout(limit, answer) => match answer {
                Ok(Some(response)) => return Ok(response),
                Ok(None) => "the session is being closed".to_owned(),
                Err(_) => "the SMSC did not answer in time".to_owned(),
            },
            () = self.shared.ended.cancelled() => self.reason(),
        };
        let given_up = guard.give_up();
        // It may have been answered at this moment.
        match (answered.try_recv(), given_up) {
            (Ok(response), _) => Ok(response),
            (Err(_), PendingLoss::Unwritten) => Err(RequestFailure::Unwritten(reason)),
            (Err(_), PendingLoss::Written) => Err(RequestFailure::Written(reason)),
        }
    }

    pub(crate) async fn answer(&self, header: Header, body: &[u8]) {
        self.shared.write(OutgoingItem::Pdu(header.with(body))).await;
    }

    /// Answers, and notes in `trace` when the answer was written.
    pub(crate) async fn answer_traced(&self, header: Header, body: &[u8], trace: &AnswerTrace) {
        let (pdu, trace) = (header.with(body), trace.clone());
        self.shared.write(OutgoingItem::Answer { pdu, trace }).await;
    }

    /// Accepts no more requests, and waits for open answers of both sides, at most for `limit`.
    pub(crate) async fn settle(&self, limit: Duration) {
        self.shared.pending.close();
        tokio::select! {
            _ = timeout(limit, self.shared.pending.quiet()) => {}
            () = self.shared.ended.cancelled() => {}
        }
    }

    /// Unbinds and closes. Peers often close first, which is as good.
    pub(crate) async fn unbind(&self, limit: Duration) {
        let _ = self.request(CommandId::Unbind, &[], limit).await;
        self.finish(limit).await;
    }

    pub(crate) async fn finish(&self, limit: Duration) {
        let closing = async {
            self.shared.write(OutgoingItem::Close).await;
            self.shared.ended.cancelled().await;
        };
        let _ = timeout(limit, closing).await;
        self.end("the session was closed");
    }

    pub(crate) fn end(&self, reason: &str) {
        self.shared.end(reason.to_owned());
    }

    pub(crate) async fn wait_for_end(&self) {
        self.shared.ended.cancelled().await;
    }

    pub(crate) fn ends_with(&self) -> DropGuard {
        self.shared.ended.clone().drop_guard()
    }

    pub(crate) fn reason(&self) -> String {
        self.shared.reason.get().cloned().unwrap_or_else(|| "the session was closed".to_owned())
    }
}

impl SessionShared {
    pub(crate) fn end(&self, reason: String) {
        // The first reason counts.
        let _ = self.reason.set(reason);
        self.pending.close();
        self.ended.cancel();
    }

    /// Queues bytes to write. Has no effect after the end of the session.
    pub(super) async fn write(&self, out: OutgoingItem) {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => {}
            // The writer ends with the session only.
            _ = self.out.send(out) => {}
        }
    }
}

pub(crate) struct Guard<'a> {
    pub(super) pending: &'a PendingRequests,
    pub(crate) sequence: u32,
}

impl Guard<'_> {
    pub(crate) fn give_up(self) -> PendingLoss {
        self.pending.give_up(self.sequence)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.pending.give_up(self.sequence);
    }
}

/// Counts a PDU that was answered or skipped without being used. `kind`: the reason.
pub(crate) fn count(kind: &'static str) {
    metrics::counter!("patchbay_smpp_pdus_unusable_total", "kind" => kind).increment(1);
}
