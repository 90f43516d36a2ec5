//! Numbers that are moments close to the recording.

use chrono::{DateTime, TimeDelta, Utc};

const CLOSE: TimeDelta = TimeDelta::days(400);

/// Milliseconds since 1970. No telephone number of so many digits begins like them.
pub(super) fn is_milliseconds(number: u64, recorded_at: DateTime<Utc>) -> bool {
    is_seconds(number / 1_000, recorded_at)
}

/// Seconds since 1970.
pub(super) fn is_seconds(number: u64, recorded_at: DateTime<Utc>) -> bool {
    let close = CLOSE.num_seconds().unsigned_abs();
    u64::try_from(recorded_at.timestamp()).is_ok_and(|recorded_at| number.abs_diff(recorded_at) <= close)
}
