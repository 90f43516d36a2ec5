//! Bounds the calls that run at once, per client and in all, the calls per second of a client, and how long a call waits
//! for its turn. Beside them there is a little room for the shadows of clients, which nobody waits for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::ids::ClientId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use super::share::Share;
use crate::calling::limits::Limits;

/// Clients remembered before those without calls are forgotten.
const REMEMBERED: usize = 1_024;
/// Seconds whose unused calls may be made at once.
const BURST_SECONDS: f64 = 2.0;
/// Most replays of all clients beside the live calls. The pool of instances has more to spare than this
/// (`engine::SPARE_CALLS`), so that they take no instance of a live call either.
const BESIDE: usize = 16;

/// Admits calls, and knows how many of each client there are.
pub(crate) struct CallLimiter {
    clients: Mutex<HashMap<ClientId, Arc<ClientState>>>,
    places: Arc<Semaphore>,
    beside: Arc<Semaphore>,
    limits: Arc<Limits>,
}

/// What is known of the calls of one client.
struct ClientState {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    beside: Arc<Semaphore>,
    pace: Mutex<Pace>,
    share: Share,
}

/// A bucket that fills with the seconds and gives one call at a time. It may owe: those who wait are served in order.
struct Pace {
    calls: f64,
    at: Instant,
}

/// A call that may run, until this is dropped.
pub(crate) struct CallPermit {
    _of_all: OwnedSemaphorePermit,
    _of_client: OwnedSemaphorePermit,
    // Keeps the client remembered.
    client: Arc<ClientState>,
}

impl CallPermit {
    /// What the client gets of the processors, and how it stands.
    pub(crate) fn share(&self) -> &Share {
        &self.client.share
    }
}

/// Room for the replays of a client's shadow, one at a time, beside the live calls; until this is dropped.
pub struct RoomBeside {
    _of_all: OwnedSemaphorePermit,
    _of_client: OwnedSemaphorePermit,
    // Keeps the client remembered.
    _client: Arc<ClientState>,
}

/// There was no free place in time.
pub(crate) struct NotAdmitted;

impl CallLimiter {
    pub(crate) fn new(limits: Arc<Limits>) -> Self {
        let (places, beside) = (Arc::new(Semaphore::new(limits.calls)), Arc::new(Semaphore::new(BESIDE)));
        Self { clients: Mutex::default(), places, beside, limits }
    }

    /// Waits for a place: first among the calls of the client, so that a busy client queues by itself. A `paced` call
    /// counts towards the calls per second.
    pub(crate) async fn enter(&self, client: ClientId, paced: bool) -> Result<CallPermit, NotAdmitted> {
        let client = self.client(client);
        if paced {
            self.keep_pace(&client).await?;
        }
        let of_client = match Arc::clone(&client.places).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.queue(&client).await?,
        };
        let of_all = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait(&self.places).await?,
        };
        Ok(CallPermit { _of_all: of_all, _of_client: of_client, client })
    }

    /// Room beside the live calls of a client, if there is any now. It takes nothing away from those.
    pub(crate) fn enter_beside(&self, client: ClientId) -> Option<RoomBeside> {
        let client = self.client(client);
        let of_client = Arc::clone(&client.beside).try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.beside).try_acquire_owned().ok()?;
        Some(RoomBeside { _of_all: of_all, _of_client: of_client, _client: client })
    }

    async fn queue(&self, client: &ClientState) -> Result<OwnedSemaphorePermit, NotAdmitted> {
        let waiting = Waiting(&client.waiting);
        if waiting.0.fetch_add(1, Ordering::Relaxed) >= self.limits.waiting_per_client {
            return Err(NotAdmitted);
        }
        self.wait(&client.places).await
    }

    async fn keep_pace(&self, client: &ClientState) -> Result<(), NotAdmitted> {
        let wait = client.take_turn(&self.limits)?;
        if wait.is_zero() {
            return Ok(());
        }
        let waiting = Waiting(&client.waiting);
        if waiting.0.fetch_add(1, Ordering::Relaxed) >= self.limits.waiting_per_client {
            return Err(NotAdmitted);
        }
        sleep(wait).await;
        Ok(())
    }

    async fn wait(&self, places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, NotAdmitted> {
        match timeout(self.limits.queue_wait, Arc::clone(places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(NotAdmitted),
        }
    }

    fn client(&self, client: ClientId) -> Arc<ClientState> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= REMEMBERED && !clients.contains_key(&client) {
            clients.retain(|_, state| Arc::strong_count(state) > 1 || state.has_debts(&self.limits));
        }
        let state = clients.entry(client).or_insert_with(|| {
            let places = Arc::new(Semaphore::new(self.limits.calls_per_client));
            let beside = Arc::new(Semaphore::new(self.limits.shadows_per_client));
            let pace = Pace { calls: burst(&self.limits), at: Instant::now() };
            let share = Share::new(self.limits.prompt_cpu);
            Arc::new(ClientState { places, waiting: AtomicUsize::new(0), beside, pace: Mutex::new(pace), share })
        });
        Arc::clone(state)
    }
}

