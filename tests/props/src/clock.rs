//! Time that only a test moves.

use std::ops::AddAssign;

use chrono::{DateTime, Utc};
use domain::clock::Clock;
use parking_lot::{Mutex, MutexGuard};

/// A clock that only moves on request.
pub struct HandClock(Mutex<DateTime<Utc>>);

impl HandClock {
    /// At this many seconds after the beginning of 1970.
    ///
    /// # Panics
    ///
    /// Where no calendar reaches.
    pub fn at(seconds: i64) -> Self {
        Self(Mutex::new(DateTime::from_timestamp(seconds, 0).unwrap()))
    }

    /// Advances the clock, and returns its time.
    pub fn advance<T>(&self, by: T) -> DateTime<Utc>
    where
        DateTime<Utc>: AddAssign<T>,
    {
        let mut now = self.hands();
        *now += by;
        *now
    }

    /// A handler that panicked leaves the clock as it was.
    fn hands(&self) -> MutexGuard<'_, DateTime<Utc>> {
        self.0.lock()
    }
}

impl Clock for HandClock {
    fn now(&self) -> DateTime<Utc> {
        *self.hands()
    }
}
