//! Rate limits: token buckets that fill at a steady rate and hold the tokens of a minute.

use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

use domain::token_bucket::{TokenBucket, TokenRate};
use parking_lot::Mutex;

/// Most keys that are remembered. When there are more, full buckets are forgotten.
const REMEMBERED: usize = 10_000;

pub(super) struct Buckets<K> {
    rate: TokenRate,
    by_key: Mutex<HashMap<K, TokenBucket>>,
}

impl<K: Hash + Eq> Buckets<K> {
    pub(super) fn new(per_minute: u32) -> Self {
        Self { rate: TokenRate::of(per_minute.max(1), 60), by_key: Mutex::default() }
    }

    /// Takes `cost` tokens, or returns the time until they are there. A cost of more than a minute's tokens takes all.
    pub(super) fn take(&self, key: K, cost: u32, now: Instant) -> Result<(), Duration> {
        let cost = f64::from(cost).min(self.rate.most);
        let mut buckets = self.by_key.lock();
        if buckets.len() >= REMEMBERED && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| !bucket.is_full(self.rate, now));
        }
        buckets.entry(key).or_insert_with(|| TokenBucket::full(self.rate, now)).take(self.rate, cost, now)
    }

    /// Returns tokens of a request that was refused for another reason.
    pub(super) fn give_back(&self, key: &K, cost: u32) {
        let mut buckets = self.by_key.lock();
        if let Some(bucket) = buckets.get_mut(key) {
            bucket.give_back(self.rate, f64::from(cost));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_a_minute_may_be_used_at_once_and_then_as_it_refills() {
        let (buckets, begin) = (Buckets::new(30), Instant::now());
        assert!((0..30).all(|_| buckets.take(1, 1, begin).is_ok()));
        let wait = buckets.take(1, 1, begin).unwrap_err();
        assert!((1.9..=2.1).contains(&wait.as_secs_f64()), "{wait:?}");
        assert!(buckets.take(2, 1, begin).is_ok(), "another visitor is not held back");
        assert!(buckets.take(1, 1, begin + Duration::from_millis(2_010)).is_ok());
        assert!(buckets.take(1, 1, begin + Duration::from_millis(2_020)).is_err());
    }

    #[test]
    fn a_cost_is_taken_whole_or_not_at_all_and_can_be_given_back() {
        let (buckets, begin) = (Buckets::new(60), Instant::now());
        buckets.take(1, 56, begin).unwrap();
        let wait = buckets.take(1, 5, begin).unwrap_err();
        assert!((0.9..=1.1).contains(&wait.as_secs_f64()), "{wait:?}");
        assert!(buckets.take(1, 4, begin).is_ok(), "nothing of it was taken");
        buckets.give_back(&1, 4);
        assert!(buckets.take(1, 4, begin).is_ok());
        assert!(buckets.take(2, 1_000, begin).is_ok(), "all that there is");
    }

    #[test]
    fn idle_buckets_are_dropped_when_there_are_many() {
        let (buckets, begin) = (Buckets::new(60), Instant::now());
        for visitor in 0..REMEMBERED {
            buckets.take(visitor, 1, begin).unwrap();
        }
        buckets.take(REMEMBERED, 1, begin + Duration::from_secs(120)).unwrap();
        assert_eq!(buckets.by_key.lock().len(), 1);
    }
}
