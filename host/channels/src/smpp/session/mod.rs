//! One SMPP connection (ADR 0044): a task that reads, a task that writes, and bounded queues.

mod pending;
mod reader;
mod writer;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use rusmpp::CommandId;
use tokio::{
    io::{AsyncRead, AsyncWrite, split},
    sync::mpsc,
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use pending::{GivenUp, Pending};
pub(super) use pending::{Owed, Response};
use writer::Out;

use super::pdu::{frame::Frame, header::Header};

/// PDUs that wait to be written.
const OUT: usize = 64;

/// Most requests of the SMSC that wait, in any configuration.
const MOST_WAITING: usize = 10_000;

/// Limits for the silence of the SMSC.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// Silence after which an `enquire_link` is sent.
    pub enquire_link: Duration,
    /// Longest time without an answer to it, or without reading our bytes.
    pub link_timeout: Duration,
}

/// A request without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// It was not written, and never will be.
    Unwritten(String),
    /// It was written, or a part of it.
    Written(String),
}

/// A connection. Clones use the same one.
#[derive(Clone)]
pub(super) struct Session {
    shared: Arc<Shared>,
}

struct Shared {
    /// Name of the bind.
    name: String,
    out: mpsc::Sender<Out>,
    pending: Arc<Pending>,
    ended: CancellationToken,
    reason: OnceLock<String>,
}

/// A request of the SMSC.
pub(super) struct Request {
    pub session: Session,
    pub header: Header,
    pub body: Bytes,
    owed: Owed,
}

impl Request {
    fn new(session: Session, frame: Frame) -> Self {
        let owed = Owed::new(&session.shared.pending);
        Self { session, header: frame.header, body: frame.body, owed }
    }

    /// Returns the value that keeps the session open until the request is answered.
    pub(super) fn owed(self) -> (Session, Header, Owed) {
        (self.session, self.header, self.owed)
    }
}

impl Session {
    /// Starts a session over a connection. At most `waiting` requests of the SMSC wait; then nothing more is read, and
    /// `hangup` reports that the SMSC has closed the connection.
    pub(super) fn start<S>(
        stream: S,
        name: &str,
        (times, waiting): (Times, usize),
        hangup: impl Future<Output = ()> + Send + 'static,
    ) -> (Self, mpsc::Receiver<Request>)
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (out, queue) = mpsc::channel(OUT);
        let (requests, asked) = mpsc::channel(waiting.clamp(1, MOST_WAITING));
        let shared = Arc::new(Shared {
            name: name.to_owned(),
            out,
            pending: Arc::new(Pending::default()),
            ended: CancellationToken::new(),
            reason: OnceLock::new(),
        });
        let session = Self { shared };
        let (from, to) = split(stream);
        let writing = Arc::clone(&session.shared);
        tokio::spawn(async move { writer::write(to, queue, &writing, times.link_timeout).await });
        tokio::spawn(reader::read((from, hangup), session.clone(), requests, times));
        (session, asked)
    }

    /// Name of the bind.
    pub(super) fn name(&self) -> &str {
        &self.shared.name
    }

    /// True if requests are accepted.
    pub(super) fn is_open(&self) -> bool {
        !self.shared.ended.is_cancelled() && !self.shared.pending.is_closed()
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(
        &self,
        command: CommandId,
        body: &[u8],
        limit: Duration,
    ) -> Result<Response, Unanswered> {
        let Some((sequence, mut answered)) = self.shared.pending.queue(command) else {
            return Err(Unanswered::Unwritten("the session is being closed".to_owned()));
        };
        // Also if the caller no longer waits.
        let guard = Guard { pending: &self.shared.pending, sequence };
        let pdu = Header::request(command, sequence).with(body);
        let answer = async {
            self.shared.write(Out::Request { sequence, pdu }).await;
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
            (Err(_), GivenUp::Unwritten) => Err(Unanswered::Unwritten(reason)),
            (Err(_), GivenUp::Written) => Err(Unanswered::Written(reason)),
        }
    }

    /// Answers a request of the SMSC.
    pub(super) async fn answer(&self, header: Header, body: &[u8]) {
        self.shared.write(Out::Pdu(header.with(body))).await;
    }

    /// Accepts no more requests, and waits for open answers of both sides, at most for `limit`.
    pub(super) async fn settle(&self, limit: Duration) {
        self.shared.pending.close();
        tokio::select! {
            _ = timeout(limit, self.shared.pending.quiet()) => {}
            () = self.shared.ended.cancelled() => {}
        }
    }

    /// Unbinds and closes. Peers often close first, which is as good.
    pub(super) async fn unbind(&self, limit: Duration) {
        let _ = self.request(CommandId::Unbind, &[], limit).await;
        self.finish(limit).await;
    }

    /// Closes after all queued bytes are written.
    pub(super) async fn finish(&self, limit: Duration) {
        let closing = async {
            self.shared.write(Out::Close).await;
            self.shared.ended.cancelled().await;
        };
        let _ = timeout(limit, closing).await;
        self.end("the session was closed");
    }

    /// Closes at once.
    pub(super) fn end(&self, reason: &str) {
        self.shared.end(reason.to_owned());
    }

    /// Returns when the session is over.
    pub(super) async fn ended(&self) {
        self.shared.ended.cancelled().await;
    }

    /// Ends the session when it is dropped.
    pub(super) fn ends_with(&self) -> DropGuard {
        self.shared.ended.clone().drop_guard()
    }

    /// The reason why the session is over.
    pub(super) fn reason(&self) -> String {
        self.shared.reason.get().cloned().unwrap_or_else(|| "the session was closed".to_owned())
    }
}

impl Shared {
    fn end(&self, reason: String) {
        // The first reason counts.
        let _ = self.reason.set(reason);
        self.pending.close();
        self.ended.cancel();
    }

    /// Queues bytes to write. Has no effect after the end of the session.
    async fn write(&self, out: Out) {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => {}
            // The writer ends with the session only.
            _ = self.out.send(out) => {}
        }
    }
}

/// Gives up a request when it is dropped.
struct Guard<'a> {
    pending: &'a Pending,
    sequence: u32,
}

impl Guard<'_> {
    fn give_up(self) -> GivenUp {
        self.pending.give_up(self.sequence)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.pending.give_up(self.sequence);
    }
}

/// Counts a PDU that was answered or skipped without being used. `kind`: the reason.
pub(super) fn count(kind: &'static str) {
    metrics::counter!("patchbay_smpp_pdus_unusable_total", "kind" => kind).increment(1);
}

#[cfg(test)]
mod tests;
