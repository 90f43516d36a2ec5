//! When SMS are sent that are not sent at once, and until when their texts are needed.

use base::Context;
use chrono::{DateTime, TimeDelta, Utc};

/// A year.
const DAYS_MAX: i64 = 366;
/// Kept of the days that messages are kept: what is sent in the end is still to be asked after.
const DAYS_AFTER: i64 = 7;
/// How long after the end of its validity nothing is heard of an SMS any more.
const GRACE: TimeDelta = TimeDelta::days(1);

/// How many days ahead something can be scheduled: what is forgotten before it is sent would never be.
pub(crate) fn days_ahead(ctx: &Context) -> i64 {
    let kept = i64::from(ctx.settings.retention.messages_days);
    DAYS_MAX.min((kept - DAYS_AFTER).max(kept / 2))
}

/// When the texts of what is sent then, or now, are forgotten at the latest.
pub(crate) fn forgotten_by(ctx: &Context, due: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let validity = TimeDelta::from_std(ctx.settings.sms_expires_after).unwrap_or(TimeDelta::MAX);
    let sent = due.unwrap_or_default().max(ctx.now());
    sent.checked_add_signed(validity).and_then(|end| end.checked_add_signed(GRACE)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
