//! The outcomes of a call to a carrier, in terms of every channel.

use std::time::Duration;

use crate::{failure_code::OwnCode, inbound::ProviderFailure};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acceptance {
    /// The provider's id of the message. Absent where parts have ids of their own and the message has none.
    pub provider_id: Option<String>,
    /// Addresses of the recipient that the provider named in its answer: a canonical phone number, a BSUID.
    pub learned: Vec<crate::address::Address>,
    /// Held back by the provider: sent or failed later.
    pub held: bool,
    /// The provider reports acceptance and sending as one step: no separate report of the sending will come.
    pub sent: bool,
}

/// The carrier does not have the message, or that is unknown. Each variant decides the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// Refused permanently.
    #[error("refused: ({}) {}", .0.code, .0.text)]
    Rejected(ProviderFailure),
    /// The recipient is not reached on this channel: another address, or another channel, may do.
    #[error("not reached on this channel: ({}) {}", .0.code, .0.text)]
    Unreachable(ProviderFailure),
    /// Refused for now; sending again is safe. Counts against the tries of the leg.
    #[error("refused for now: ({}) {}", failure.code, failure.text)]
    Retry {
        failure: ProviderFailure,
        /// How long the provider asks to wait.
        after: Option<Duration>,
    },
    /// Too fast for the inbox as a whole; sending again is safe. The lane slows down, and the leg loses no try.
    #[error("too fast: ({}) {}", failure.code, failure.text)]
    SlowDown { failure: ProviderFailure, after: Option<Duration> },
    /// Too fast for this recipient; sending again is safe.
    #[error("too fast for this recipient: ({}) {}", .0.code, .0.text)]
    RecipientLimited(ProviderFailure),
    /// The account cannot send, and the operator must act. The messages of the inbox wait for a time (`inbox_fault`).
    #[error("the account cannot send: ({}) {}", .0.code, .0.text)]
    AccountStopped(ProviderFailure),
    /// Nothing was written: sending again is safe.
    #[error("not sent: {reason}")]
    NotSent {
        reason: String,
        /// How long to wait before the next try; the dispatcher's own schedule when absent.
        after: Option<Duration>,
    },
    /// The request was written, but its outcome is unknown: wait for a report with our id (ADR 0004).
    #[error("outcome unknown: {reason}")]
    Unknown { reason: String },
}

impl SendFailure {
    pub fn failure(&self) -> Option<&ProviderFailure> {
        match self {
            Self::Rejected(failure)
            | Self::Unreachable(failure)
            | Self::RecipientLimited(failure)
            | Self::AccountStopped(failure)
            | Self::Retry { failure, .. }
            | Self::SlowDown { failure, .. } => Some(failure),
            Self::NotSent { .. } | Self::Unknown { .. } => None,
        }
    }

    /// True if only this message is refused, so that others of its inbox may be taken.
    pub fn is_about_message(&self) -> bool {
        matches!(self, Self::Rejected(_) | Self::Unreachable(_) | Self::RecipientLimited(_))
    }
}

pub const NO_ANSWER: i64 = OwnCode::NoAnswer.code();
/// Our own code of a message that could not be handed over for too long.
pub const NOT_HANDED_OVER: i64 = OwnCode::NotHandedOver.code();
/// Refusals for a passing reason before the message fails. Calls that came to nothing for another reason do not count among them.
const PASSING_REFUSALS: i16 = 7;
/// Longest pause after such a refusal, in seconds: together with the shorter ones before it, trouble of ten minutes is waited for.
const LONGEST_REFUSAL_PAUSE: u64 = 300;
/// Calls that did not come through, or were too fast, before the message fails: about half a day.
const MOST_CALLS: i16 = 1000;
/// Longest pause between two calls, in seconds.
const LONGEST_PAUSE: u64 = 60;
/// Longest pause for a recipient that got messages too often, in seconds.
const LONGEST_RECIPIENT_PAUSE: u64 = 3600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    Again(Duration),
    Fail(ProviderFailure),
    /// Wait for a report on the message; without one, the rule of its client decides ([`DoubtRule`]).
    AwaitNews,
}

/// The choice of a client for messages that are still in doubt after the wait for a report (ADR 0004).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DoubtRule {
    /// Such a message is sent once more, and the ambiguity recorded (ADR 0004). It may arrive twice.
    #[default]
    Repeat,
    /// Such a message fails. It may be lost.
    GiveUp,
}

