//! The repetition of failed webhook attempts (STYLE 6.1, CONTRACT 2 `webhooks.retry_schedule`).

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerVerdict {
    Success,
    /// The receiver wants no more events. The endpoint is turned off.
    Disable,
    Failure,
}

impl AnswerVerdict {
    /// 2xx is a success and 410 disables. Everything else is a failure, redirects too.
    pub fn of_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Success,
            410 => Self::Disable,
            _ => Self::Failure,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    RetryAt(DateTime<Utc>),
    GiveUp,
}

/// A `Retry-After` up to this is always honoured.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone, Copy)]
pub struct FailedAttempt {
    /// Number of attempts so far, with this one.
    pub attempts: usize,
    pub now: DateTime<Utc>,
    /// 64 random bits.
    pub jitter: u64,
    /// The receiver's `Retry-After`, as a delay from `now`.
    pub retry_after: Option<Duration>,
}

/// `schedule` holds the delays between attempts. A delay varies by up to 20%. `Retry-After` counts from the planned
/// delay up to one hour, or up to twice the planned delay if that is longer.
pub fn after_failure(schedule: &[Duration], failed: &FailedAttempt) -> AfterFailure {
    let planned = match failed.attempts.checked_sub(1).and_then(|at| schedule.get(at)) {
        Some(planned) => *planned,
        None => return AfterFailure::GiveUp,
    };
    let delay = match failed.retry_after {
        Some(asked) => {
            let longest = planned.saturating_mul(2).max(LONGEST_ASKED);
            scale(asked.clamp(planned, longest), 1000, 200, failed.jitter).min(longest)
        }
        None => scale(planned, 800, 400, failed.jitter),
    };
    let moment = TimeDelta::from_std(delay).ok().and_then(|delay| failed.now.checked_add_signed(delay));
    moment.map_or(AfterFailure::GiveUp, AfterFailure::RetryAt)
}

/// `delay` times a factor between `least` and `least + spread` thousandths, selected by `jitter`.
fn scale(delay: Duration, least: u128, spread: u128, jitter: u64) -> Duration {
    let thousandths = least + ((u128::from(jitter) * (spread + 1)) >> 64);
    let millis = delay.as_millis().saturating_mul(thousandths) / 1000;
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}
