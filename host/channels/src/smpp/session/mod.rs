//! One SMPP connection (ADR 0044): a task that reads, a task that writes, and bounded queues.

mod out;
mod pending;
mod reader;
mod requests;
mod writer;

use std::sync::{Arc, OnceLock};

use tokio::{
    io::{AsyncRead, AsyncWrite, split},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

use pending::Pending;
pub(super) use pending::{Owed, Response};
use requests::{MOST_WAITING, Shared};
pub(crate) use requests::{Request, Session, Times, Unanswered, count};

/// PDUs that wait to be written.
const OUT: usize = 64;

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
}

#[cfg(test)]
mod tests;