impl DoubtRule {
    pub fn of_client(at_most_once: bool) -> Self {
        if at_most_once { Self::GiveUp } else { Self::Repeat }
    }

    /// The failure of a message that is in doubt for the first time. `None`: it is sent again.
    pub fn failure(self) -> Option<ProviderFailure> {
        let text = "outcome unknown, not repeated: the provider did not answer, and the message may have arrived";
        match self {
            Self::Repeat => None,
            Self::GiveUp => Some(ProviderFailure { code: OwnCode::NotRepeated.code(), text: text.to_owned() }),
        }
    }
}

/// The earlier calls of a leg, when a call for it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    /// Calls, this one included.
    pub calls: i16,
    /// Calls before this one that were refused for a passing reason.
    pub refusals: i16,
    /// The message may wait for a time only (`limits.sms_expires_after`), so a slow provider uses up none of its calls.
    pub expires: bool,
    /// The message has waited too long for an account that the provider refuses (`limits.refused_expires_after`).
    pub refused_too_long: bool,
}

impl SendFailure {
    pub fn next(&self, tries: Tries) -> NextStep {
        let Tries { calls, refusals, expires, refused_too_long } = tries;
        let refusals = refusals.saturating_add(1);
        let while_calls_last = |pause: Duration, failure: &ProviderFailure| match calls {
            calls if calls < MOST_CALLS => NextStep::Again(pause),
            _ => NextStep::Fail(failure.clone()),
        };
        match self {
            Self::Rejected(failure) | Self::Unreachable(failure) => NextStep::Fail(failure.clone()),
            Self::AccountStopped(failure) if refused_too_long => NextStep::Fail(failure.clone()),
            // The closed lane of its inbox is the pause.
            Self::AccountStopped(_) => NextStep::Again(Duration::ZERO),
            Self::Retry { after, .. } if refusals < PASSING_REFUSALS => {
                NextStep::Again(after.unwrap_or_else(|| four_times_longer(refusals, LONGEST_REFUSAL_PAUSE)))
            }
            Self::Retry { failure, .. } => NextStep::Fail(failure.clone()),
            Self::SlowDown { after, .. } | Self::NotSent { after, .. } if expires => {
                NextStep::Again(after.unwrap_or_else(|| pause(calls)))
            }
            Self::SlowDown { failure, after } => while_calls_last(after.unwrap_or_else(|| pause(calls)), failure),
            Self::RecipientLimited(failure) => {
                while_calls_last(four_times_longer(calls.saturating_add(1), LONGEST_RECIPIENT_PAUSE), failure)
            }
            Self::NotSent { after, .. } => {
                let text = "the message could not be handed to the provider".to_owned();
                let failure = ProviderFailure { code: NOT_HANDED_OVER, text };
                while_calls_last(after.unwrap_or_else(|| pause(calls)), &failure)
            }
            Self::Unknown { .. } => NextStep::AwaitNews,
        }
    }
}

/// The pause after so many calls, where the provider names none: 1, 2, 4, ... seconds, at most a minute.
pub fn pause(calls: i16) -> Duration {
    let exponent = u32::from(calls.unsigned_abs()).saturating_sub(1).min(16);
    Duration::from_secs(2_u64.saturating_pow(exponent).min(LONGEST_PAUSE))
}

