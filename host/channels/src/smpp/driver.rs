//! Runs the connection of an SMPP client.
//!
//! Of the requests that wait, the library writes two or three each time it is woken, and does not ask to be woken for the
//! rest: they would leave when an answer comes in, and a window would never fill. So it is polled on as long as it writes.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Drives a connection to its end.
pub(super) struct Driver {
    connection: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Writes so far.
    written: Arc<AtomicU64>,
    /// Polls in a row, at most: enough to write a window.
    most: usize,
}

impl Driver {
    /// `window` requests may wait at once.
    pub(super) fn new(
        connection: impl Future<Output = ()> + Send + 'static,
        written: Arc<AtomicU64>,
        window: usize,
    ) -> Self {
        Self { connection: Box::pin(connection), written, most: window / 2 + 2 }
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        for _ in 0..self.most {
            let before = self.written.load(Ordering::Relaxed);
            if self.connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            if before == self.written.load(Ordering::Relaxed) {
                return Poll::Pending;
            }
        }
        // It was still writing.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A stream whose writes are counted.
pub(super) struct Counted<S> {
    stream: S,
    written: Arc<AtomicU64>,
}

impl<S> Counted<S> {
    /// The stream, and the count of its writes.
    pub(super) fn new(stream: S) -> (Self, Arc<AtomicU64>) {
        let written = Arc::new(AtomicU64::new(0));
        (Self { stream, written: Arc::clone(&written) }, written)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if outcome.is_ready() {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
