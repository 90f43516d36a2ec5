//! Limits on the requests in flight. They, and the bytes of their bodies and answers, are counted in one [`ledger`],
//! from the head of a request to the last byte of its answer. All limits are per process.
//!
//! 1. A request counts to its source address; behind a trusted proxy this is the forwarded address. As soon as its
//!    client is known, it counts to the client. If its key was used recently ([`recent_keys`]), it does so from the
//!    beginning.
//! 2. Bytes of a body count when they arrive. Bytes of an answer count until the peer has taken them. Bytes that all
//!    requests share ([`answer::SharedBytes`]) do not count.
//! 3. If its account is full, an owner gets 429. A new request from a source may take the place of the slowest request
//!    of that source.
//! 4. If the limit of requests without a key, or of all requests, is reached, the slowest request of the largest
//!    account among them is ended, and the new one is taken. A request is slow if it has waited for its peer longer
//!    than [`Graces::others`]. If none is slow, the new one is refused with 503.
//! 5. If a peer takes nothing of its answer for `limits.write_timeout`, its request is ended.
//! 6. An answer without end ([`answer::OpenEnded`]) gives its place back. Its use case limits the number of such
//!    answers.
//! 7. Requests of one client share a number of turns at the database, and wait for them. All pages of many items in the
//!    process share turns too.
//!
//! The listeners limit connections and streams (`host/app/src/listeners`). `docs/operations.md` has the sums.

mod account;
mod answer;
mod bucket;
mod entry;
mod held;
mod ledger;
mod link;
mod recent_keys;
mod refusal;

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};
use domain::{ids::ClientId, source::source_of, web_chat::largest_file};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{body, https, product::Product, state::ApiState};
use account::{Load, Owner};
use answer::Outgoing;
pub(crate) use answer::{OpenEnded, SharedBytes};
pub(crate) use held::Held;
use ledger::Ledger;
pub use link::PeerLink;
use recent_keys::RecentKeys;

/// Time between two searches for answers that their peers do not take.
const LOOK: Duration = Duration::from_secs(1);

/// Pages of many items that are made at the same time. Each may need about 100 MiB until it counts as an answer, and a
/// processor while it is made. Half of the processors stay free for other requests.
fn large_pages() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    (processors / 2).clamp(1, 4)
}

/// The limits of one process (`limits.*` of the configuration).
#[derive(Debug, Clone)]
pub struct AdmissionSettings {
    /// Requests of one client per second.
    pub requests_per_second: u32,
    /// Recipients of one client's sends per second.
    pub recipients_per_second: u32,
    /// Requests in flight.
    pub requests: u64,
    /// Requests in flight of one client.
    pub requests_per_client: u64,
    /// Requests in flight without a key from one source.
    pub requests_per_source: u64,
    /// Bytes of bodies and answers of requests in flight.
    pub bytes: u64,
    /// These bytes for one client.
    pub bytes_per_client: u64,
    /// These bytes for requests without a key from one source.
    pub bytes_per_source: u64,
    /// Requests of one client that use the database at the same time.
    pub turns_per_client: usize,
    /// Longest time in which a peer takes nothing of its answer.
    pub write_timeout: Duration,
    /// When a request may be ended in favour of another one.
    pub graces: Graces,
}

/// The shortest waits for a peer after which a request may be ended in favour of another one.
#[derive(Debug, Clone, Copy)]
pub struct Graces {
    /// In favour of a request of its own source.
    pub own_source: Duration,
    /// In favour of other sources and clients. It must be short: attackers open new connections as fast as old ones are
    /// ended. If all requests in flight were in their time of grace, a new one would be refused. It must be long enough
    /// for a body that is sent with its head.
    pub others: Duration,
}

impl Default for Graces {
    fn default() -> Self {
        Self { own_source: Duration::from_secs(1), others: Duration::from_millis(100) }
    }
}

impl AdmissionSettings {
    /// The limit of all requests without a key: half of the process, and room for the largest file of a visitor.
    fn of_strangers(&self) -> Load {
        let largest = u64::try_from(largest_file()).unwrap_or(u64::MAX).min(self.bytes);
        Load { requests: (self.requests / 2).max(1).min(self.requests), bytes: (self.bytes / 2).max(largest) }
    }
}

