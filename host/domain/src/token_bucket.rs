//! A bucket of tokens that fills at a steady rate: the limit of how often something may happen.

use std::time::{Duration, Instant};

/// How fast a bucket fills, and how much it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenRate {
    /// More than 0.
    pub per_second: f64,
    /// The most tokens in the bucket. So many may be used at once.
    pub most: f64,
}

impl TokenRate {
    /// So many tokens in this number of seconds. All of them may be used at once.
    pub fn of(tokens: u32, seconds: u32) -> Self {
        Self { per_second: f64::from(tokens) / f64::from(seconds), most: f64::from(tokens) }
    }
}

/// The tokens of one owner. Their number can be negative, because some costs are charged after the use.
#[derive(Debug)]
pub struct TokenBucket {
    tokens: f64,
    filled: Instant,
}

impl TokenBucket {
    pub fn full(rate: TokenRate, now: Instant) -> Self {
        Self { tokens: rate.most, filled: now }
    }

    fn fill(&mut self, rate: TokenRate, now: Instant) {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.tokens = (self.tokens + passed * rate.per_second).min(rate.most);
        self.filled = now;
    }

    /// Takes all tokens of a cost, or returns the time until they are there.
    pub fn take(&mut self, rate: TokenRate, cost: f64, now: Instant) -> Result<(), Duration> {
        self.ready(rate, cost, now)?;
        self.tokens -= cost;
        Ok(())
    }

    /// Returns the time until the tokens of a cost are there, as an error, if they are not.
    pub fn ready(&mut self, rate: TokenRate, cost: f64, now: Instant) -> Result<(), Duration> {
        self.fill(rate, now);
        if self.tokens >= cost { Ok(()) } else { Err(Duration::from_secs_f64((cost - self.tokens) / rate.per_second)) }
    }

    /// Charges tokens after their use.
    pub fn charge(&mut self, rate: TokenRate, cost: f64, now: Instant) {
        self.fill(rate, now);
        self.tokens -= cost;
    }

    /// Returns tokens of a use that did not happen.
    pub fn give_back(&mut self, rate: TokenRate, cost: f64) {
        self.tokens = (self.tokens + cost).min(rate.most);
    }

    /// True if a new bucket would be the same.
    pub fn is_full(&mut self, rate: TokenRate, now: Instant) -> bool {
        self.fill(rate, now);
        self.tokens >= rate.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: TokenRate = TokenRate { per_second: 10.0, most: 10.0 };

    #[test]
    fn the_tokens_of_a_full_bucket_may_be_used_at_once_and_then_one_by_one() {
        let begin = Instant::now();
        let mut bucket = TokenBucket::full(RATE, begin);
        assert!((0..10).all(|_| bucket.take(RATE, 1.0, begin).is_ok()));
        let wait = bucket.take(RATE, 1.0, begin).unwrap_err();
        assert!((99..=101).contains(&wait.as_millis()), "{wait:?}");
        assert!(bucket.take(RATE, 1.0, begin + Duration::from_millis(101)).is_ok());
        assert!(bucket.take(RATE, 1.0, begin + Duration::from_millis(102)).is_err());
    }

    #[test]
    fn an_idle_time_saves_no_more_than_the_bucket_holds() {
        let begin = Instant::now();
        let mut bucket = TokenBucket::full(RATE, begin);
        let later = begin + Duration::from_secs(3600);
        assert_eq!((0..20).filter(|_| bucket.take(RATE, 1.0, later).is_ok()).count(), 10);
    }

    #[test]
    fn use_beyond_the_tokens_is_waited_for() {
        let begin = Instant::now();
        let mut bucket = TokenBucket::full(RATE, begin);
        bucket.charge(RATE, 110.0, begin);
        let wait = bucket.ready(RATE, 1.0, begin).unwrap_err();
        assert!((10.0..10.2).contains(&wait.as_secs_f64()), "{wait:?}");
        assert!(!bucket.is_full(RATE, begin + Duration::from_secs(10)));
        assert!(bucket.ready(RATE, 1.0, begin + Duration::from_secs(11)).is_ok());
        assert!(bucket.is_full(RATE, begin + Duration::from_secs(12)));
    }

    #[test]
    fn a_cost_is_taken_whole_or_not_at_all_and_can_be_given_back() {
        let begin = Instant::now();
        let mut bucket = TokenBucket::full(RATE, begin);
        bucket.take(RATE, 6.0, begin).unwrap();
        assert!(bucket.take(RATE, 5.0, begin).is_err() && bucket.take(RATE, 4.0, begin).is_ok());
        bucket.give_back(RATE, 4.0);
        assert!(bucket.take(RATE, 4.0, begin).is_ok());
        bucket.give_back(RATE, 100.0);
        assert!(bucket.take(RATE, 10.0, begin).is_ok() && bucket.take(RATE, 1.0, begin).is_err());
    }

    #[test]
    fn a_rate_of_several_seconds_fills_in_that_time() {
        let (rate, begin) = (TokenRate::of(30, 60), Instant::now());
        let mut bucket = TokenBucket::full(rate, begin);
        bucket.take(rate, 30.0, begin).unwrap();
        assert!(bucket.take(rate, 1.0, begin + Duration::from_millis(1_990)).is_err());
        assert!(bucket.take(rate, 1.0, begin + Duration::from_millis(2_010)).is_ok());
    }
}
