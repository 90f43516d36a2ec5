//! The order in which passwords are hashed. A hash needs a core for a while and any stranger may request one, so logins
//! wait: one at a time per source, with strangers apart from sources that have logged in before. So a flood of
//! strangers does not delay returning users.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    net::IpAddr,
    sync::Arc,
};

use domain::source::source_of;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bound on waiting logins of one source.
const WAITING_PER_SOURCE: usize = 64;
/// Bound on remembered pairs of source and account.
const REMEMBERED: usize = 4_096;

/// The source of a login and the account it names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LoginVisitor {
    source: Option<IpAddr>,
    account: Vec<u8>,
}

impl LoginVisitor {
    pub(super) fn new(address: Option<IpAddr>, account: Vec<u8>) -> Self {
        Self { source: address.map(source_of), account }
    }
}

/// Too many logins of this source already wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoginQueueFull;

pub(super) struct LoginTurns {
    strangers: Arc<Semaphore>,
    familiar: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    by_source: HashMap<Option<IpAddr>, Queue>,
    seen: HashSet<LoginVisitor>,
    /// The same visitors, oldest first.
    order: VecDeque<LoginVisitor>,
}

struct Queue {
    turn: Arc<Semaphore>,
    length: usize,
}

/// A turn. The next one starts when it is dropped.
pub(super) struct LoginTurn<'t> {
    _place: Place<'t>,
    _of_source: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

struct Place<'t> {
    turns: &'t LoginTurns,
    source: Option<IpAddr>,
}

impl LoginTurns {
    pub(super) fn new() -> Self {
        Self { strangers: Arc::new(Semaphore::new(1)), familiar: Arc::new(Semaphore::new(1)), state: Mutex::default() }
    }

    pub(super) async fn wait(&self, visitor: &LoginVisitor) -> Result<LoginTurn<'_>, LoginQueueFull> {
        let (of_source, familiar) = self.enter(visitor)?;
        let place = Place { turns: self, source: visitor.source };
        // Only the first login of each source waits in the common queue, so that sources take turns.
        let of_source = of_source.acquire_owned().await.ok();
        let all = if familiar { &self.familiar } else { &self.strangers };
        let of_all = Arc::clone(all).acquire_owned().await.ok();
        Ok(LoginTurn { _place: place, _of_source: of_source, _of_all: of_all })
    }

    fn enter(&self, visitor: &LoginVisitor) -> Result<(Arc<Semaphore>, bool), LoginQueueFull> {
        let mut state = self.lock();
        let familiar = state.seen.contains(visitor);
        let new = || Queue { turn: Arc::new(Semaphore::new(1)), length: 0 };
        let queue = state.by_source.entry(visitor.source).or_insert_with(new);
        if queue.length >= WAITING_PER_SOURCE {
            return Err(LoginQueueFull);
        }
        queue.length += 1;
        Ok((Arc::clone(&queue.turn), familiar))
    }

    /// Remembers a visitor with a correct password.
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

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        let Some(queue) = state.by_source.get_mut(&self.source) else { return };
        queue.length -= 1;
        if queue.length == 0 {
            state.by_source.remove(&self.source);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, poll};

    use super::*;

    fn visitor(address: &str, account: u8) -> LoginVisitor {
        LoginVisitor::new(Some(address.parse().unwrap()), vec![account])
    }

    #[tokio::test]
    async fn who_was_here_before_does_not_wait_for_strangers() {
        let turns = LoginTurns::new();
        let _stranger = turns.wait(&visitor("192.0.2.1", 1)).await.unwrap();
        let returning = visitor("192.0.2.2", 2);
        assert!(turns.wait(&returning).now_or_never().is_none());
        turns.remember(returning.clone());
        assert!(turns.wait(&returning).now_or_never().is_some());
        // Another account, or another source, counts as a stranger.
        assert!(turns.wait(&visitor("192.0.2.2", 3)).now_or_never().is_none());
        assert!(turns.wait(&visitor("192.0.2.3", 2)).now_or_never().is_none());
    }

    #[tokio::test]
    async fn sources_take_turns_however_many_logins_one_of_them_sends() {
        let turns = LoginTurns::new();
        let crowd = visitor("192.0.2.1", 1);
        let first = turns.wait(&crowd).await.unwrap();
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(turns.wait(&crowd))).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        let other = visitor("192.0.2.2", 2);
        let mut other = Box::pin(turns.wait(&other));
        assert!(poll!(&mut other).is_pending());
        drop(first);
        assert!(poll!(&mut other).is_ready());
    }

    #[tokio::test]
    async fn of_one_source_so_many_wait_and_no_more() {
        let turns = LoginTurns::new();
        let crowd = visitor("2001:db8::1", 1);
        let first = turns.wait(&crowd).await.unwrap();
        let mut waiting: Vec<_> = (1..WAITING_PER_SOURCE).map(|_| Box::pin(turns.wait(&crowd))).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        let neighbour = visitor("2001:db8::2", 1);
        assert!(turns.wait(&neighbour).await.is_err());
        waiting.pop();
        assert!(turns.wait(&neighbour).now_or_never().is_none(), "there is a place to wait in");
        drop((waiting, first));
        assert!(turns.wait(&neighbour).await.is_ok());
        assert!(turns.lock().by_source.is_empty());
    }

    #[test]
    fn who_has_not_come_back_for_long_is_forgotten() {
        let turns = LoginTurns::new();
        let of = |number: usize| LoginVisitor::new(None, number.to_be_bytes().to_vec());
        (0..=REMEMBERED).for_each(|number| turns.remember(of(number)));
        let state = turns.lock();
        assert!(!state.seen.contains(&of(0)) && state.seen.contains(&of(1)) && state.seen.contains(&of(REMEMBERED)));
    }
}
