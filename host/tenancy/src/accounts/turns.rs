//! The order in which passwords are hashed. A hash needs a core for a while and any stranger may request one, so logins
//! wait: one at a time per source, with strangers apart from sources that have logged in before. So a flood of
//! strangers does not delay returning users. Strangers of one IPv6 network also wait for each other, and strangers take
//! turns with all other work for strangers. A login takes a place before it costs anything. If all places are taken, the
//! newest login of the source with the most logins ends.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use base::{SharePart, Shares};
use domain::{
    source::{CountedSource, SourceNetwork},
    source_places::{SourcePlace, SourcePlaces},
};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

const WAITING_PER_SOURCE: usize = 64;
/// Bound on waiting logins of all sources without a remembered login, and of all others. Waiting logins hold places of
/// requests, so this is a fraction of the half that callers without a key have.
const WAITING: usize = 256;
/// Bound on those of one /48 network of IPv6.
const WAITING_PER_NETWORK: usize = WAITING / 2;
const REMEMBERED: usize = 4_096;
/// Logins that use the database at the same time before they wait, of strangers and of all others.
const LOOKUPS: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LoginVisitor {
    source: CountedSource,
    account: Vec<u8>,
}

impl LoginVisitor {
    pub(super) fn new(source: CountedSource, account: Vec<u8>) -> Self {
        Self { source, account }
    }
}

/// Too many logins wait, and this one is the newest of the source with the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoginQueueFull;

pub(super) struct LoginTurns {
    /// The processors of all strangers.
    share: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    familiar: Arc<Semaphore>,
    lookups: Semaphore,
    lookups_of_familiar: Semaphore,
    places: SourcePlaces,
    places_of_familiar: SourcePlaces,
    /// The one turn of the strangers of each IPv6 network.
    turns_of_networks: Shares<SourceNetwork>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    by_source: HashMap<CountedSource, Queue>,
    seen: HashSet<LoginVisitor>,
    order: VecDeque<LoginVisitor>,
}

struct Queue {
    turn: Arc<Semaphore>,
    is_familiar: bool,
    /// The logins, oldest first. A login whose turn has come cannot be ended.
    logins: Vec<Login>,
}

struct Login {
    number: u64,
    end: CancellationToken,
    has_turn: bool,
    _share: SourcePlace,
}

pub(super) struct Place<'t> {
    turns: &'t LoginTurns,
    source: CountedSource,
    number: u64,
    is_familiar: bool,
    of_source: Arc<Semaphore>,
    end: CancellationToken,
}

/// A turn. The next one starts when it is dropped.
pub(super) struct LoginTurn<'t> {
    _place: Place<'t>,
    _of_source: Option<OwnedSemaphorePermit>,
    _of_network: SharePart,
    _of_all: Option<OwnedSemaphorePermit>,
    _share: Option<OwnedSemaphorePermit>,
}

impl LoginTurns {
    pub(super) fn new(share: Arc<Semaphore>) -> Self {
        let one = || Arc::new(Semaphore::new(1));
        let (lookups, lookups_of_familiar) = (Semaphore::new(LOOKUPS), Semaphore::new(LOOKUPS));
        let places = || SourcePlaces::new(WAITING_PER_SOURCE).within_networks(WAITING_PER_NETWORK);
        Self {
            share,
            strangers: one(),
            familiar: one(),
            lookups,
            lookups_of_familiar,
            places: places(),
            places_of_familiar: places(),
            turns_of_networks: Shares::new(1),
            state: Mutex::default(),
        }
    }

