//! The pace of one Lite number: a batch of messages, then a pause (SPEC 8). Real time, because WhatsApp judges it.

use std::time::Duration;

use tokio::time::Instant;

/// Calls in flight per number: a phone sends one after the other.
pub(super) const WINDOW: usize = 4;

/// The pause between two batches begins when the last call of the first has ended.
#[derive(Debug, Default)]
pub(super) struct Batches {
    left: u32,
    /// When the last call ended; `None` before the first.
    ended_at: Option<Instant>,
    in_flight: usize,
}

impl Batches {
    /// At most `wanted` messages, until their call [ended](Self::end_call) or they were [given back](Self::give_back).
    pub(super) fn take(&mut self, wanted: usize, batch_size: u32, delay: Duration, now: Instant) -> usize {
        if self.pause_left(delay, now).is_zero() {
            self.left = batch_size;
        }
        self.left = self.left.min(batch_size);
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let taken = wanted.min(left).min(WINDOW.saturating_sub(self.in_flight));
        self.left = self.left.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX));
        self.in_flight += taken;
        taken
    }

    pub(super) fn end_call(&mut self, now: Instant) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.ended_at = Some(now);
    }

    pub(super) fn give_back(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.left = self.left.saturating_add(1);
    }

    pub(super) fn wait(&self, delay: Duration, now: Instant) -> Duration {
        match (self.in_flight < WINDOW, self.left) {
            (false, _) => Duration::MAX,
            (true, 0) => self.pause_left(delay, now),
            (true, _) => Duration::ZERO,
        }
    }

    fn pause_left(&self, delay: Duration, now: Instant) -> Duration {
        match (self.in_flight, self.ended_at) {
            _ if delay.is_zero() => Duration::ZERO,
            (0, None) => Duration::ZERO,
            (0, Some(ended_at)) => delay.saturating_sub(now.saturating_duration_since(ended_at)),
            _ => Duration::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Sends one message after the other for ten seconds; a call takes no time.
    fn sent_in_ten_seconds(batch_size: u32, delay: Duration) -> usize {
        let start = Instant::now();
        let mut batches = Batches::default();
        (0..10_000)
            .map(|millis| {
                let now = start + Duration::from_millis(millis);
                let taken = batches.take(1, batch_size, delay, now);
                (0..taken).for_each(|_| batches.end_call(now));
                taken
            })
            .sum()
    }

    #[test]
    fn a_batch_goes_out_and_then_the_number_rests() {
        let start = Instant::now();
        let mut batches = Batches::default();
        for _ in 0..3 {
            assert_eq!(batches.take(1, 3, SECOND, start), 1);
            batches.end_call(start);
        }
        assert_eq!(batches.take(1, 3, SECOND, start), 0);
        assert_eq!(batches.wait(SECOND, start), SECOND);
        assert_eq!(batches.take(1, 3, SECOND, start + Duration::from_millis(999)), 0);
        assert_eq!(batches.take(1, 3, SECOND, start + SECOND), 1);
    }

    #[test]
    fn the_pause_begins_when_the_last_call_of_a_batch_has_ended() {
        let start = Instant::now();
        let mut batches = Batches::default();
        assert_eq!(batches.take(2, 2, SECOND, start), 2);
        batches.end_call(start + SECOND);
        let late = start + 10 * SECOND;
        assert_eq!(batches.take(1, 2, SECOND, late), 0, "one call of the batch goes on");
        batches.end_call(late);
        assert_eq!(batches.wait(SECOND, late), SECOND);
        assert_eq!(batches.take(1, 2, SECOND, late + Duration::from_millis(999)), 0);
        assert_eq!(batches.take(2, 2, SECOND, late + SECOND), 2);
    }

    #[test]
    fn without_a_delay_a_batch_does_not_wait_for_the_one_before() {
        let start = Instant::now();
        let mut batches = Batches::default();
        assert_eq!(batches.take(1, 1, Duration::ZERO, start), 1);
        assert_eq!(batches.wait(Duration::ZERO, start), Duration::ZERO);
        assert_eq!(batches.take(1, 1, Duration::ZERO, start), 1);
    }

    #[test]
    fn an_incomplete_batch_is_full_again_after_a_pause() {
        let start = Instant::now();
        let mut batches = Batches::default();
        assert_eq!(batches.take(1, 2, SECOND, start), 1);
        batches.end_call(start);
        assert_eq!(batches.take(2, 2, SECOND, start + SECOND), 2);
    }

    #[test]
    fn the_rate_is_that_of_batch_and_delay() {
        assert_eq!(sent_in_ten_seconds(5, SECOND), 50);
        assert_eq!(sent_in_ten_seconds(1, Duration::from_millis(100)), 100);
    }

    #[test]
    fn an_unsent_message_returns_its_place_and_causes_no_pause() {
        let start = Instant::now();
        let mut batches = Batches::default();
        assert_eq!(batches.take(1, 1, SECOND, start), 1);
        batches.give_back();
        assert_eq!(batches.take(1, 1, SECOND, start), 1);
    }

    #[test]
    fn a_smaller_batch_holds_at_once() {
        let start = Instant::now();
        let mut batches = Batches::default();
        assert_eq!(batches.take(1, 10, SECOND, start), 1);
        batches.end_call(start);
        assert_eq!(batches.take(4, 2, SECOND, start), 2);
        batches.end_call(start);
        batches.end_call(start);
        assert_eq!(batches.take(1, 2, SECOND, start), 0);
    }

    #[test]
    fn no_more_calls_are_in_flight_than_a_phone_makes() {
        let start = Instant::now();
        let mut batches = Batches::default();
        assert_eq!(batches.take(100, 100, SECOND, start), WINDOW);
        assert_eq!(batches.take(100, 100, SECOND, start), 0);
        assert_eq!(batches.wait(SECOND, start), Duration::MAX);
    }
}