/// Most calls that a bucket holds.
fn burst(limits: &Limits) -> f64 {
    f64::from(limits.calls_per_second.max(1)) * BURST_SECONDS
}

impl ClientState {
    /// How long the next call has to wait; it has its turn then. None when that is too long.
    fn take_turn(&self, limits: &Limits) -> Result<Duration, NotAdmitted> {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.fill(limits);
        let owed = (1.0 - pace.calls).max(0.0);
        let wait = Duration::from_secs_f64(owed / f64::from(limits.calls_per_second.max(1)));
        if wait > limits.queue_wait {
            return Err(NotAdmitted);
        }
        pace.calls -= 1.0;
        Ok(wait)
    }

    /// Whether forgetting this would give the client calls that it is not due.
    fn has_debts(&self, limits: &Limits) -> bool {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.fill(limits);
        pace.calls < burst(limits) || self.share.is_owed_for()
    }
}

impl Pace {
    fn fill(&mut self, limits: &Limits) {
        let present = Instant::now();
        let gained = present.duration_since(self.at).as_secs_f64() * f64::from(limits.calls_per_second.max(1));
        self.calls = (self.calls + gained).min(burst(limits));
        self.at = present;
    }
}

/// Counts down again when the wait ends, also when it is cancelled.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter() -> CallLimiter {
        CallLimiter::new(Arc::new(Limits { calls_per_second: 10, ..Limits::default() }))
    }

    fn client(number: u128) -> ClientId {
        ClientId(uuid::Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn calls_beyond_those_of_two_seconds_wait_and_those_that_would_wait_too_long_are_refused() {
        let limiter = limiter();
        let begin = Instant::now();
        for _ in 0..20 {
            assert!(limiter.enter(client(1), true).await.is_ok());
        }
        assert!(begin.elapsed() < Duration::from_millis(1), "what two seconds give is there at once");
        assert!(limiter.enter(client(1), true).await.is_ok());
        assert_eq!(begin.elapsed().as_millis() / 10, 10, "the next waits a tenth of a second");
        assert!(limiter.enter(client(2), true).await.is_ok());
        assert_eq!(begin.elapsed().as_millis() / 10, 10, "another client does not wait");
        let refused = refused_of(&limiter, 40).await;
        assert_eq!(refused, 20, "twenty find a place within the two seconds of the queue");
    }

    async fn refused_of(limiter: &CallLimiter, calls: usize) -> usize {
        let client = limiter.client(client(1));
        (0..calls).filter(|_| client.take_turn(&limiter.limits).is_err()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn shadows_have_room_of_their_own_and_take_none_of_the_live_calls() {
        let limits = Limits { calls: 2, calls_per_client: 2, shadows_per_client: 3, ..Limits::default() };
        let limiter = CallLimiter::new(Arc::new(limits));
        let mut shadows: Vec<RoomBeside> = (0..3).map(|_| limiter.enter_beside(client(1)).unwrap()).collect();
        assert!(limiter.enter_beside(client(1)).is_none(), "three and no more, and it does not wait");
        assert!(limiter.enter_beside(client(2)).is_some(), "another client has its own");
        let begin = Instant::now();
        let live = (limiter.enter(client(1), true).await, limiter.enter(client(1), true).await);
        assert!(live.0.is_ok() && live.1.is_ok(), "every place of the live calls is free");
        assert!(begin.elapsed().is_zero());
        shadows.pop();
        assert!(limiter.enter_beside(client(1)).is_some(), "room is given back");
    }

    #[tokio::test]
    async fn all_shadows_together_have_bounded_room() {
        let limiter = limiter();
        let held: Vec<RoomBeside> = (0..100).filter_map(|number| limiter.enter_beside(client(number))).collect();
        assert_eq!(held.len(), BESIDE);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_are_not_paced_do_not_wait() {
        let limiter = limiter();
        let begin = Instant::now();
        for _ in 0..1_000 {
            assert!(limiter.enter(client(1), false).await.is_ok());
        }
        assert!(begin.elapsed() < Duration::from_millis(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_owes_is_not_forgotten_and_one_that_does_not_is() {
        let limiter = limiter();
        for _ in 0..20 {
            assert!(limiter.enter(client(0), true).await.is_ok());
        }
        for number in 1..3_000 {
            drop(limiter.enter(client(number), false).await);
        }
        let known = limiter.clients.lock().unwrap().len();
        assert!(known <= REMEMBERED, "{known}");
        assert!(limiter.client(client(0)).has_debts(&limiter.limits));
    }
}