    pub(super) fn enter(&self, source: CountedSource) -> Result<Place<'_>, LoginQueueFull> {
        let mut state = self.lock();
        let is_familiar = state.by_source.get(&source).map_or_else(|| state.knows(source), |queue| queue.is_familiar);
        let places = if is_familiar { &self.places_of_familiar } else { &self.places };
        let share = places.take(source).ok_or(LoginQueueFull)?;
        if !state.make_room(is_familiar, places.held_by(source)) {
            return Err(LoginQueueFull);
        }
        let (number, end) = (state.next, CancellationToken::new());
        state.next += 1;
        let new = || Queue { turn: Arc::new(Semaphore::new(1)), is_familiar, logins: Vec::new() };
        let queue = state.by_source.entry(source).or_insert_with(new);
        queue.logins.push(Login { number, end: end.clone(), has_turn: false, _share: share });
        Ok(Place { turns: self, source, number, is_familiar, of_source: Arc::clone(&queue.turn), end })
    }

    pub(super) fn remember(&self, visitor: LoginVisitor) {
        let mut state = self.lock();
        if state.seen.insert(visitor.clone()) {
            state.order.push_back(visitor);
        }
        if state.order.len() > REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.seen.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn knows(&self, source: CountedSource) -> bool {
        self.order.iter().any(|visitor| visitor.source == source)
    }

    /// Makes room for a login of a source that then has `share` logins. Returns `false` if no source has more.
    fn make_room(&mut self, familiar: bool, share: usize) -> bool {
        let alike = |queue: &&mut Queue| queue.is_familiar == familiar;
        if self.by_source.values_mut().filter(alike).map(|queue| queue.logins.len()).sum::<usize>() < WAITING {
            return true;
        }
        let largest = self.by_source.values_mut().filter(alike).max_by_key(|queue| queue.logins.len());
        let Some(largest) = largest.filter(|queue| queue.logins.len() > share) else { return false };
        let Some(newest) = largest.logins.iter().rposition(|login| !login.has_turn) else { return false };
        largest.logins.remove(newest).end.cancel();
        true
    }

    fn login(&mut self, source: CountedSource, number: u64) -> Option<&mut Login> {
        self.by_source.get_mut(&source)?.logins.iter_mut().find(|login| login.number == number)
    }
}

/// Counts a login in the metrics while it waits.
struct WaitingLogin;

impl WaitingLogin {
    fn begin() -> Self {
        metrics::gauge!("patchbay_logins_waiting").increment(1.0);
        Self
    }
}

impl Drop for WaitingLogin {
    fn drop(&mut self) {
        metrics::gauge!("patchbay_logins_waiting").decrement(1.0);
    }
}

