//! Bounds of scheduled SMS, and the lifetime of their texts.

use base::Context;
use chrono::{DateTime, TimeDelta, Utc};

/// A year.
const DAYS_MAX: i64 = 366;
/// Days of retention that must remain after the time of sending, so that the result can be queried.
const DAYS_AFTER: i64 = 7;
/// Time after the end of its validity in which an SMS may still get a receipt.
const GRACE: TimeDelta = TimeDelta::days(1);

/// Bound on scheduling, in days. A message must not be deleted before it is sent.
pub(crate) fn days_ahead(ctx: &Context) -> i64 {
    let kept = i64::from(ctx.settings.retention.message_days);
    DAYS_MAX.min((kept - DAYS_AFTER).max(kept / 2))
}

/// Latest time at which the texts of messages due at `due`, or now, are deleted.
pub(crate) fn forgotten_by(ctx: &Context, due: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let validity = TimeDelta::from_std(ctx.settings.limits.sms_expires_after).unwrap_or(TimeDelta::MAX);
    let sent = due.unwrap_or_default().max(ctx.now());
    sent.checked_add_signed(validity).and_then(|end| end.checked_add_signed(GRACE)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