/// Decides which requests are taken. There is one per process.
pub struct Admission {
    settings: AdmissionSettings,
    ledger: Mutex<Ledger>,
    keys: Mutex<RecentKeys>,
    large_pages: Arc<Semaphore>,
}

impl Admission {
    pub fn new(settings: AdmissionSettings) -> Arc<Self> {
        let ledger = Mutex::new(Ledger::new(settings.clone()));
        let large_pages = Arc::new(Semaphore::new(large_pages()));
        Arc::new(Self { settings, ledger, keys: Mutex::default(), large_pages })
    }

    /// Ends answers that their peers do not take, until `stop`.
    pub async fn watch(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(LOOK)).await.is_some() {
            let ended = u64::try_from(self.ledger().end_stuck(Instant::now())).unwrap_or(u64::MAX);
            metrics::counter!("patchbay_http_requests_ended_total", "reason" => "not taken").increment(ended);
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self) -> MutexGuard<'_, RecentKeys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the client of a key.
    pub(crate) fn remember_key(&self, key: &[u8], client: ClientId) {
        self.keys().remember(key, client, Instant::now());
    }

    /// Forgets a key that no client has.
    pub(crate) fn forget_key(&self, key: &[u8]) {
        self.keys().forget(key);
    }

    fn observe(&self) {
        let Load { requests, bytes } = self.ledger().all;
        metrics::gauge!("patchbay_http_requests_in_flight").set(gauge(requests));
        metrics::gauge!("patchbay_http_bytes_in_flight").set(gauge(bytes));
    }
}

fn gauge(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The account that a request counts to at first. All connections without an address, such as those of tests, share one
/// source.
fn first_owner(request: &Request, state: &ApiState) -> Owner {
    let key = Product::of(request.uri().path()).credential().key(request.headers());
    match key.and_then(|key| state.admission.keys().client(key, Instant::now())) {
        Some(client) => Owner::Client(client),
        None => source(request, state),
    }
}

fn source(request: &Request, state: &ApiState) -> Owner {
    let from = https::source_of_request(&state.settings, request.extensions(), request.headers());
    Owner::Source(from.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), source_of))
}

/// Takes a place for a request and calls `next`, or refuses the request at once. Probes need no place.
pub(crate) async fn admit<N: Future<Output = Response>>(
    state: &ApiState,
    mut request: Request,
    next: impl FnOnce(Request) -> N,
) -> Response {
    let admission = &state.admission;
    if https::is_probe(request.uri().path()) {
        admission.observe();
        return next(request).await;
    }
    let owner = first_owner(&request, state);
    let entered = admission.ledger().enter(owner, link(&request), Instant::now());
    let entered = match entered {
        Ok(entered) => entered,
        Err(refusal) => {
            body::discard_some(request).await;
            return refusal.error(&admission.settings).into_response();
        }
    };
    let held = Held::new(Arc::clone(admission), entered);
    request.extensions_mut().insert(held.clone());
    let may_refuse = request.method().is_safe();
    let mut response = next(request).await;
    match answer::count(&mut response, held.clone(), may_refuse) {
        Ok(outgoing) => {
            response.extensions_mut().insert(outgoing);
            response
        }
        Err(refusal) => {
            let mut response = refusal.into_response();
            response.extensions_mut().insert(Outgoing::uncounted(held));
            response
        }
    }
}

fn link(request: &Request) -> PeerLink {
    request.extensions().get::<PeerLink>().cloned().unwrap_or_default()
}

/// Sends the answer to a request, once it is final.
pub(crate) struct Exit {
    admission: Arc<Admission>,
    owner: Owner,
    link: PeerLink,
}

impl Exit {
    pub fn of(request: &Request, state: &ApiState) -> Self {
        let owner = source(request, state);
        Self { admission: Arc::clone(&state.admission), owner, link: link(request) }
    }

    /// Returns the response in a form that ends if its peer does not take it. A refusal and the answer to a probe need
    /// no place.
    pub fn send(self, mut response: Response) -> Response {
        let outgoing = response.extensions_mut().remove::<Outgoing>().unwrap_or_else(|| {
            let entered = self.admission.ledger().enter_without_place(self.owner, self.link, Instant::now());
            Outgoing::uncounted(Held::new(self.admission, entered))
        });
        answer::send(response, outgoing)
    }
}
