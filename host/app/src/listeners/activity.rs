//! The activity of one connection, from which its time limits follow.

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

/// Time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionTimeouts {
    /// For the head of a request, from its first byte. For the first request, from the start of the connection with
    /// TLS.
    pub head: Duration,
    /// For the idle time between requests.
    pub idle: Duration,
    /// For the peer to take part of an answer.
    pub write: Duration,
}

/// The times of one connection in milliseconds since its start. `0` means "not now". Only requests reset them: a peer
/// that sends PINGs or the beginning of a head gets no more time than a silent one.
#[derive(Debug)]
pub struct Activity {
    began: Instant,
    /// End of the last request, or the start of the connection.
    last: AtomicU64,
    /// Arrival of the first byte of the current head.
    head_since: AtomicU64,
    /// Time since which the peer has taken nothing.
    blocked_since: AtomicU64,
    requests: AtomicUsize,
    /// Number of requests so far.
    begun: AtomicUsize,
    /// The body of the next request has two lengths.
    framed_twice: AtomicBool,
    /// It speaks HTTP/2, where received bytes need not be part of a head.
    http2: AtomicBool,
    /// Ends the connection to make room for another.
    pub evicted: CancellationToken,
}

impl Activity {
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

    /// Counts a request until the returned value is dropped.
    pub fn request(self: &Arc<Self>) -> ActiveRequest {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.head_since.store(0, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(Arc::clone(self))
    }

    /// Start of the idle time. `None` while a request is in flight.
    pub fn quiet_since(&self) -> Option<Instant> {
        let quiet = self.requests.load(Ordering::Relaxed) == 0;
        quiet.then(|| self.at(self.last.load(Ordering::Relaxed)))
    }

    /// The current deadline. `None` if there is no limit now.
    pub fn deadline(&self, patience: ConnectionTimeouts) -> Option<Instant> {
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

    /// Number of requests so far, if none is in flight.
    pub(super) fn begun_and_ended(&self) -> Option<usize> {
        (self.requests.load(Ordering::Relaxed) == 0).then(|| self.begun.load(Ordering::Relaxed))
    }

    /// Notes that the body of the next request has two lengths.
    pub(super) fn note_framed_twice(&self) {
        self.framed_twice.store(true, Ordering::Relaxed);
    }

    /// True if the received request has a body with two lengths. The note is cleared.
    pub(super) fn take_framed_twice(&self) -> bool {
        self.framed_twice.swap(false, Ordering::Relaxed)
    }

    pub(super) fn note_http2(&self) {
        self.http2.store(true, Ordering::Relaxed);
    }

    fn at(&self, milliseconds: u64) -> Instant {
        self.began + Duration::from_millis(milliseconds)
    }

    /// Notes received bytes. If nothing is in flight, they begin a head.
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

    pub(super) fn flushed<T>(&self, result: &Poll<T>) {
        match result {
            Poll::Pending => self.is_blocked(),
            Poll::Ready(_) => self.blocked_since.store(0, Ordering::Relaxed),
        }
    }

    pub(super) fn wrote<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match result {
            Poll::Pending => self.is_blocked(),
            Poll::Ready(_) => self.was_written(),
        }
        result
    }
}

#[derive(Debug)]
pub struct ActiveRequest(Arc<Activity>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.last.store(self.0.now(), Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}
