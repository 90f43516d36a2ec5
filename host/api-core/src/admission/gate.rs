//! Decides which requests are taken.

use std::{sync::Arc, time::Duration};

use base::{TurnTerms, Turns};
use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{ledger::Ledger, load::RequestLoad, recent_keys::RecentKeys, settings::AdmissionSettings};

/// Time between two searches for answers that their peers do not take.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Pages of many items that are made at the same time, one of each client. Each may need about 50 MiB until it counts as
/// an answer, and a processor while it is made. Half of the processors stay free for other requests. Waiting requests are
/// counted, so none is refused here.
pub(super) fn large_pages() -> TurnTerms {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    TurnTerms { places: (processors / 2).clamp(1, 4), per_owner: 1, waiting_per_owner: usize::MAX }
}

/// Decides which requests are taken. There is one per process.
pub struct AdmissionGate {
    pub(super) settings: AdmissionSettings,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) keys: Mutex<RecentKeys>,
    pub(super) large_pages: Turns<ClientId>,
}

impl AdmissionGate {
    pub fn new(settings: AdmissionSettings) -> Arc<Self> {
        let ledger = Mutex::new(Ledger::new(settings.clone()));
        let large_pages = Turns::new(large_pages());
        Arc::new(Self { settings, ledger, keys: Mutex::default(), large_pages })
    }

    /// Ends answers that their peers do not take, until `stop`.
    pub async fn watch(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(CHECK_INTERVAL)).await.is_some() {
            let ended = u64::try_from(self.ledger().end_stuck(Instant::now())).unwrap_or(u64::MAX);
            metrics::counter!("patchbay_http_requests_ended_total", "reason" => "not taken").increment(ended);
        }
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock()
    }

    pub(super) fn keys(&self) -> MutexGuard<'_, RecentKeys> {
        self.keys.lock()
    }

    /// Remembers the client of a key.
    pub fn remember_key(&self, key: &[u8], client: ClientId) {
        self.keys().remember(key, client, Instant::now());
    }

    /// Forgets a key that no client has.
    pub fn forget_key(&self, key: &[u8]) {
        self.keys().forget(key);
    }

    pub(super) fn observe(&self) {
        let RequestLoad { requests, bytes, .. } = self.ledger().all;
        metrics::gauge!("patchbay_http_requests_in_flight").set(gauge(requests));
        metrics::gauge!("patchbay_http_bytes_in_flight").set(gauge(bytes));
    }
}

pub(super) fn gauge(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
