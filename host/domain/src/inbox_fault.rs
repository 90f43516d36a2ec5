//! The faults of an inbox at its provider. A message that the provider takes ends them, on every process.

use chrono::{DateTime, TimeDelta, Utc};

/// Time for which the refusal of a token is shown, if no message goes out before.
pub const REFUSED_FOR: TimeDelta = TimeDelta::days(1);
/// Time after the next attempt for which a failed call is shown, if no message goes out before.
pub const FAILED_FOR: TimeDelta = TimeDelta::hours(1);

/// The last faults of an inbox that no message ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxFaults {
    pub refusal: Option<TokenRefusal>,
    pub failed_call: Option<InboxCallFailure>,
}

/// The provider refused the token or the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRefusal {
    /// The provider's code.
    pub code: String,
    pub at: DateTime<Utc>,
}

/// A call failed for a reason that delays all messages of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCallFailure {
    /// For the client: without addresses of customers and of the installation.
    pub reason: String,
    pub at: DateTime<Utc>,
    /// The time of the next attempt, if one is planned.
    pub until: Option<DateTime<Utc>>,
}

impl InboxFaults {
    pub fn is_empty(&self) -> bool {
        self.refusal.is_none() && self.failed_call.is_none()
    }

    /// Leaves out faults that are too old to be shown.
    #[must_use]
    pub fn shown_at(self, now: DateTime<Utc>) -> Self {
        Self {
            refusal: self.refusal.filter(|refusal| refusal.at + REFUSED_FOR > now),
            failed_call: self.failed_call.filter(|call| call.until.unwrap_or(call.at) + FAILED_FOR > now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    #[test]
    fn a_refusal_is_shown_for_a_day() {
        let refused =
            InboxFaults { refusal: Some(TokenRefusal { code: "190".to_owned(), at: at(0) }), ..InboxFaults::default() };
        assert!(refused.clone().shown_at(at(86_399)).refusal.is_some());
        assert!(refused.shown_at(at(86_400)).is_empty());
    }

    #[test]
    fn a_failed_call_is_shown_until_an_hour_after_its_next_attempt_or_after_itself() {
        for (until, end) in [(None, 3_600), (Some(at(300)), 3_900)] {
            let call = InboxCallFailure { reason: "x".to_owned(), at: at(0), until };
            let failed = InboxFaults { failed_call: Some(call), ..InboxFaults::default() };
            assert!(failed.clone().shown_at(at(end - 1)).failed_call.is_some(), "{until:?}");
            assert!(failed.shown_at(at(end)).is_empty(), "{until:?}");
        }
    }
}
