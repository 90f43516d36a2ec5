//! The processor time of one peer.

use std::{sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::shared_processors::SharedProcessors;

/// Processor time that a peer with a share may use at once without turns.
const LITTLE: Duration = Duration::from_millis(50);
/// The part of a processor that it may use so in the long run is one divided by this.
const LITTLE_ONE_OF: u32 = 100;
/// Time for which a peer counts as known after work for a client or a provider.
const KNOWN: Duration = Duration::from_secs(600);

/// The processor time of one peer, which several tasks may share.
#[derive(Debug)]
pub struct Pace {
    at_once: Duration,
    one_of: u32,
    earned: Mutex<EarnedTimes>,
    share: Option<ProcessorShare>,
}

/// The times at which all use so far is earned. In the past for a peer that has used little.
#[derive(Debug, Clone, Copy)]
struct EarnedTimes {
    /// At the rate at which the peer pauses.
    pause: Instant,
    /// At the rate at which it takes turns.
    turns: Instant,
    /// Until then it is known, and takes turns only for its own use.
    known: Instant,
}

#[derive(Debug)]
struct ProcessorShare {
    of_all: Arc<SharedProcessors>,
    /// The one turn of this peer, so that peers take turns however many tasks one of them has.
    own: Arc<Semaphore>,
}

pub(super) struct ProcessorTurn {
    _own: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl Pace {
    /// `at_once` may be used without a pause, and one part of `one_of` of a processor in the long run.
    pub fn new(at_once: Duration, one_of: u32) -> Self {
        let now = Instant::now();
        Self { at_once, one_of, earned: Mutex::new(EarnedTimes { pause: now, turns: now, known: now }), share: None }
    }

    /// The same for a peer that shares processors with others: it takes turns with them unless it, and all of them,
    /// use little.
    #[must_use]
    pub fn within(self, of_all: Arc<SharedProcessors>) -> Self {
        Self { share: Some(ProcessorShare { of_all, own: Arc::new(Semaphore::new(1)) }), ..self }
    }

    pub fn note(&self, used: Duration) {
        if let Some(share) = &self.share {
            share.of_all.note(used);
        }
        self.note_in_turn(used);
    }

    pub(super) fn note_in_turn(&self, used: Duration) {
        let (mut earned, now) = (self.lock_times(), Instant::now());
        earned.pause = earned.pause.max(now) + used * self.one_of;
        // Much use is forgotten as quickly as twice the use without turns.
        let turns = earned.turns.max(now) + used * LITTLE_ONE_OF;
        earned.turns = turns.min(now + LITTLE * LITTLE_ONE_OF * 2);
    }

    pub fn refund(&self, used: Duration) {
        let (mut earned, now) = (self.lock_times(), Instant::now());
        if let Some(share) = &self.share {
            // No more than this peer has used lately: the rest would be a gift to others.
            let lately = earned.turns.saturating_duration_since(now) / LITTLE_ONE_OF;
            share.of_all.refund(used.min(lately));
        }
        earned.known = now + KNOWN;
        earned.pause = earned.pause.checked_sub(used * self.one_of).unwrap_or(earned.pause);
        earned.turns = earned.turns.checked_sub(used * LITTLE_ONE_OF).unwrap_or(earned.turns);
    }

    /// Returns until when tasks of this peer pause, if they must.
    pub fn pause(&self) -> Option<Instant> {
        let until = self.lock_times().pause.checked_sub(self.at_once * self.one_of)?;
        (until > Instant::now()).then_some(until)
    }

    /// The wait for a turn. `None` if the peer needs none.
    pub(super) fn turn(&self) -> Option<BoxFuture<'static, ProcessorTurn>> {
        let share = self.share.as_ref()?;
        let (earned, now) = (*self.lock_times(), Instant::now());
        let uses_little = earned.turns <= now + LITTLE * LITTLE_ONE_OF;
        if uses_little && (earned.known > now || !share.of_all.are_short()) {
            return None;
        }
        let (own, of_all) = (Arc::clone(&share.own), share.of_all.turns());
        // Only one task of each peer waits among all, so that peers take turns. The semaphores are never closed.
        let turn = async move {
            let own = own.acquire_owned().await.ok();
            ProcessorTurn { _own: own, _of_all: of_all.acquire_owned().await.ok() }
        };
        Some(turn.boxed())
    }

    pub fn is_unused(&self) -> bool {
        let (earned, now) = (*self.lock_times(), Instant::now());
        earned.pause <= now && earned.turns <= now && earned.known <= now
    }

    fn lock_times(&self) -> MutexGuard<'_, EarnedTimes> {
        self.earned.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn tasks_of_one_peer_share_its_time_and_rest_earns_no_more_than_the_beginning() {
        let pace = Pace::new(Duration::from_secs(1), 4);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        pace.note(Duration::from_millis(600));
        assert_eq!(pace.pause(), None);
        pace.note(Duration::from_millis(600));
        assert_eq!(pace.pause(), Some(Instant::now() + Duration::from_millis(800)));
        pace.refund(Duration::from_millis(200));
        assert_eq!(pace.pause(), None, "work for a client does not count");
        assert!(!pace.is_unused());
        tokio::time::advance(Duration::from_secs(4)).await;
        assert!(!pace.is_unused(), "it is known");
        tokio::time::advance(KNOWN).await;
        assert!(pace.is_unused());
    }

    fn share() -> (Arc<SharedProcessors>, [Pace; 2]) {
        let of_all = Arc::new(SharedProcessors::new(1));
        let peer = || Pace::new(Duration::from_secs(1), 4).within(Arc::clone(&of_all));
        (Arc::clone(&of_all), [peer(), peer()])
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_with_little_use_needs_no_turn_and_one_with_much_use_does() {
        let (_of_all, [light, heavy]) = share();
        heavy.note(Duration::from_millis(60));
        for _ in 0..90 {
            light.note(Duration::from_millis(10));
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(light.turn().is_none());
            heavy.note_in_turn(Duration::from_millis(20));
            assert!(heavy.turn().is_some());
        }
        tokio::time::advance(Duration::from_secs(5)).await;
        assert!(heavy.turn().is_none(), "its use is forgotten");
        heavy.note(Duration::from_millis(60));
        heavy.refund(Duration::from_millis(60));
        assert!(heavy.turn().is_none(), "it was work for a client");
    }

    #[tokio::test(start_paused = true)]
    async fn peers_take_turns_however_many_tasks_one_of_them_has() {
        let (of_all, [crowd, other]) = share();
        for peer in [&crowd, &other] {
            peer.note(Duration::from_millis(60));
        }
        let first = crowd.turn().unwrap().await;
        let mut waiting: Vec<_> = (0..10).map(|_| crowd.turn().unwrap()).collect();
        for one in &mut waiting {
            assert!(futures::poll!(one).is_pending());
        }
        let mut other = other.turn().unwrap();
        assert!(futures::poll!(&mut other).is_pending());
        drop(first);
        assert!(futures::poll!(&mut waiting[0]).is_pending(), "it is in the queue behind the other peer");
        drop(other.await);
        drop(waiting.remove(0).await);
        drop(waiting);
        assert_eq!(of_all.turns().available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn many_peers_that_use_little_each_take_turns_and_one_that_is_known_does_not() {
        let (of_all, [known, newcomer]) = share();
        known.refund(Duration::from_millis(1));
        for _ in 0..60 {
            Pace::new(Duration::from_secs(1), 4).within(Arc::clone(&of_all)).note(Duration::from_millis(20));
        }
        assert!(newcomer.turn().is_some() && known.turn().is_none());
        tokio::time::advance(KNOWN).await;
        assert!(known.turn().is_some());
        drop(of_all.turns().acquire_owned().await);
    }
}
