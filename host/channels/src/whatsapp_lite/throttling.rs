//! The pace of one Lite number: so many messages, then a pause (SPEC 8). Real time, because it is WhatsApp who judges it.

use std::time::{Duration, Instant};

/// Calls in flight per number: a phone sends one after the other.
pub(super) const WINDOW: usize = 4;

/// The pace of one number.
#[derive(Debug)]
pub(super) struct Batches {
    /// Messages left of the batch.
    left: u32,
    /// When the next batch begins, once nothing is left.
    next_at: Instant,
    /// When the last message went out.
    last_at: Instant,
    pub(super) in_flight: usize,
}

impl Batches {
    pub(super) fn new(now: Instant) -> Self {
        Self { left: 0, next_at: now, last_at: now, in_flight: 0 }
    }

    /// How many messages may go out now, at most `wanted`; they count as gone.
    pub(super) fn take(&mut self, wanted: usize, batch_size: u32, delay: Duration, now: Instant) -> usize {
        let rested = now.saturating_duration_since(self.last_at) >= delay;
        if (self.left == 0 && now >= self.next_at) || rested {
            self.left = batch_size;
        }
        let left = usize::try_from(self.left.min(batch_size)).unwrap_or(usize::MAX);
        let taken = wanted.min(left).min(WINDOW.saturating_sub(self.in_flight));
        if taken > 0 {
            self.left = self.left.min(batch_size).saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX));
            self.in_flight += taken;
            self.last_at = now;
            if self.left == 0 {
                self.next_at = now + delay;
            }
        }
        taken
    }

    /// Gives back what was taken for a message that did not exist.
    pub(super) fn give_back(&mut self) {
        self.left = self.left.saturating_add(1);
    }

    /// How long until the next message may go out, calls in flight aside.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        if self.left > 0 { Duration::ZERO } else { self.next_at.saturating_duration_since(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Takes and finishes one message after the other for ten seconds.
    fn sent_in_ten_seconds(batch_size: u32, delay: Duration) -> usize {
        let start = Instant::now();
        let mut batches = Batches::new(start);
        (0..10_000)
            .map(|millis| {
                let taken = batches.take(1, batch_size, delay, start + Duration::from_millis(millis));
                batches.in_flight -= taken;
                taken
            })
            .sum()
    }

    #[test]
    fn a_batch_goes_out_and_then_the_number_rests() {
        let start = Instant::now();
        let mut batches = Batches::new(start);
        for _ in 0..3 {
            assert_eq!(batches.take(1, 3, SECOND, start), 1);
            batches.in_flight = 0;
        }
        assert_eq!(batches.take(1, 3, SECOND, start), 0);
        assert_eq!(batches.wait(start), SECOND);
        assert_eq!(batches.take(1, 3, SECOND, start + Duration::from_millis(999)), 0);
        assert_eq!(batches.take(1, 3, SECOND, start + SECOND), 1);
    }

    #[test]
    fn the_rate_is_that_of_batch_and_delay() {
        assert_eq!(sent_in_ten_seconds(5, SECOND), 50);
        assert_eq!(sent_in_ten_seconds(1, Duration::from_millis(100)), 100);
    }

    #[test]
    fn what_was_not_sent_after_all_is_given_back() {
        let start = Instant::now();
        let mut batches = Batches::new(start);
        assert_eq!(batches.take(1, 1, SECOND, start), 1);
        batches.in_flight = 0;
        batches.give_back();
        assert_eq!(batches.take(1, 1, SECOND, start), 1);
    }

    #[test]
    fn a_smaller_batch_holds_at_once() {
        let start = Instant::now();
        let mut batches = Batches::new(start);
        assert_eq!(batches.take(1, 10, SECOND, start), 1);
        batches.in_flight = 0;
        assert_eq!(batches.take(4, 2, SECOND, start), 2);
        batches.in_flight = 0;
        assert_eq!(batches.take(1, 2, SECOND, start), 0);
    }

    #[test]
    fn no_more_calls_are_in_flight_than_a_phone_makes() {
        let start = Instant::now();
        let mut batches = Batches::new(start);
        assert_eq!(batches.take(100, 100, SECOND, start), WINDOW);
        assert_eq!(batches.take(100, 100, SECOND, start), 0);
    }
}
