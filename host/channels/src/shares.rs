//! Shares: a limit of the same size for each key, such as a client or a source. A caller takes amounts of it, and may wait
//! for them. `domain::source_places` counts places of sources without waits.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most shares that are kept. When there are more, unused ones are removed.
const KEPT: usize = 1024;

/// A part of a share, returned when it is dropped. `None`: the key is not known and has no limit.
pub type SharePart = Option<OwnedSemaphorePermit>;

pub struct Shares<K> {
    each: u32,
    by_key: Mutex<HashMap<K, Weak<Semaphore>>>,
}

impl<K: Hash + Eq> Shares<K> {
    pub fn new(each: usize) -> Self {
        Self { each: u32::try_from(each).unwrap_or(u32::MAX).max(1), by_key: Mutex::default() }
    }

    /// Takes a part if there is one. A request for more than a share takes the whole share.
    pub fn try_take(&self, key: K, much: usize) -> Option<OwnedSemaphorePermit> {
        self.share(key).try_acquire_many_owned(self.within(much)).ok()
    }

    /// Waits for a part, in the order of requests.
    pub fn take(&self, key: K, much: usize) -> impl Future<Output = SharePart> + Send + use<K> {
        let (share, much) = (self.share(key), self.within(much));
        // Shares are never closed.
        async move { share.acquire_many_owned(much).await.ok() }
    }

    fn within(&self, much: usize) -> u32 {
        u32::try_from(much).unwrap_or(u32::MAX).min(self.each)
    }

    fn share(&self, key: K) -> Arc<Semaphore> {
        let mut shares = self.by_key.lock();
        if let Some(share) = shares.get(&key).and_then(Weak::upgrade) {
            return share;
        }
        if shares.len() >= KEPT {
            shares.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::new(Semaphore::new(self.each.try_into().unwrap_or(Semaphore::MAX_PERMITS)));
        shares.insert(key, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_share_delays_only_its_own_key() {
        let shares = Shares::new(3);
        let two = shares.try_take("a", 2).unwrap();
        assert!(shares.try_take("a", 2).is_none());
        assert!(shares.try_take("b", 3).is_some());
        let mut next = Box::pin(shares.take("a", 2));
        assert!(futures::poll!(&mut next).is_pending());
        drop(two);
        assert!(futures::poll!(&mut next).is_ready());
    }

    #[test]
    fn a_share_above_the_whole_is_the_whole() {
        let shares = Shares::new(3);
        let all = shares.try_take("a", 1_000).unwrap();
        assert!(shares.try_take("a", 1).is_none());
        drop(all);
        assert!(shares.try_take("a", 1).is_some());
    }

    #[test]
    fn shares_that_nothing_is_taken_from_are_not_kept_for_ever() {
        let shares = Shares::new(1);
        for key in 0..5 * KEPT {
            drop(shares.try_take(key, 1).unwrap());
        }
        assert!(shares.by_key.lock().len() <= KEPT);
    }
}
