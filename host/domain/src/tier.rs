//! Messaging tiers of Cloud numbers (SPEC part 8): different customers that get templates within any 24 hours, counted
//! in quarters of an hour, never beyond the provider's limit.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};

const WINDOW: TimeDelta = TimeDelta::hours(24);
const QUARTER: TimeDelta = TimeDelta::minutes(15);

/// The number of customers of a tier (PROVIDERS 0.3): `TIER_250`, `TIER_1K`, ... `None` for a name without a number.
pub fn limit_of(tier: &str) -> Option<u32> {
    let size = tier.strip_prefix("TIER_")?;
    match size.strip_suffix('K') {
        Some(thousands) => thousands.parse::<u32>().ok()?.checked_mul(1_000),
        None => size.parse().ok(),
    }
}

pub fn quarter_of(moment: DateTime<Utc>) -> DateTime<Utc> {
    moment.duration_trunc(QUARTER).unwrap_or(moment)
}

pub fn counted_after(now: DateTime<Utc>) -> DateTime<Utc> {
    now - WINDOW - QUARTER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn error_texts_of_the_provider_keep_their_codes() {
        let limits = ["TIER_50", "TIER_250", "TIER_1K", "TIER_2K", "TIER_10K", "TIER_100K"].map(limit_of);
        assert_eq!(limits, [50, 250, 1_000, 2_000, 10_000, 100_000].map(Some));
        for unlimited in ["TIER_UNLIMITED", "TIER_NOT_SET", "", "TIER_", "TIER_9999999999K"] {
            assert_eq!(limit_of(unlimited), None, "{unlimited}");
        }
    }

    #[test]
    fn a_recipient_counts_for_24_hours_and_for_no_more_than_a_quarter_of_an_hour_longer() {
        let counted = quarter_of(moment("2026-11-20T10:14:59Z"));
        assert_eq!(counted, moment("2026-11-20T10:00:00Z"));
        for (now, counts) in
            [("2026-11-20T10:15:00Z", true), ("2026-11-21T10:14:59Z", true), ("2026-11-21T10:15:00Z", false)]
        {
            assert_eq!(counted > counted_after(moment(now)), counts, "{now}");
        }
    }
}
