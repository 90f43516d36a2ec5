//! Moments in answers, callbacks and reports.

use chrono::{DateTime, SecondsFormat, Utc};

/// ISO 8601 in UTC with milliseconds, such as `2026-01-31T08:15:30.123Z`.
pub fn iso_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
