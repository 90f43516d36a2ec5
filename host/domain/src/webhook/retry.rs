//! When a failed webhook attempt is made again (STYLE 6.1, CONTRACT 2 `webhooks.retry_schedule`).

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// The meaning of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Delivered.
    Success,
    /// The receiver wants no more: the endpoint is turned off.
    Disable,
    /// To be tried again.
    Failure,
}

impl Verdict {
    /// 2xx is success, 410 disables, everything else (redirects too) is a failure.
    pub fn of_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Success,
            410 => Self::Disable,
            _ => Self::Failure,
        }
    }
}

/// The next step after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// Try again then.
    RetryAt(DateTime<Utc>),
    /// The schedule is used up.
    GiveUp,
}

/// The longest `Retry-After` that counts for any schedule.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

/// The attempt that failed.
#[derive(Debug, Clone, Copy)]
pub struct FailedAttempt {
    /// Attempts made so far, this one included.
    pub attempts: usize,
    /// When it failed.
    pub now: DateTime<Utc>,
    /// 64 random bits.
    pub jitter: u64,
    /// The delay that the receiver asked for, from `now`.
    pub retry_after: Option<Duration>,
}

/// The schedule holds the delays between attempts, so it allows one attempt more than it has entries. A delay varies by
/// up to 20% either way. `Retry-After` is honoured from the planned delay to an hour, or to twice the planned delay where that is
/// longer, and then only lengthened.
pub fn after_failure(schedule: &[Duration], failed: &FailedAttempt) -> AfterFailure {
    let planned = match failed.attempts.checked_sub(1).and_then(|at| schedule.get(at)) {
        Some(planned) => *planned,
        None => return AfterFailure::GiveUp,
    };
    let delay = match failed.retry_after {
        Some(asked) => {
            let longest = planned.saturating_mul(2).max(LONGEST_ASKED);
            scaled(asked.clamp(planned, longest), 1000, 200, failed.jitter).min(longest)
        }
        None => scaled(planned, 800, 400, failed.jitter),
    };
    let moment = TimeDelta::from_std(delay).ok().and_then(|delay| failed.now.checked_add_signed(delay));
    moment.map_or(AfterFailure::GiveUp, AfterFailure::RetryAt)
}

/// `delay` times (`least` .. `least + spread`) thousandths, the place in between taken from `jitter`.
fn scaled(delay: Duration, least: u128, spread: u128, jitter: u64) -> Duration {
    let thousandths = least + ((u128::from(jitter) * (spread + 1)) >> 64);
    let millis = delay.as_millis().saturating_mul(thousandths) / 1000;
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}
