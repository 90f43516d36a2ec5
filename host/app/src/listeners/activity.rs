//! What happens on one connection, as far as it decides how long the connection may stay.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{self, AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// How long a connection may take for what it is at.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the head of a request, from its first byte; for the first one, from the connection on. TLS included.
    pub head: Duration,
    /// For nothing at all, between requests.
    pub idle: Duration,
    /// For the other end to take something of an answer.
    pub write: Duration,
}

/// One connection's clock: milliseconds since it began, `0` for what is not the case.
#[derive(Debug)]
pub struct Activity {
    began: Instant,
    /// When something was read or written, or a request ended.
    last: AtomicU64,
    /// Since when the head of a request has been coming in.
    head_since: AtomicU64,
    /// Since when the other end has been taking nothing.
    blocked_since: AtomicU64,
    requests: AtomicUsize,
    /// Whether it ever brought a request.
    used: AtomicBool,
    /// Ends the connection in favour of another one.
    pub evicted: CancellationToken,
}

impl Activity {
    /// Of a connection that begins now.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            last: AtomicU64::new(1),
            head_since: AtomicU64::new(0),
            blocked_since: AtomicU64::new(0),
            requests: AtomicUsize::new(0),
            used: AtomicBool::new(false),
            evicted: CancellationToken::new(),
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// A request begins; it ends when what is answered is dropped.
    pub fn request(self: &Arc<Self>) -> InFlight {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.head_since.store(0, Ordering::Relaxed);
        self.used.store(true, Ordering::Relaxed);
        InFlight(Arc::clone(self))
    }

    /// Since when nothing has happened; `None` while a request is in flight.
    pub fn quiet_since(&self) -> Option<Instant> {
        let quiet = self.requests.load(Ordering::Relaxed) == 0;
        quiet.then(|| self.at(self.last.load(Ordering::Relaxed)))
    }

    /// When its time is up, as things stand; `None` while it may take as long as it likes.
    pub fn deadline(&self, patience: Patience) -> Option<Instant> {
        let blocked = self.blocked_since.load(Ordering::Relaxed);
        if blocked > 0 {
            return Some(self.at(blocked) + patience.write);
        }
        let quiet = self.quiet_since()?;
        let head = self.head_since.load(Ordering::Relaxed);
        Some(match (head, self.used.load(Ordering::Relaxed)) {
            (0, true) => quiet + patience.idle,
            (0, false) => self.began + patience.head,
            (head, _) => self.at(head) + patience.head,
        })
    }

    fn at(&self, milliseconds: u64) -> Instant {
        self.began + Duration::from_millis(milliseconds)
    }

    fn was_read(&self) {
        let now = self.now();
        self.last.store(now, Ordering::Relaxed);
        if self.requests.load(Ordering::Relaxed) == 0 && self.head_since.load(Ordering::Relaxed) == 0 {
            self.head_since.store(now, Ordering::Relaxed);
        }
    }

    fn was_written(&self) {
        let now = self.now();
        self.last.store(now, Ordering::Relaxed);
        self.blocked_since.store(0, Ordering::Relaxed);
        // What comes in while an answer goes out is not late.
        if self.head_since.load(Ordering::Relaxed) > 0 {
            self.head_since.store(now, Ordering::Relaxed);
        }
    }

    fn is_blocked(&self) {
        if self.blocked_since.load(Ordering::Relaxed) == 0 {
            self.blocked_since.store(self.now(), Ordering::Relaxed);
        }
    }

    fn flushed<T>(&self, result: &Poll<T>) {
        match result {
            Poll::Pending => self.is_blocked(),
            Poll::Ready(_) => self.blocked_since.store(0, Ordering::Relaxed),
        }
    }

    fn wrote<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match result {
            Poll::Pending => self.is_blocked(),
            Poll::Ready(_) => self.was_written(),
        }
        result
    }
}

/// A request in flight.
#[derive(Debug)]
pub struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.last.store(self.0.now(), Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection that tells its [`Activity`] what happens on it. It keeps `place` for as long as it is open.
#[derive(Debug)]
pub struct Watched<IO, P> {
    io: IO,
    activity: Arc<Activity>,
    _place: P,
}

impl<IO, P> Watched<IO, P> {
    /// Watches `io`.
    pub fn new(io: IO, activity: Arc<Activity>, place: P) -> Self {
        Self { io, activity, _place: place }
    }
}

impl<IO: AsyncRead + Unpin, P: Unpin> AsyncRead for Watched<IO, P> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let result = Pin::new(&mut self.io).poll_read(cx, into);
        if into.filled().len() > before {
            self.activity.was_read();
        }
        result
    }
}

impl<IO: AsyncWrite + Unpin, P: Unpin> AsyncWrite for Watched<IO, P> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.activity.wrote(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write_vectored(cx, slices);
        self.activity.wrote(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.io).poll_flush(cx);
        self.activity.flushed(&result);
        result
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.io).poll_shutdown(cx);
        self.activity.flushed(&result);
        result
    }
}
