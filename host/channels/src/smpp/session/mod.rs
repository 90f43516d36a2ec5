//! One SMPP connection (ADR 0044): a task that reads, a task that writes, and bounded queues.

mod answer_trace;
mod pending_requests;
mod reader;
mod requests;
mod write_queue;
mod writer;

use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, split},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

pub(super) use answer_trace::{AnswerTrace, SessionLife};
use pending_requests::PendingRequests;
pub(super) use pending_requests::{PendingAnswer, Response};
use requests::{MOST_WAITING, SessionShared};
pub(crate) use requests::{RequestFailure, SessionRequestHandle, SilenceLimits, SmppSession, count};

/// PDUs that wait to be written.
const OUT: usize = 64;

impl SmppSession {
    /// At most `waiting` requests of the SMSC wait; then nothing more is read, and `hangup` reports a closed connection.
    pub(super) fn start<S>(
        stream: S,
        name: &str,
        times: SilenceLimits,
        waiting: usize,
        hangup: impl Future<Output = ()> + Send + 'static,
    ) -> (Self, mpsc::Receiver<SessionRequestHandle>)
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (out, queue) = mpsc::channel(OUT);
        let (requests, asked) = mpsc::channel(waiting.clamp(1, MOST_WAITING));
        let ended = CancellationToken::new();
        let shared = Arc::new(SessionShared {
            name: name.to_owned(),
            out,
            pending: Arc::new(PendingRequests::default()),
            life: SessionLife::new(ended.clone(), Instant::now()),
            ended,
            reason: OnceLock::new(),
        });
        let session = Self { shared };
        let (from, to) = split(stream);
        let writing = Arc::clone(&session.shared);
        tokio::spawn(async move { writer::write(to, queue, &writing, times).await });
        tokio::spawn(reader::read(from, hangup, session.clone(), requests, times));
        (session, asked)
    }
}

#[cfg(test)]
mod tests;
