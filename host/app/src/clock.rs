//! The system clock, the only file that reads the real time.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::SystemTime,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::Clock;

/// The time of the machine, for records that the business clock does not move.
#[expect(clippy::disallowed_methods, reason = "spans carry real time")]
pub fn real_time() -> SystemTime {
    SystemTime::now()
}

/// Real time plus an offset, which is zero unless `testing.clock` is on (CONTRACT 2).
#[derive(Debug, Default)]
pub struct SystemClock {
    offset_seconds: AtomicI64,
}

impl SystemClock {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn advance(&self, seconds: u32) -> i64 {
        let before = self.offset_seconds.fetch_add(i64::from(seconds), Ordering::SeqCst);
        before.saturating_add(i64::from(seconds))
    }

    pub fn set_offset(&self, seconds: i64) {
        self.offset_seconds.store(seconds, Ordering::SeqCst);
    }

    pub fn offset(&self) -> i64 {
        self.offset_seconds.load(Ordering::SeqCst)
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where real time enters")]
    fn now(&self) -> DateTime<Utc> {
        self.at(Utc::now())
    }

    fn at(&self, real: DateTime<Utc>) -> DateTime<Utc> {
        // An offset beyond the calendar is ignored.
        let offset = TimeDelta::try_seconds(self.offset());
        offset.and_then(|offset| real.checked_add_signed(offset)).unwrap_or(real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advanced_clock_is_ahead_by_the_given_time() {
        let (real, moved) = (SystemClock::new(), SystemClock::new());
        assert_eq!(moved.advance(3_600), 3_600);
        assert_eq!(moved.advance(60), 3_660);
        let before = real.now();
        let ahead = moved.now() - before;
        assert!((3_660..3_670).contains(&ahead.num_seconds()), "{ahead}");
    }

    #[test]
    fn an_offset_replaces_the_one_before() {
        let clock = SystemClock::new();
        clock.advance(10);
        clock.set_offset(5);
        assert_eq!(clock.offset(), 5);
    }

    #[test]
    fn an_offset_beyond_the_calendar_is_ignored() {
        let clock = SystemClock::new();
        clock.set_offset(i64::MAX);
        assert!((clock.now() - SystemClock::new().now()).num_seconds().abs() < 10);
    }
}
