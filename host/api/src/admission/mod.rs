//! How much is taken on at once. Requests in flight and the bytes that they hold are counted, of everybody and of each
//! client, and how fast a client goes on is measured. What is too much is refused at once: waiting would need memory, too.
//!
//! All of it is per process. Requests without a key share what one client may have ([`strangers`]), so that nobody needs a key to
//! keep those out who have one.

mod answer;
mod bucket;
mod held;
mod share;
mod strangers;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};

use crate::{body, error::ApiError, https, state::ApiState};
pub(crate) use held::Held;
use share::{Owner, Share};
use strangers::Stranger;

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
    /// Bytes of bodies that requests in flight hold.
    pub bytes: u64,
    /// Those of one client's.
    pub bytes_per_client: u64,
}

/// A count with a limit.
#[derive(Debug, Default)]
struct Load(AtomicU64);

impl Load {
    /// Adds, unless that would be more than `most`.
    fn try_add(&self, amount: u64, most: u64) -> bool {
        let add = |held: u64| held.checked_add(amount).filter(|sum| *sum <= most);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Counts `after` in the place of `before`, unless the sum grows and would be more than `most`.
    fn try_change(&self, before: u64, after: u64, most: u64) -> bool {
        if after > before {
            return self.try_add(after - before, most);
        }
        self.remove(before - after);
        true
    }

    /// The same of what cannot be refused any more.
    fn change(&self, before: u64, after: u64) {
        self.0.fetch_add(after, Ordering::Relaxed);
        self.remove(before);
    }

    fn remove(&self, amount: u64) {
        self.0.fetch_sub(amount, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Decides which requests are taken on. One per process.
pub struct Admission {
    settings: AdmissionSettings,
    requests: Load,
    bytes: Load,
    shares: Mutex<Shares>,
}

/// What each has in flight.
#[derive(Default)]
struct Shares {
    by_owner: HashMap<Owner, Arc<Share>>,
    sweep_at: usize,
}

/// Clients and sources that are remembered before those that are idle are forgotten.
const SHARES: usize = 1_024;

impl Admission {
    /// Nothing is in flight yet.
    pub fn new(settings: AdmissionSettings) -> Arc<Self> {
        Arc::new(Self { settings, requests: Load::default(), bytes: Load::default(), shares: Mutex::default() })
    }

    /// A place for one more request, of somebody whom nobody knows yet.
    fn enter(self: &Arc<Self>, stranger: Stranger) -> Option<Held> {
        // Answers cannot be refused, so they may have gone beyond the limit: then nothing new begins.
        let room = self.bytes.now() < self.settings.bytes;
        (room && self.requests.try_add(1, self.settings.requests)).then(|| Held::new(Arc::clone(self), stranger))
    }

    fn share(&self, owner: Owner) -> Arc<Share> {
        let now = Instant::now();
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.by_owner.get(&owner) {
            return Arc::clone(share);
        }
        if shares.by_owner.len() >= shares.sweep_at.max(SHARES) {
            shares.by_owner.retain(|_, share| Arc::strong_count(share) > 1 || !share.is_idle(&self.settings, now));
            shares.sweep_at = shares.by_owner.len() * 2;
        }
        let share = Arc::new(Share::new(&self.settings, owner, now));
        shares.by_owner.insert(owner, Arc::clone(&share));
        share
    }

    fn observe(&self) {
        metrics::gauge!("patchbay_http_requests_in_flight").set(gauge(self.requests.now()));
        metrics::gauge!("patchbay_http_bytes_in_flight").set(gauge(self.bytes.now()));
    }
}

fn gauge(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Counts what was refused, and why.
fn refused(limit: &'static str, error: ApiError) -> ApiError {
    metrics::counter!("patchbay_http_requests_refused_total", "limit" => limit).increment(1);
    error
}

/// A place for a request on its way to `next`, or 503 at once. Probes need none.
pub(crate) async fn admit<N: Future<Output = Response>>(
    state: &ApiState,
    mut request: Request,
    next: impl FnOnce(Request) -> N,
) -> Response {
    if https::is_probe(request.uri().path()) {
        state.admission.observe();
        return next(request).await;
    }
    let Some(held) = state.admission.enter(Stranger::of(&request, &state.settings)) else {
        body::discard_some(request).await;
        return refused("requests_in_flight", ApiError::overloaded()).into_response();
    };
    request.extensions_mut().insert(held.clone());
    let response = next(request).await;
    answer::hold(response, held).await
}
