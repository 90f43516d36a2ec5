//! The activity of one connection, from which its time limits follow.

use std::{
    fmt, io,
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use channels::http::Pace;
use domain::source::CountedSource;
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

/// A connection that waits for its peer longer than this may be ended for another one.
const SLOW: Duration = Duration::from_millis(100);

/// Bytes of unfinished heads, and of unfinished frames of WebSockets, of all connections. Beyond them, connections of the address with the most are ended.
const HEADS: u64 = 32 * 1024 * 1024;

/// The sums that a connection counts to.
pub(super) struct ConnectionSums {
    /// Bytes of unfinished heads and frames.
    pub heads: Arc<AtomicU64>,
    /// Ends connections until unfinished heads have at most so many bytes.
    pub end_heads: Box<dyn Fn(u64) + Send + Sync>,
    pub pace: Option<Arc<Pace>>,
}

impl fmt::Debug for ConnectionSums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionSums").field("heads", &self.heads).finish_non_exhaustive()
    }
}

/// Why a connection may be ended for another one. The first reason costs its peer least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Idleness {
    /// No request is in flight.
    Quiet,
    /// All requests in flight wait for their peer.
    WaitsForPeer,
    /// A WebSocket, which opens again by itself.
    Socket,
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
    /// Requests in flight that wait for their peer: for more of the body, or until it takes more of the answer.
    waiting: AtomicUsize,
    /// Since when one of them has waited.
    waiting_since: AtomicU64,
    /// It is a WebSocket.
    upgraded: AtomicBool,
    /// The source of the WebSocket behind a trusted proxy.
    forwarded: OnceLock<CountedSource>,
    /// Bytes of the unfinished head, or of the unfinished frame of a WebSocket.
    head_bytes: AtomicU64,
    /// Where it is counted with others of its address.
    counted: OnceLock<ConnectionSums>,
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
            waiting: AtomicUsize::new(0),
            waiting_since: AtomicU64::new(0),
            upgraded: AtomicBool::new(false),
            forwarded: OnceLock::new(),
            head_bytes: AtomicU64::new(0),
            counted: OnceLock::new(),
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
        self.forget_head();
        self.begun.fetch_add(1, Ordering::Relaxed);
        ActiveRequest { activity: Arc::clone(self), waits: AtomicUsize::new(0) }
    }

    /// The loss of its peer if it ends, and since when. `None` if it works for its peer.
    pub(super) fn idleness(&self) -> Option<(Idleness, Instant)> {
        let requests = self.requests.load(Ordering::Relaxed);
        let last = self.at(self.last.load(Ordering::Relaxed));
        if self.is_upgraded() {
            return Some((Idleness::Socket, last));
        }
        if requests == 0 {
            return Some((Idleness::Quiet, last));
        }
        let since = self.at(self.waiting_since.load(Ordering::Relaxed));
        let waits = self.waiting.load(Ordering::Relaxed) >= requests && since.elapsed() >= SLOW;
        waits.then_some((Idleness::WaitsForPeer, since))
    }

    pub(super) fn is_upgraded(&self) -> bool {
        self.upgraded.load(Ordering::Relaxed)
    }

    /// Notes that it is a WebSocket. `forwarded`: its source, if a trusted proxy opened it.
    pub(super) fn note_upgraded(&self, forwarded: Option<IpAddr>) {
        if let Some(source) = forwarded {
            // A connection becomes a WebSocket once.
            let _ = self.forwarded.set(CountedSource::of(source));
        }
        self.upgraded.store(true, Ordering::Relaxed);
    }

    pub(super) fn forwarded_source(&self) -> Option<CountedSource> {
        self.forwarded.get().copied()
    }

    /// Start of the idle time. `None` while a request is in flight.
    pub fn quiet_since(&self) -> Option<Instant> {
        let quiet = self.requests.load(Ordering::Relaxed) == 0;
        quiet.then(|| self.at(self.last.load(Ordering::Relaxed)))
    }

    /// The current deadline. `None` if there is no limit now.
    pub fn deadline(&self, timeouts: ConnectionTimeouts) -> Option<Instant> {
        let blocked = self.blocked_since.load(Ordering::Relaxed);
        if blocked > 0 {
            return Some(self.at(blocked) + timeouts.write);
        }
        let quiet = self.quiet_since()?;
        let head = self.head_since.load(Ordering::Relaxed);
        Some(match (head, self.begun.load(Ordering::Relaxed) > 0) {
            (0, true) => quiet + timeouts.idle,
            (0, false) => self.began + timeouts.head,
            (head, _) => self.at(head) + timeouts.head,
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

    /// Notes received bytes. If nothing is in flight, they belong to a head. Those of a WebSocket belong to a frame.
    pub(super) fn was_read(&self, bytes: usize) {
        let idle = self.requests.load(Ordering::Relaxed) == 0 && !self.http2.load(Ordering::Relaxed);
        let upgraded = self.is_upgraded();
        if !idle && !upgraded {
            return;
        }
        if !upgraded && self.head_since.load(Ordering::Relaxed) == 0 {
            self.head_since.store(self.now(), Ordering::Relaxed);
        }
        self.add_unfinished(bytes);
    }

    /// Notes received bytes that the library keeps, such as those of a TLS handshake.
    pub(super) fn add_unfinished(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.head_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.add_to_sum(bytes);
    }

    /// Notes the bytes of the unfinished frame and header block of HTTP/2, in place of those that were noted before.
    pub(super) fn note_unfinished(&self, bytes: usize) {
        self.forget_head();
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.head_bytes.store(bytes, Ordering::Relaxed);
        self.add_to_sum(bytes);
    }

    fn add_to_sum(&self, bytes: u64) {
        let Some(counted) = self.counted.get() else { return };
        let all = counted.heads.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all > HEADS {
            (counted.end_heads)(HEADS - HEADS / 4);
        }
    }

    pub(super) fn head_bytes(&self) -> u64 {
        self.head_bytes.load(Ordering::Relaxed)
    }

    /// Takes the bytes of the head, or of the frame, out of the count.
    pub(super) fn forget_head(&self) -> u64 {
        let bytes = self.head_bytes.swap(0, Ordering::Relaxed);
        if let Some(counted) = self.counted.get() {
            counted.heads.fetch_sub(bytes, Ordering::Relaxed);
        }
        bytes
    }

    /// Counts the connection with others of its address.
    pub(super) fn count(&self, counted: ConnectionSums) {
        // A connection has one place.
        let _ = self.counted.set(counted);
    }

    /// The processor time of its address. `None` if the address has no limit.
    pub(super) fn pace(&self) -> Option<Arc<Pace>> {
        self.counted.get()?.pace.clone()
    }

    fn was_written(&self) {
        self.blocked_since.store(0, Ordering::Relaxed);
    }

    fn is_blocked(&self) {
        if self.blocked_since.load(Ordering::Relaxed) == 0 {
            self.blocked_since.store(self.now(), Ordering::Relaxed);
        }
    }

    pub(super) fn note_flush<T>(&self, result: &Poll<T>) {
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

/// A request in flight.
#[derive(Debug)]
pub struct ActiveRequest {
    activity: Arc<Activity>,
    /// Its waits for the peer.
    waits: AtomicUsize,
}

impl ActiveRequest {
    /// Notes that the request waits for its peer, until the returned value is dropped.
    pub(super) fn wait_for_peer(self: &Arc<Self>) -> PeerWait {
        self.activity.waiting_since.store(self.activity.now(), Ordering::Relaxed);
        if self.waits.fetch_add(1, Ordering::Relaxed) == 0 {
            self.activity.waiting.fetch_add(1, Ordering::Relaxed);
        }
        PeerWait(Arc::clone(self))
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.activity.last.store(self.activity.now(), Ordering::Relaxed);
        self.activity.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub(super) struct PeerWait(Arc<ActiveRequest>);

impl Drop for PeerWait {
    fn drop(&mut self) {
        if self.0.waits.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.activity.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.forget_head();
    }
}
