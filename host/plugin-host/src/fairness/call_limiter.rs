//! Limits calls at once and their memory, per client and in total, calls per second, and the wait for a place. Webhook
//! bodies and shadows have their own places.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{ids::ClientId, world::CallBudget};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use super::pace::CallPace;
pub(crate) use super::places::PlaceRefused;
use super::places::{CallPlace, CallPlaces, PlaceTerms};
use super::room::{BudgetPart, MemoryBudget, Store};
use super::share::Share;
use crate::calling::limits::CallLimits;

/// If more clients than this are known, those without calls are forgotten.
const REMEMBERED: usize = 1_024;
/// Most replays of all clients. The pool has more spare instances (`engine::SPARE_CALLS`).
const MOST_REPLAYS: usize = 16;
/// The part of the memory of all calls that webhook bodies have. Replays next to live calls have as much.
const EIGHTH: usize = 8;

pub(crate) struct CallLimiter {
    clients: Mutex<HashMap<ClientId, Arc<ClientState>>>,
    turns: CallPlaces,
    bodies: CallPlaces,
    shadows: Arc<Semaphore>,
    shadow_memory: Arc<Store>,
    limits: Arc<CallLimits>,
}

struct ClientState {
    turns: Pacing,
    bodies: Pacing,
    shadows: Arc<Semaphore>,
    share: Share,
}

struct Pacing {
    pace: Mutex<CallPace>,
    pausing: AtomicUsize,
}

/// Permission for a call, until it is dropped.
pub(crate) struct CallPermit {
    /// Shared with the call, which may move to another thread. The place becomes free when the call ends there.
    pub(crate) place: Arc<CallPlace>,
    // Keeps the client from being forgotten.
    client: Arc<ClientState>,
}

impl CallPermit {
    pub(crate) fn share(&self) -> &Share {
        &self.client.share
    }
}

/// A place for the replays of a client's shadow, one at a time, next to the live calls. Held until it is dropped.
pub struct ShadowPlace {
    memory: Arc<Store>,
    _of_all: OwnedSemaphorePermit,
    _of_client: OwnedSemaphorePermit,
    // Keeps the client from being forgotten.
    _client: Arc<ClientState>,
}

impl ShadowPlace {
    pub(crate) fn room(&self) -> Arc<dyn MemoryBudget> {
        Arc::new(BudgetPart::of(&self.memory))
    }
}

impl CallLimiter {
    pub(crate) fn new(limits: Arc<CallLimits>) -> Self {
        let eighth = limits.memory_bytes_of_all / EIGHTH;
        let terms = |places, memory| PlaceTerms {
            places,
            memory,
            per_client: limits.calls_per_client,
            waiting_per_client: limits.waiting_per_client,
            call_memory: limits.memory_bytes,
        };
        Self {
            clients: Mutex::default(),
            turns: CallPlaces::new(terms(limits.calls, eighth * (EIGHTH - 2))),
            bodies: CallPlaces::new(terms(limits.calls_for_bodies(), eighth)),
            shadows: Arc::new(Semaphore::new(MOST_REPLAYS)),
            shadow_memory: Store::new(eighth.max(limits.memory_bytes)),
            limits,
        }
    }

    /// Waits for a place until `until`. A `paced` call counts towards the calls per second.
    pub(crate) async fn enter(
        &self,
        client: ClientId,
        kind: CallBudget,
        paced: bool,
        until: Instant,
    ) -> Result<CallPermit, PlaceRefused> {
        let state = self.client(client);
        let (pacing, places) = match kind {
            CallBudget::Turn => (&state.turns, &self.turns),
            CallBudget::Body => (&state.bodies, &self.bodies),
        };
        if paced {
            pacing.keep(&self.limits).await?;
        }
        let place = Arc::new(places.enter(client, until).await?);
        Ok(CallPermit { place, client: state })
    }

    /// A place next to the live calls of a client, if one is free now. It takes nothing from live calls.
    pub(crate) fn enter_shadow(&self, client: ClientId) -> Option<ShadowPlace> {
        let client = self.client(client);
        let of_client = Arc::clone(&client.shadows).try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.shadows).try_acquire_owned().ok()?;
        let memory = Arc::clone(&self.shadow_memory);
        Some(ShadowPlace { memory, _of_all: of_all, _of_client: of_client, _client: client })
    }

    fn client(&self, client: ClientId) -> Arc<ClientState> {
        let mut clients = self.clients.lock();
        if clients.len() >= REMEMBERED && !clients.contains_key(&client) {
            clients.retain(|_, state| Arc::strong_count(state) > 1 || state.has_debts(&self.limits));
        }
        let state = clients.entry(client).or_insert_with(|| {
            let shadows = Arc::new(Semaphore::new(self.limits.shadows_per_client));
            let (turns, bodies) = (Pacing::new(&self.limits), Pacing::new(&self.limits));
            Arc::new(ClientState { turns, bodies, shadows, share: Share::new(self.limits.prompt_cpu) })
        });
        Arc::clone(state)
    }
}

impl ClientState {
    fn has_debts(&self, limits: &CallLimits) -> bool {
        self.turns.has_debts(limits) || self.bodies.has_debts(limits) || self.share.is_owed_for()
    }
}

impl Pacing {
    fn new(limits: &CallLimits) -> Self {
        Self { pace: Mutex::new(CallPace::new(limits)), pausing: AtomicUsize::new(0) }
    }

