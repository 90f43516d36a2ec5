//! The processor time that a client gets with priority, and the place where its next call runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Semaphore;

pub(crate) const PROMPT: Duration = Duration::from_millis(1);
/// Processor time of a call on a separate thread, before it moves to the threads that run last.
pub(crate) const APART: Duration = Duration::from_millis(5);
/// Seconds whose unused share may be used at once.
const BURST_SECONDS: u32 = 5;
/// How long a client's calls begin at lower priority after a call that moved there. Doubles, up to [`LONGEST`].
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// A longer call does not count if there was no other for this long, because the machine may have caused it.
const SLIP: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShareStart {
    /// Its calls are short and run on the threads of their callers.
    Prompt,
    /// It had longer calls recently. Its calls run on separate threads.
    Apart,
    /// It had a very long or misbehaving call, or has used up its share. Its calls run when a processor is idle.
    Last,
}

#[derive(Clone)]
pub(crate) struct Share(Arc<Inner>);

struct Inner {
    rate: Duration,
    bucket: Mutex<Bucket>,
    turn: Arc<Semaphore>,
}

struct Bucket {
    left: Duration,
    at: Instant,
    slipped: Option<Instant>,
    apart: Reserve,
    last: Reserve,
}

/// How long calls begin on threads of lower priority.
struct Reserve {
    until: Instant,
    lasts: Duration,
}

impl Reserve {
    /// Counts a call that moved to these threads. Calls that were under way at the same time do not count again.
    fn renew(&mut self, present: Instant) {
        if present < self.until {
            return;
        }
        let forgotten = present.duration_since(self.until) > LONGEST;
        self.lasts = if forgotten { FIRST } else { (self.lasts * 2).clamp(FIRST, LONGEST) };
        self.until = present + self.lasts;
    }
}

impl Share {
    pub(crate) fn new(rate: Duration) -> Self {
        let present = Instant::now();
        let left = rate * BURST_SECONDS;
        let none = || Reserve { until: present, lasts: Duration::ZERO };
        let bucket = Bucket { left, at: present, slipped: None, apart: none(), last: none() };
        Self(Arc::new(Inner { rate, bucket: Mutex::new(bucket), turn: Arc::new(Semaphore::new(1)) }))
    }

    pub(crate) fn standing(&self) -> ShareStart {
        self.with(|bucket, present| {
            if bucket.left < PROMPT || present < bucket.last.until {
                ShareStart::Last
            } else if present < bucket.apart.until {
                ShareStart::Apart
            } else {
                ShareStart::Prompt
            }
        })
    }

    pub(crate) fn spend(&self, time: Duration) -> bool {
        let mut bucket = self.0.bucket.lock();
        bucket.left = bucket.left.saturating_sub(time);
        bucket.left.is_zero()
    }

    /// A call took longer than [`PROMPT`]. The next calls begin on a separate thread, unless this one is a [`SLIP`].
    pub(crate) fn move_to_own_thread(&self) {
        self.with(|bucket, present| {
            let before = bucket.slipped.replace(present);
            if before.is_some_and(|before| present.duration_since(before) < SLIP) {
                bucket.apart.renew(present);
            }
        });
    }

    /// A call took longer than [`APART`] on a separate thread, or misbehaved. The next calls run last.
    pub(crate) fn put_last(&self) {
        self.with(|bucket, present| bucket.last.renew(present));
    }

    /// Whether the client would gain if the share were forgotten.
    pub(crate) fn is_owed_for(&self) -> bool {
        self.standing() != ShareStart::Prompt
    }

    /// The turn of the client on the threads that run last: one call at a time.
    pub(crate) fn turn(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.turn)
    }

    fn with<T>(&self, what: impl FnOnce(&mut Bucket, Instant) -> T) -> T {
        let mut bucket = self.0.bucket.lock();
        let (present, rate) = (Instant::now(), self.0.rate);
        let gained = rate.mul_f64(present.duration_since(bucket.at).as_secs_f64());
        bucket.left = (bucket.left + gained).min(rate * BURST_SECONDS);
        bucket.at = present;
        what(&mut bucket, present)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_used_up_share_refills_every_second() {
        let share = Share::new(Duration::from_millis(100));
        assert_eq!(share.standing(), ShareStart::Prompt);
        assert!(!share.spend(Duration::from_millis(499)));
        assert!(share.spend(Duration::from_millis(10)));
        assert_eq!(share.standing(), ShareStart::Last);
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(share.standing(), ShareStart::Prompt, "30 ms give 3 ms");
    }

    #[test]
    fn calls_start_separated_for_a_while_after_two_long_ones() {
        let share = Share::new(Duration::from_secs(1));
        share.move_to_own_thread();
        share.move_to_own_thread();
        assert_eq!(share.standing(), ShareStart::Apart);
        age(&share, FIRST);
        assert_eq!(share.standing(), ShareStart::Prompt);
    }

    #[test]
    fn an_occasional_long_call_has_no_consequence() {
        let share = Share::new(Duration::from_secs(1));
        for _ in 0..10 {
            share.move_to_own_thread();
            assert_eq!(share.standing(), ShareStart::Prompt);
            age(&share, SLIP);
        }
        age(&share, Duration::from_millis(1));
        share.move_to_own_thread();
        share.move_to_own_thread();
        assert_eq!(lasts(&share), FIRST, "slips before are not held against it");
    }

    #[test]
    fn calls_run_last_for_a_while_after_a_very_long_one() {
        let share = Share::new(Duration::from_secs(1));
        share.move_to_own_thread();
        share.put_last();
        assert_eq!(share.standing(), ShareStart::Last);
        age(&share, FIRST);
        assert_eq!(share.standing(), ShareStart::Prompt);
    }

    #[test]
    fn a_client_with_repeated_long_calls_is_separated_for_longer_each_time() {
        let share = Share::new(Duration::from_secs(1));
        let mut all = Vec::new();
        for _ in 0..8 {
            (0..3).for_each(|_| share.move_to_own_thread());
            all.push(lasts(&share).as_secs());
            age(&share, LONGEST);
        }
        assert_eq!(all, [1, 2, 4, 8, 16, 32, 60, 60], "calls under way together count once");
        age(&share, LONGEST * 3);
        (0..2).for_each(|_| share.move_to_own_thread());
        assert_eq!(lasts(&share), FIRST, "old use is forgotten");
    }

    fn lasts(share: &Share) -> Duration {
        share.0.bucket.lock().apart.lasts
    }

    fn age(share: &Share, by: Duration) {
        let mut bucket = share.0.bucket.lock();
        bucket.slipped = bucket.slipped.map(|slipped| slipped - by);
        bucket.apart.until -= by;
        bucket.last.until -= by;
    }
}
