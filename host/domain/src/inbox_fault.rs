//! The faults of an inbox at its provider. A message that the provider takes ends them, on every process.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::{expiry::in_words, inbound::ProviderFailure};

/// Time for which the refusal of a token is shown, if no message goes out before.
pub const REFUSED_FOR: TimeDelta = TimeDelta::days(1);
/// Time after the next attempt for which a failed call is shown, if no message goes out before.
pub const FAILED_FOR: TimeDelta = TimeDelta::hours(1);
/// Time between two tries of an inbox whose token or account is refused.
pub const PROBE_INTERVAL: TimeDelta = TimeDelta::seconds(60);

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

/// The messages of an inbox wait, because the provider refuses its token or account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountHold {
    /// The first refusal. No message was taken since.
    pub since: DateTime<Utc>,
    /// The time of the next try.
    pub until: DateTime<Utc>,
    /// The provider's code.
    pub code: i64,
}

impl AccountHold {
    /// The latest time of queueing of the messages that have waited for `may_wait` at `now`. `None`: all may wait longer.
    pub fn waited_too_long(&self, may_wait: Duration, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let latest = now.checked_sub_signed(TimeDelta::from_std(may_wait).ok()?)?;
        (self.since <= latest).then_some(latest)
    }

    /// The failure of a message that has waited for `may_wait`. `meaning`: of the code, if it is known.
    pub fn failure(&self, meaning: Option<&str>, may_wait: Duration) -> ProviderFailure {
        let meaning = meaning.unwrap_or("the token or the account is not accepted");
        let text = format!(
            "expired: the provider did not accept the account of the inbox for {}: {meaning}",
            in_words(may_wait)
        );
        ProviderFailure { code: self.code, text }
    }
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
    fn a_message_waits_since_the_first_refusal_or_since_it_was_queued() {
        let hold = AccountHold { since: at(100), until: at(400), code: 190 };
        let may_wait = Duration::from_secs(60);
        assert_eq!(hold.waited_too_long(may_wait, at(159)), None);
        assert_eq!(hold.waited_too_long(may_wait, at(160)), Some(at(100)));
        assert_eq!(hold.waited_too_long(may_wait, at(200)), Some(at(140)), "one that was queued later waits longer");
        assert_eq!(hold.waited_too_long(Duration::MAX, at(200)), None);
    }

    #[test]
    fn a_message_that_waited_too_long_fails_with_the_code_of_the_provider() {
        let hold = AccountHold { since: at(0), until: at(60), code: 133_010 };
        let failure = hold.failure(Some("the number is not registered"), Duration::from_secs(4 * 3600));
        let text =
            "expired: the provider did not accept the account of the inbox for 4 h: the number is not registered";
        assert_eq!((failure.code, failure.text.as_str()), (133_010, text));
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
