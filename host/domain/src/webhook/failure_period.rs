//! The time for which an endpoint has failed (STYLE 6.1): it is turned off after five days without a success.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

const TOO_LONG: TimeDelta = TimeDelta::days(5);

/// The time of the last failure moves in steps of this length, so that a failing endpoint is seldom written.
const STEP: TimeDelta = TimeDelta::hours(1);

/// The failures of an endpoint since its last success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailurePeriod {
    pub since: DateTime<Utc>,
    /// The last failure, up to an hour early.
    pub last: DateTime<Utc>,
}

impl FailurePeriod {
    /// The period with one more failure. If no attempt was made for longer than the delays of the schedule explain, a new
    /// period begins: nothing shows that the receiver failed in between.
    #[must_use]
    pub fn with_failure(known: Option<Self>, at: DateTime<Utc>, schedule: &[Duration]) -> Self {
        match known {
            Some(known) if at - known.last <= longest_pause(schedule) => {
                let last = if at - known.last >= STEP { at } else { known.last };
                Self { last, ..known }
            }
            _ => Self { since: at, last: at },
        }
    }

    pub fn is_too_long(self, at: DateTime<Utc>) -> bool {
        at - self.since >= TOO_LONG
    }
}

/// The longest delay with its jitter, at least a day.
fn longest_pause(schedule: &[Duration]) -> TimeDelta {
    let longest = schedule.iter().max().copied().unwrap_or_default().saturating_mul(5) / 4;
    let pause = TimeDelta::from_std(longest).unwrap_or(TimeDelta::MAX).max(TimeDelta::days(1));
    pause.checked_add(&STEP).unwrap_or(TimeDelta::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn hour(hours: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + hours * 3600, 0).unwrap()
    }

    /// The period after failures at these hours.
    fn after(schedule: &[Duration], hours: &[i64]) -> FailurePeriod {
        let failed = |known, at: &i64| Some(FailurePeriod::with_failure(known, hour(*at), schedule));
        hours.iter().fold(None, failed).unwrap()
    }

    #[test]
    fn failures_that_follow_each_other_are_one_period() {
        let period = after(&[HOUR], &[0, 20, 45, 70, 95]);
        assert_eq!(period, FailurePeriod { since: hour(0), last: hour(95) });
        assert!(!period.is_too_long(hour(119)));
        assert!(period.is_too_long(hour(120)));
    }

    #[test]
    fn a_failure_after_a_day_without_an_attempt_begins_a_new_period() {
        assert_eq!(after(&[], &[0, 25]).since, hour(0));
        assert_eq!(after(&[], &[0, 26]), FailurePeriod { since: hour(26), last: hour(26) });
        assert!(!after(&[], &[0, 144]).is_too_long(hour(144)), "two lone failures");
    }

    #[test]
    fn a_pause_that_the_schedule_explains_does_not_end_a_period() {
        let schedule = [HOUR, 24 * HOUR];
        assert_eq!(after(&schedule, &[0, 31, 62]).since, hour(0));
        assert_eq!(after(&schedule, &[0, 32]).since, hour(32));
        assert_eq!(after(&[Duration::MAX], &[0, 10_000]).since, hour(0));
    }

    #[test]
    fn the_last_failure_moves_an_hour_at_a_time() {
        let period = after(&[], &[0]);
        let later = |minutes| hour(0) + TimeDelta::minutes(minutes);
        assert_eq!(FailurePeriod::with_failure(Some(period), later(59), &[]), period);
        assert_eq!(FailurePeriod::with_failure(Some(period), later(60), &[]).last, later(60));
        assert_eq!(FailurePeriod::with_failure(Some(period), later(-5), &[]), period, "answers come in any order");
    }
}
