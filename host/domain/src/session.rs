//! Lifetimes of session keys: a key lives while it is used, up to a bound.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Longest time between two records of the use of a key.
const LONGEST_STEP: TimeDelta = TimeDelta::minutes(5);

/// The permissions of a session key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPurpose {
    /// All permissions of its user.
    Login,
    /// Only the webhooks of the client: for a developer outside it.
    Webhooks,
}

impl SessionPurpose {
    /// `None` if it is not stored.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Login => None,
            Self::Webhooks => Some("WEBHOOKS"),
        }
    }

    /// An unknown purpose of a later release opens as little as possible.
    pub fn of_name(name: Option<&str>) -> Self {
        if name.is_none() { Self::Login } else { Self::Webhooks }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTimes {
    /// Lifetime without use.
    idle: TimeDelta,
    /// Lifetime with use.
    life: TimeDelta,
}

impl SessionTimes {
    pub fn new(idle: Duration, life: Duration) -> Self {
        let delta = |time| TimeDelta::from_std(time).unwrap_or(TimeDelta::MAX);
        Self { idle: delta(idle), life: delta(life) }
    }

    /// The end of a key that is used now, before its bound is applied.
    pub fn expiry(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_add_signed(self.idle).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// The bound on the life of a key that is made now.
    pub fn end(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_add_signed(self.life).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// If the last recorded use is older than this, the present use is recorded. So requests rarely write.
    pub fn recorded_before(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now - LONGEST_STEP.min(self.idle / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_recorded_after_five_minutes_or_an_eighth_of_a_short_life() {
        let now: DateTime<Utc> = "2026-11-28T12:00:00Z".parse().unwrap();
        let minutes = |count: u64| Duration::from_secs(60 * count);
        let recorded = |idle| now - SessionTimes::new(minutes(idle), minutes(600)).recorded_before(now);
        assert_eq!(recorded(60), TimeDelta::minutes(5));
        assert_eq!(recorded(8), TimeDelta::minutes(1));
    }

    #[test]
    fn times_without_end_are_the_last_moment() {
        let now: DateTime<Utc> = "2026-11-28T12:00:00Z".parse().unwrap();
        let endless = SessionTimes::new(Duration::MAX, Duration::MAX);
        assert_eq!((endless.expiry(now), endless.end(now)), (DateTime::<Utc>::MAX_UTC, DateTime::<Utc>::MAX_UTC));
    }
}