impl<'t> Place<'t> {
    /// Waits for a turn to look the account up: an account without attempts left costs no turn to hash, and would be
    /// looked up as often as a stranger asks.
    pub(super) async fn look_up(&self) -> Result<SemaphorePermit<'t>, LoginQueueFull> {
        let _waits = WaitingLogin::begin();
        let lookups = if self.is_familiar { &self.turns.lookups_of_familiar } else { &self.turns.lookups };
        let turn = self.end.run_until_cancelled(lookups.acquire()).await;
        turn.and_then(Result::ok).ok_or(LoginQueueFull)
    }

    pub(super) async fn wait(self, visitor: &LoginVisitor) -> Result<LoginTurn<'t>, LoginQueueFull> {
        let waits = WaitingLogin::begin();
        let is_familiar = self.turns.lock().seen.contains(visitor);
        let all = if is_familiar { &self.turns.familiar } else { &self.turns.strangers };
        let waiting = async {
            // Only the first login of each source, and of the strangers of each network, waits in the common queue, so
            // that they take turns.
            let of_source = Arc::clone(&self.of_source).acquire_owned().await.ok();
            let of_network = match self.source.network().filter(|_| !is_familiar) {
                Some(network) => self.turns.turns_of_networks.take(network, 1).await,
                None => None,
            };
            let of_all = Arc::clone(all).acquire_owned().await.ok();
            let share = if is_familiar { None } else { Arc::clone(&self.turns.share).acquire_owned().await.ok() };
            (of_source, of_network, of_all, share)
        };
        let (of_source, of_network, of_all, share) =
            self.end.run_until_cancelled(waiting).await.ok_or(LoginQueueFull)?;
        self.turns.lock().login(self.source, self.number).ok_or(LoginQueueFull)?.has_turn = true;
        drop(waits);
        Ok(LoginTurn { _place: self, _of_source: of_source, _of_network: of_network, _of_all: of_all, _share: share })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        let Some(queue) = state.by_source.get_mut(&self.source) else { return };
        queue.logins.retain(|login| login.number != self.number);
        if queue.logins.is_empty() {
            state.by_source.remove(&self.source);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures::{FutureExt, poll};

    use super::*;

    fn turns() -> LoginTurns {
        LoginTurns::new(Arc::new(Semaphore::new(1)))
    }

    fn visitor(address: &str, account: u8) -> LoginVisitor {
        LoginVisitor::new(CountedSource::of(address.parse().unwrap()), vec![account])
    }

    fn of_ipv6(address: u128) -> CountedSource {
        CountedSource::of(IpAddr::from(address.to_be_bytes()))
    }

    async fn wait<'t>(turns: &'t LoginTurns, visitor: &LoginVisitor) -> Result<LoginTurn<'t>, LoginQueueFull> {
        turns.enter(visitor.source)?.wait(visitor).await
    }

    #[tokio::test]
    async fn a_known_source_does_not_wait_for_strangers() {
        let turns = turns();
        let _stranger = wait(&turns, &visitor("192.0.2.1", 1)).await.unwrap();
        let returning = visitor("192.0.2.2", 2);
        assert!(wait(&turns, &returning).now_or_never().is_none());
        turns.remember(returning.clone());
        assert!(wait(&turns, &returning).now_or_never().is_some());
        // Another account, or another source, counts as a stranger.
        assert!(wait(&turns, &visitor("192.0.2.2", 3)).now_or_never().is_none());
        assert!(wait(&turns, &visitor("192.0.2.3", 2)).now_or_never().is_none());
    }

    #[tokio::test]
    async fn only_strangers_wait_for_other_work_for_strangers() {
        let turns = turns();
        let (stranger, returning) = (visitor("192.0.2.1", 1), visitor("192.0.2.2", 2));
        turns.remember(returning.clone());
        let work = Arc::clone(&turns.share).acquire_owned().await.unwrap();
        let mut waiting = Box::pin(wait(&turns, &stranger));
        assert!(poll!(&mut waiting).is_pending());
        assert!(wait(&turns, &returning).now_or_never().is_some());
        drop(work);
        assert!(poll!(&mut waiting).is_ready());
    }

    #[tokio::test]
    async fn sources_take_turns_however_many_logins_one_of_them_sends() {
        let turns = turns();
        let crowd = visitor("192.0.2.1", 1);
        let first = wait(&turns, &crowd).await.unwrap();
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(wait(&turns, &crowd))).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        let other = visitor("192.0.2.2", 2);
        let mut other = Box::pin(wait(&turns, &other));
        assert!(poll!(&mut other).is_pending());
        drop(first);
        assert!(poll!(&mut other).is_ready());
    }

    #[tokio::test]
    async fn a_network_takes_one_turn_however_many_sources_it_has() {
        let turns = turns();
        let crowd: Vec<_> = (0..10).map(|subnet| visitor(&format!("2001:db8:1:{subnet}::1"), 1)).collect();
        let first = wait(&turns, &crowd[0]).await.unwrap();
        let mut waiting: Vec<_> = crowd.iter().map(|one| Box::pin(wait(&turns, one))).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        let (other, returning) = (visitor("2001:db8:2:1::1", 2), visitor("2001:db8:1:77::1", 3));
        let mut other = Box::pin(wait(&turns, &other));
        assert!(poll!(&mut other).is_pending());
        turns.remember(returning.clone());
        assert!(wait(&turns, &returning).now_or_never().is_some(), "it has logged in before");
        drop(first);
        assert!(poll!(&mut other).is_ready());
        assert!(poll!(&mut waiting[1]).is_ready(), "the next source of the network");
    }

    #[tokio::test]
    async fn the_waiters_of_one_source_are_limited() {
        let turns = turns();
        let crowd = visitor("2001:db8::1", 1);
        let first = wait(&turns, &crowd).await.unwrap();
        let mut waiting: Vec<_> = (1..WAITING_PER_SOURCE).map(|_| Box::pin(wait(&turns, &crowd))).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        let neighbour = visitor("2001:db8::2", 1);
        assert!(wait(&turns, &neighbour).await.is_err());
        waiting.pop();
        assert!(wait(&turns, &neighbour).now_or_never().is_none(), "there is a place to wait in");
        drop((waiting, first));
        assert!(wait(&turns, &neighbour).await.is_ok());
        assert!(turns.lock().by_source.is_empty());
    }

    #[tokio::test]
    async fn beyond_the_places_the_newest_login_of_the_largest_source_ends() {
        let turns = turns();
        let address = |number: usize| CountedSource::of([192, 0, 2, u8::try_from(number).unwrap()].into());
        let held: Vec<_> = (0..WAITING - 2).map(|at| turns.enter(address(at % 8)).unwrap()).collect();
        let (older, newer) = (turns.enter(address(9)).unwrap(), turns.enter(address(9)).unwrap());

        let newcomer = turns.enter(address(10)).unwrap();

        let ended: Vec<usize> = (0..held.len()).filter(|at| held[*at].end.is_cancelled()).collect();
        assert_eq!(ended.len(), 1);
        assert!(ended[0] >= held.len() - 8, "the newest of a source with {} logins", held.len() / 8);
        assert!(!older.end.is_cancelled() && !newer.end.is_cancelled() && !newcomer.end.is_cancelled());
        assert!(turns.enter(address(ended[0] % 8)).is_err(), "no source pushes others out for a larger share");
        let visitor = LoginVisitor { source: newcomer.source, account: vec![1] };
        let turn = held.into_iter().nth(ended[0]).unwrap().wait(&visitor).await;
        assert!(turn.is_err());
    }

    #[tokio::test]
    async fn few_strangers_look_accounts_up_at_once_and_they_delay_no_source_that_has_logged_in_before() {
        let turns = turns();
        let address = |last: u8| CountedSource::of([192, 0, 2, last].into());
        turns.remember(LoginVisitor::new(address(9), vec![1]));
        let places: Vec<_> = (0..4).map(|at| turns.enter(address(at)).unwrap()).collect();
        let mut held = vec![places[0].look_up().await.unwrap(), places[1].look_up().await.unwrap()];
        let mut third = Box::pin(places[2].look_up());
        assert!(poll!(&mut third).is_pending());
        assert!(turns.enter(address(9)).unwrap().look_up().now_or_never().is_some());
        held.pop();
        assert!(poll!(&mut third).is_ready());
    }

    #[test]
    fn logins_of_strangers_take_no_place_of_sources_that_have_logged_in_before() {
        let turns = turns();
        let address = |number: usize| of_ipv6(u128::try_from(number).unwrap() << 80);
        let _strangers: Vec<_> = (0..WAITING).map(|at| turns.enter(address(at)).unwrap()).collect();
        assert!(turns.enter(address(WAITING)).is_err());
        turns.remember(LoginVisitor::new(address(WAITING), vec![1]));
        assert!(turns.enter(address(WAITING)).is_ok());
    }

    #[test]
    fn the_sources_of_one_ipv6_network_have_half_of_the_places() {
        let turns = turns();
        let address = |network: u128, subnet: usize| of_ipv6((network << 80) | (u128::try_from(subnet).unwrap() << 64));
        let mut held: Vec<_> =
            (0..WAITING_PER_NETWORK).map(|subnet| turns.enter(address(1, subnet)).unwrap()).collect();
        assert!(turns.enter(address(1, WAITING_PER_NETWORK)).is_err());
        assert!(turns.enter(address(2, 0)).is_ok());
        held.pop();
        assert!(turns.enter(address(1, WAITING_PER_NETWORK)).is_ok());
    }

    #[test]
    fn a_source_that_stays_away_for_long_is_forgotten() {
        let turns = turns();
        let of = |number: usize| LoginVisitor::new(CountedSource::UNKNOWN, number.to_be_bytes().to_vec());
        (0..=REMEMBERED).for_each(|number| turns.remember(of(number)));
        let state = turns.lock();
        assert!(!state.seen.contains(&of(0)) && state.seen.contains(&of(1)) && state.seen.contains(&of(REMEMBERED)));
    }
}