    async fn keep(&self, limits: &CallLimits) -> Result<(), PlaceRefused> {
        let wait = self.pace.lock().take_turn(limits).ok_or(PlaceRefused)?;
        if wait.is_zero() {
            return Ok(());
        }
        let pausing = Pausing(&self.pausing);
        if pausing.0.fetch_add(1, Ordering::Relaxed) >= limits.waiting_per_client {
            return Err(PlaceRefused);
        }
        sleep(wait).await;
        Ok(())
    }

    fn has_debts(&self, limits: &CallLimits) -> bool {
        self.pace.lock().has_debts(limits)
    }
}

/// Decrements the count when the wait ends, also if it is cancelled.
struct Pausing<'a>(&'a AtomicUsize);

impl Drop for Pausing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::World;

    async fn enter(limiter: &CallLimiter, of: ClientId, paced: bool) -> Result<CallPermit, PlaceRefused> {
        limiter.enter(of, CallBudget::Turn, paced, Instant::now() + limiter.limits.queue_wait).await
    }

    fn limiter() -> CallLimiter {
        CallLimiter::new(Arc::new(CallLimits { calls_per_second: 10, ..CallLimits::default() }))
    }

    fn client(number: u128) -> ClientId {
        ClientId(uuid::Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn calls_beyond_those_of_two_seconds_wait_and_those_that_would_wait_too_long_are_refused() {
        let limiter = limiter();
        let begin = Instant::now();
        for _ in 0..20 {
            assert!(enter(&limiter, client(1), true).await.is_ok());
        }
        assert!(begin.elapsed() < Duration::from_millis(1), "the calls of two seconds are available at once");
        assert!(enter(&limiter, client(1), true).await.is_ok());
        assert_eq!(begin.elapsed().as_millis() / 10, 10, "the next waits a tenth of a second");
        assert!(enter(&limiter, client(2), true).await.is_ok());
        assert_eq!(begin.elapsed().as_millis() / 10, 10, "another client does not wait");
        let refused = refused_of(&limiter, 40).await;
        assert_eq!(refused, 20, "twenty find a place within the two seconds of the queue");
    }

    async fn refused_of(limiter: &CallLimiter, calls: usize) -> usize {
        let client = limiter.client(client(1));
        (0..calls).filter(|_| client.turns.pace.lock().take_turn(&limiter.limits).is_none()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn shadows_have_room_of_their_own_and_take_none_of_the_live_calls() {
        let limits = CallLimits { calls: 2, calls_per_client: 2, shadows_per_client: 3, ..CallLimits::default() };
        let limiter = CallLimiter::new(Arc::new(limits));
        let mut shadows: Vec<ShadowPlace> = (0..3).map(|_| limiter.enter_shadow(client(1)).unwrap()).collect();
        assert!(limiter.enter_shadow(client(1)).is_none(), "three and no more, and it does not wait");
        assert!(limiter.enter_shadow(client(2)).is_some(), "another client has its own");
        let begin = Instant::now();
        let live = (enter(&limiter, client(1), true).await, enter(&limiter, client(1), true).await);
        assert!(live.0.is_ok() && live.1.is_ok(), "every place of the live calls is free");
        assert!(begin.elapsed().is_zero());
        shadows.pop();
        assert!(limiter.enter_shadow(client(1)).is_some(), "room is given back");
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_of_webhooks_do_not_wait_for_chatbots_of_any_client() {
        let limits = CallLimits { calls: 4, calls_per_client: 4, ..CallLimits::default() };
        let limiter = CallLimiter::new(Arc::new(limits));
        let until = || Instant::now() + Duration::from_secs(2);
        let mut turns = Vec::new();
        for _ in 0..4 {
            turns.push(enter(&limiter, client(1), true).await.ok().unwrap());
        }
        assert!(enter(&limiter, client(2), true).await.is_err(), "there is no place for another chatbot");
        let begin = Instant::now();
        for of in [1, 2] {
            assert!(limiter.enter(client(of), CallBudget::Body, true, until()).await.is_ok(), "a body of client {of}");
        }
        assert!(begin.elapsed().is_zero());
        let body = limiter.enter(client(1), CallBudget::Body, true, until()).await;
        assert!(limiter.enter(client(2), CallBudget::Body, true, until()).await.is_err(), "a quarter as many at once");
        drop(body);
    }

    #[test]
    fn webhook_shapers_alone_have_the_places_of_bodies() {
        let kinds = World::ALL.map(|world| (world, world.row().budget));
        let bodies: Vec<World> =
            kinds.into_iter().filter(|(_, kind)| *kind == CallBudget::Body).map(|(world, _)| world).collect();
        assert_eq!(bodies, [World::WebhookShaper]);
    }

    #[tokio::test]
    async fn all_shadows_together_have_bounded_room() {
        let limiter = limiter();
        let held: Vec<ShadowPlace> = (0..100).filter_map(|number| limiter.enter_shadow(client(number))).collect();
        assert_eq!(held.len(), MOST_REPLAYS);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_are_not_paced_do_not_wait() {
        let limiter = limiter();
        let begin = Instant::now();
        for _ in 0..1_000 {
            assert!(enter(&limiter, client(1), false).await.is_ok());
        }
        assert!(begin.elapsed() < Duration::from_millis(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_with_a_debt_is_remembered_and_one_without_is_dropped() {
        let limiter = limiter();
        for _ in 0..20 {
            assert!(enter(&limiter, client(0), true).await.is_ok());
        }
        for number in 1..3_000 {
            drop(enter(&limiter, client(number), false).await);
        }
        let known = limiter.clients.lock().len();
        assert!(known <= REMEMBERED, "{known}");
        assert!(limiter.client(client(0)).has_debts(&limiter.limits));
    }
}
