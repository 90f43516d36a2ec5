//! A token bucket per number (80/s) and per recipient (about one in six seconds, burst 45; PROVIDERS A.11, 131056).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// Seconds between messages to one recipient.
pub(crate) const PAIR_INTERVAL: Duration = Duration::from_secs(6);
const PAIR_BURST: u32 = 45;
/// Remembered recipients before idle ones are searched and removed for the first time.
const PAIRS_REMEMBERED: usize = 10_000;

#[derive(Debug)]
pub(crate) struct InboxPace {
    rate: f64,
    tokens: f64,
    /// More to send than tokens: the next tokens are gathered, because every group costs two transactions.
    gathering: bool,
    refilled: Instant,
    paused_until: Instant,
    /// When the bucket of each recipient will be full again (GCRA).
    pairs: HashMap<String, Instant>,
    /// Twice the recipients that were not idle the last time, so that the cost per message is constant for any rate.
    remembered: usize,
}

impl InboxPace {
    pub(crate) fn new(rate: u32, now: Instant) -> Self {
        let rate = f64::from(rate.max(1));
        let (pairs, remembered) = (HashMap::new(), PAIRS_REMEMBERED);
        Self { rate, tokens: burst(rate), gathering: false, refilled: now, paused_until: now, pairs, remembered }
    }

    pub(crate) fn set_rate(&mut self, rate: u32) {
        self.rate = f64::from(rate.max(1));
    }

    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.refilled).as_secs_f64();
        self.tokens = (self.tokens + passed * self.rate).min(burst(self.rate));
        self.refilled = now;
    }

    pub(crate) fn take(&mut self, wanted: usize, now: Instant) -> usize {
        self.refill(now);
        if now < self.paused_until || self.tokens < self.enough() {
            return 0;
        }
        let mut taken = 0;
        while taken < wanted && self.tokens >= 1.0 {
            self.tokens -= 1.0;
            taken += 1;
        }
        self.gathering = self.tokens < 1.0;
        taken
    }

    fn enough(&self) -> f64 {
        if self.gathering { (burst(self.rate) / 2.0).max(1.0) } else { 1.0 }
    }

    pub(crate) fn give_back(&mut self, count: usize) {
        self.gathering &= count == 0;
        for _ in 0..count {
            self.tokens += 1.0;
        }
    }

    pub(crate) fn wait(&self, now: Instant) -> Duration {
        let pause = self.paused_until.saturating_duration_since(now);
        let passed = now.saturating_duration_since(self.refilled).as_secs_f64();
        let refill = Duration::from_secs_f64(((self.enough() - self.tokens) / self.rate - passed).max(0.0));
        pause.max(refill)
    }

    pub(crate) fn pause(&mut self, length: Duration, now: Instant) {
        self.paused_until = self.paused_until.max(now + length);
    }

    /// Admits a message to `recipient`, or returns how long it must wait.
    pub(crate) fn admit(&mut self, recipient: &str, now: Instant) -> Result<(), Duration> {
        if self.pairs.len() > self.remembered {
            self.pairs.retain(|_, full_at| *full_at > now);
            self.remembered = PAIRS_REMEMBERED.max(self.pairs.len() * 2);
        }
        let full_at = self.pairs.get(recipient).copied().unwrap_or(now).max(now);
        let slack = PAIR_INTERVAL * (PAIR_BURST - 1);
        let wait = full_at.saturating_duration_since(now).saturating_sub(slack);
        if !wait.is_zero() {
            return Err(wait);
        }
        self.pairs.insert(recipient.to_owned(), full_at + PAIR_INTERVAL);
        Ok(())
    }
}

/// A fifth of a second's tokens: enough for calls in flight, too few to be seen as a burst.
fn burst(rate: f64) -> f64 {
    (rate / 5.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_sends_its_rate_and_no_more() {
        let start = Instant::now();
        let mut pace = InboxPace::new(80, start);
        let mut sent = 0;
        for millis in 0..10_000 {
            sent += pace.take(64, start + Duration::from_millis(millis));
        }
        assert!((800..=816).contains(&sent), "{sent} messages in ten seconds");
    }

    #[test]
    fn a_number_above_its_rate_sends_in_groups() {
        let start = Instant::now();
        let mut pace = InboxPace::new(80, start);
        assert_eq!(pace.take(64, start), 16);
        assert_eq!(pace.take(64, start + Duration::from_millis(50)), 0);
        assert_eq!(pace.wait(start + Duration::from_millis(50)), Duration::from_millis(50));
        assert_eq!(pace.take(64, start + Duration::from_millis(100)), 8);
    }

    #[test]
    fn a_number_with_few_messages_does_not_wait_for_a_full_group() {
        let start = Instant::now();
        let mut pace = InboxPace::new(80, start);
        assert_eq!(pace.take(64, start), 16);
        pace.give_back(15);
        assert_eq!(pace.take(1, start), 1);
    }

    #[test]
    fn the_forty_sixth_message_to_one_recipient_waits() {
        let start = Instant::now();
        let mut pace = InboxPace::new(80, start);
        for _ in 0..45 {
            assert_eq!(pace.admit("27820000001", start), Ok(()));
        }
        assert_eq!(pace.admit("27820000001", start), Err(PAIR_INTERVAL));
        assert_eq!(pace.admit("27820000002", start), Ok(()));
        assert_eq!(pace.admit("27820000001", start + PAIR_INTERVAL), Ok(()));
    }

    #[test]
    fn idle_recipients_are_looked_for_seldom_and_forgotten() {
        let start = Instant::now();
        let mut pace = InboxPace::new(80, start);
        let mut looks = 0;
        for recipient in 0..100_000 {
            let remembered = pace.remembered;
            assert_eq!(pace.admit(&recipient.to_string(), start), Ok(()));
            looks += usize::from(pace.remembered != remembered);
        }
        assert_eq!((pace.pairs.len(), looks), (100_000, 4), "each look is at twice as many as the one before");
        for recipient in 100_000..170_000 {
            assert_eq!(pace.admit(&recipient.to_string(), start + PAIR_INTERVAL), Ok(()));
        }
        assert_eq!(pace.pairs.len(), 70_000, "those of before may be written to as if they never had been");
    }

    #[test]
    fn a_paused_number_sends_nothing_until_the_pause_ends() {
        let start = Instant::now();
        let mut pace = InboxPace::new(80, start);
        pace.pause(Duration::from_secs(2), start);
        assert_eq!(pace.take(1, start + Duration::from_secs(1)), 0);
        assert_eq!(pace.wait(start + Duration::from_secs(1)), Duration::from_secs(1));
        assert_eq!(pace.take(1, start + Duration::from_secs(2)), 1);
    }
}
