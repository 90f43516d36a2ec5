//! What one peer can hold. Requests in flight, and the bytes of their bodies and answers, stand in one [`ledger`], from the head of
//! a request to the last byte of its answer. All of it is per process.
//!
//! 1. A request counts to its source address, behind a trusted proxy to the forwarded one. As soon as its client is known, it
//!    counts to the client instead: from the beginning if its key was used lately ([`recent_keys`]).
//! 2. Bytes of a body count when they arrive. Bytes of an answer count until the peer has taken them; bytes that all requests share
//!    ([`answer::SharedBytes`]) do not count.
//! 3. A full account refuses its owner with 429. From a source, a new request may take the place of the slowest one of that source.
//! 4. If callers without a key together, or all callers, hold what they may, the slowest request of the largest account among them
//!    is ended, and the new one is taken. A request is slow if its peer has been waited for longer than [`entry::GRACE_OF_CROWDS`]. If there is none,
//!    all of them wait for us, and the new one is refused with 503.
//! 5. A peer that takes nothing of its answer for `limits.write_timeout` is ended, whatever else it sends.
//! 6. An answer without end ([`answer::OpenEnded`]) gives its place back. Its use case bounds how many there are.
//! 7. Requests of one client have a number of turns at the database; the others wait. So do pages of many items in the whole process.
//!
//! The listeners bound connections and streams (`host/app/src/listeners`); `docs/operations.md` has the sums.

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

/// How often answers are looked at that are not taken.
const LOOK: Duration = Duration::from_secs(1);

/// Pages of many items that are made at the same time. Each may take some 100 MiB until it is counted as an answer, and a processor
/// while it is made. Half of the processors stay free for other requests.
fn large_pages() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    (processors / 2).clamp(1, 4)
}

/// What one process takes on (`limits.*` of the configuration).
#[derive(Debug, Clone)]
pub struct AdmissionSettings {
    /// Requests of one client in a second.
    pub requests_per_second: u32,
    /// Recipients of one client's sends in a second.
    pub recipients_per_second: u32,
    /// Requests in flight.
    pub requests: u64,
    /// Those of one client.
    pub requests_per_client: u64,
    /// Those without a key from one source.
    pub requests_per_source: u64,
    /// Bytes of bodies and answers that requests in flight hold.
    pub bytes: u64,
    /// Those of one client's.
    pub bytes_per_client: u64,
    /// Those without a key from one source.
    pub bytes_per_source: u64,
    /// Requests of one client that use the database at the same time.
    pub turns_per_client: usize,
    /// How long a peer may take nothing of its answer.
    pub write_timeout: Duration,
}

impl AdmissionSettings {
    /// What all callers without a key may hold together: half of the process, and room for the largest file of a visitor.
    fn of_strangers(&self) -> Load {
        let largest = u64::try_from(largest_file()).unwrap_or(u64::MAX).min(self.bytes);
        Load { requests: (self.requests / 2).max(1).min(self.requests), bytes: (self.bytes / 2).max(largest) }
    }
}

/// Decides which requests are taken on. One per process.
pub struct Admission {
    settings: AdmissionSettings,
    ledger: Mutex<Ledger>,
    keys: Mutex<RecentKeys>,
    large_pages: Arc<Semaphore>,
}

impl Admission {
    /// Nothing is in flight yet.
    pub fn new(settings: AdmissionSettings) -> Arc<Self> {
        let ledger = Mutex::new(Ledger::new(settings.clone()));
        let large_pages = Arc::new(Semaphore::new(large_pages()));
        Arc::new(Self { settings, ledger, keys: Mutex::default(), large_pages })
    }

    /// Ends answers that are not taken, until `stop`.
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

    /// There is a client with this key.
    pub(crate) fn remember_key(&self, key: &[u8], client: ClientId) {
        self.keys().remember(key, client, Instant::now());
    }

    /// There is no client with this key.
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

/// The account that a request counts to at first. A connection without an address, such as one of a test, has a source like any
/// other.
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

/// A place for a request on its way to `next`, or a refusal at once. Probes need none.
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

/// How the answer to a request goes out, once it is final.
pub(crate) struct Exit {
    admission: Arc<Admission>,
    owner: Owner,
    link: PeerLink,
}

impl Exit {
    /// For this request.
    pub fn of(request: &Request, state: &ApiState) -> Self {
        let owner = source(request, state);
        Self { admission: Arc::clone(&state.admission), owner, link: link(request) }
    }

    /// The same response, which is ended if its peer does not take it. A refusal and the answer to a probe need no place.
    pub fn send(self, mut response: Response) -> Response {
        let outgoing = response.extensions_mut().remove::<Outgoing>().unwrap_or_else(|| {
            let entered = self.admission.ledger().enter_without_place(self.owner, self.link, Instant::now());
            Outgoing::uncounted(Held::new(self.admission, entered))
        });
        answer::send(response, outgoing)
    }
}
