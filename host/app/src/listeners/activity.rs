//! What happens on one connection, as far as it decides how long the connection may stay.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use tokio::time::Instant;
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

/// One connection's clock: milliseconds since it began, `0` if it is not the case. Only requests make a connection a younger one:
/// a peer that sends PINGs, or the beginning of a head, has no more time than one that sends nothing.
#[derive(Debug)]
pub struct Activity {
    began: Instant,
    /// When the last request ended; before the first one, when the connection began.
    last: AtomicU64,
    /// Since when the head of a request has been coming in.
    head_since: AtomicU64,
    /// Since when the other end has been taking nothing.
    blocked_since: AtomicU64,
    requests: AtomicUsize,
    /// Requests that it has brought.
    begun: AtomicUsize,
    /// Whether the body of the request that comes is framed in two ways.
    framed_twice: AtomicBool,
    /// Whether it speaks HTTP/2, where what comes need not be part of a head.
    http2: AtomicBool,
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
            begun: AtomicUsize::new(0),
            framed_twice: AtomicBool::new(false),
            http2: AtomicBool::new(false),
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
        self.begun.fetch_add(1, Ordering::Relaxed);
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
        Some(match (head, self.begun.load(Ordering::Relaxed) > 0) {
            (0, true) => quiet + patience.idle,
            (0, false) => self.began + patience.head,
            (head, _) => self.at(head) + patience.head,
        })
    }

    /// How many requests have begun, if none is in flight.
    pub(super) fn begun_and_ended(&self) -> Option<usize> {
        (self.requests.load(Ordering::Relaxed) == 0).then(|| self.begun.load(Ordering::Relaxed))
    }

    /// The body of the request that comes is framed in two ways.
    pub(super) fn note_framed_twice(&self) {
        self.framed_twice.store(true, Ordering::Relaxed);
    }

    /// Whether that of the request that has come is. Told once.
    pub(super) fn take_framed_twice(&self) -> bool {
        self.framed_twice.swap(false, Ordering::Relaxed)
    }

    /// It speaks HTTP/2.
    pub(super) fn note_http2(&self) {
        self.http2.store(true, Ordering::Relaxed);
    }

    fn at(&self, milliseconds: u64) -> Instant {
        self.began + Duration::from_millis(milliseconds)
    }

    /// Bytes came: while nothing is in flight, they begin a head.
    pub(super) fn was_read(&self) {
        let idle = self.requests.load(Ordering::Relaxed) == 0 && !self.http2.load(Ordering::Relaxed);
        if idle && self.head_since.load(Ordering::Relaxed) == 0 {
            self.head_since.store(self.now(), Ordering::Relaxed);
        }
    }

    fn was_written(&self) {
        self.blocked_since.store(0, Ordering::Relaxed);
    }

    fn is_blocked(&self) {
        if self.blocked_since.load(Ordering::Relaxed) == 0 {
            self.blocked_since.store(self.now(), Ordering::Relaxed);
        }
    }

    /// What was written is on its way, or is not taken.
    pub(super) fn flushed<T>(&self, result: &Poll<T>) {
        match result {
            Poll::Pending => self.is_blocked(),
            Poll::Ready(_) => self.blocked_since.store(0, Ordering::Relaxed),
        }
    }

    /// Something was written, or is not taken.
    pub(super) fn wrote<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
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
