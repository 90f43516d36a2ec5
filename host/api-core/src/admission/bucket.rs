//! A bucket of tokens that fills at a steady rate and holds the tokens of one second.

use std::time::Duration;

use tokio::time::Instant;

/// Tokens of one kind for one client. Their number can be negative, because some costs are charged after the request.
#[derive(Debug)]
pub(super) struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    pub fn full(rate: f64, now: Instant) -> Self {
        Self { tokens: rate, filled: now }
    }

    fn fill(&mut self, rate: f64, now: Instant) {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.tokens = (self.tokens + passed * rate).min(rate);
        self.filled = now;
    }

    /// Takes one token, or returns the time until there is one.
    pub fn take(&mut self, rate: f64, now: Instant) -> Result<(), Duration> {
        self.ready(rate, now)?;
        self.tokens -= 1.0;
        Ok(())
    }

    /// Returns the time until there is a token, as an error, if there is none.
    pub fn ready(&mut self, rate: f64, now: Instant) -> Result<(), Duration> {
        self.fill(rate, now);
        if self.tokens >= 1.0 { Ok(()) } else { Err(Duration::from_secs_f64((1.0 - self.tokens) / rate)) }
    }

    /// Charges tokens after their use.
    pub fn charge(&mut self, rate: f64, tokens: f64, now: Instant) {
        self.fill(rate, now);
        self.tokens -= tokens;
    }

    pub fn is_full(&mut self, rate: f64, now: Instant) -> bool {
        self.fill(rate, now);
        self.tokens >= rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 10.0;

    #[test]
    fn the_share_of_a_second_may_be_used_at_once_and_then_one_by_one() {
        let begin = Instant::now();
        let mut bucket = Bucket::full(RATE, begin);
        assert!((0..10).all(|_| bucket.take(RATE, begin).is_ok()));
        let wait = bucket.take(RATE, begin).unwrap_err();
        assert!((99..=101).contains(&wait.as_millis()), "{wait:?}");
        assert!(bucket.take(RATE, begin + Duration::from_millis(101)).is_ok());
        assert!(bucket.take(RATE, begin + Duration::from_millis(102)).is_err());
    }

    #[test]
    fn an_idle_time_saves_no_more_than_a_second() {
        let begin = Instant::now();
        let mut bucket = Bucket::full(RATE, begin);
        let later = begin + Duration::from_secs(3600);
        assert_eq!((0..20).filter(|_| bucket.take(RATE, later).is_ok()).count(), 10);
    }

    #[test]
    fn use_beyond_the_tokens_is_waited_for() {
        let begin = Instant::now();
        let mut bucket = Bucket::full(RATE, begin);
        bucket.charge(RATE, 110.0, begin);
        let wait = bucket.ready(RATE, begin).unwrap_err();
        assert!((10.0..10.2).contains(&wait.as_secs_f64()), "{wait:?}");
        assert!(!bucket.is_full(RATE, begin + Duration::from_secs(10)));
        assert!(bucket.ready(RATE, begin + Duration::from_secs(11)).is_ok());
        assert!(bucket.is_full(RATE, begin + Duration::from_secs(12)));
    }
}