/// The pause before the next of so many tries: 1, 4, 16, ... seconds, at most `longest`.
fn four_times_longer(tries: i16, longest: u64) -> Duration {
    let exponent = u32::from(tries.unsigned_abs()).saturating_sub(1);
    Duration::from_secs(4_u64.saturating_pow(exponent).min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> ProviderFailure {
        ProviderFailure { code: 7, text: "refused".to_owned() }
    }

    fn seconds(next: NextStep) -> Option<u64> {
        match next {
            NextStep::Again(pause) => Some(pause.as_secs()),
            NextStep::Fail(_) | NextStep::AwaitNews => None,
        }
    }

    fn after(calls: i16) -> Tries {
        Tries { calls, refusals: 0, expires: false, refused_too_long: false }
    }

    #[test]
    fn pauses_double_up_to_a_minute() {
        let pauses: Vec<u64> = (1..=8).map(|calls| pause(calls).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn ten_minutes_of_failures_are_waited_for_and_the_seventh_temporary_refusal_is_the_last() {
        let refused = SendFailure::Retry { failure: failure(), after: None };
        let tries = |refusals| Tries { refusals, ..after(refusals + 1) };
        let pauses: Vec<u64> = (0..6).filter_map(|refusals| seconds(refused.next(tries(refusals)))).collect();
        assert_eq!(pauses, [1, 4, 16, 64, 256, 300]);
        assert_eq!(refused.next(tries(6)), NextStep::Fail(failure()));
    }

    #[test]
    fn calls_that_failed_for_another_reason_do_not_count_as_refusals() {
        let refused = SendFailure::Retry { failure: failure(), after: None };
        assert_eq!(seconds(refused.next(after(100))), Some(1));
        assert_eq!(seconds(refused.next(Tries { refusals: 2, ..after(100) })), Some(16));
        assert_eq!(refused.next(Tries { refusals: 6, ..after(100) }), NextStep::Fail(failure()));
    }

    #[test]
    fn an_unwritten_call_is_tried_for_half_a_day() {
        let not_sent = SendFailure::NotSent { reason: String::new(), after: None };
        assert_eq!(seconds(not_sent.next(after(999))), Some(60));
        let NextStep::Fail(reported) = not_sent.next(after(1000)) else { panic!("tried for ever") };
        assert_eq!(reported.code, NOT_HANDED_OVER);
    }

    #[test]
    fn an_expiring_message_is_tried_until_its_expiry_at_any_number_of_unwritten_calls() {
        let not_sent = SendFailure::NotSent { reason: String::new(), after: None };
        assert_eq!(seconds(not_sent.next(Tries { expires: true, ..after(i16::MAX) })), Some(60));
    }

    #[test]
    fn slow_answers_use_up_only_the_calls_of_messages_that_never_expire() {
        let slow = SendFailure::SlowDown { failure: failure(), after: None };
        assert_eq!(seconds(slow.next(after(999))), Some(60));
        assert_eq!(slow.next(after(1000)), NextStep::Fail(failure()));
        assert_eq!(seconds(slow.next(Tries { expires: true, ..after(i16::MAX) })), Some(60));
    }

    #[test]
    fn a_wait_that_the_provider_names_is_kept() {
        let named = Some(Duration::from_secs(300));
        assert_eq!(seconds(SendFailure::SlowDown { failure: failure(), after: named }.next(after(1))), Some(300));
        assert_eq!(seconds(SendFailure::Retry { failure: failure(), after: named }.next(after(1))), Some(300));
    }

    #[test]
    fn the_pause_of_a_throttled_recipient_grows_fourfold_each_time() {
        let limited = SendFailure::RecipientLimited(failure());
        let pauses: Vec<_> = (1..=7).filter_map(|calls| seconds(limited.next(after(calls)))).collect();
        assert_eq!(pauses, [4, 16, 64, 256, 1024, 3600, 3600]);
    }

    #[test]
    fn a_message_of_a_refused_account_waits_for_any_number_of_calls_and_fails_after_its_time() {
        let stopped = SendFailure::AccountStopped(failure());
        assert_eq!(seconds(stopped.next(after(i16::MAX))), Some(0));
        assert_eq!(stopped.next(Tries { refused_too_long: true, ..after(1) }), NextStep::Fail(failure()));
    }

    #[test]
    fn only_a_refusal_of_the_message_itself_lets_others_of_its_inbox_go_on() {
        assert!(SendFailure::Rejected(failure()).is_about_message());
        assert!(SendFailure::Unreachable(failure()).is_about_message());
        assert!(!SendFailure::AccountStopped(failure()).is_about_message());
        assert!(!SendFailure::Unknown { reason: String::new() }.is_about_message());
    }

    #[test]
    fn only_a_client_that_wants_no_message_twice_gives_up_a_message_in_doubt() {
        assert_eq!(DoubtRule::default(), DoubtRule::of_client(false));
        assert_eq!(DoubtRule::of_client(false).failure(), None);
        let failure = DoubtRule::of_client(true).failure().unwrap();
        assert_eq!(failure.code, 900_409);
        assert!(failure.text.starts_with("outcome unknown, not repeated"), "{}", failure.text);
    }

    #[test]
    fn a_lost_answer_is_waited_for() {
        assert_eq!(SendFailure::Unknown { reason: String::new() }.next(after(1)), NextStep::AwaitNews);
        assert_eq!(SendFailure::Unreachable(failure()).next(after(1)), NextStep::Fail(failure()));
    }
}
