//! When a page may write to a customer (PROVIDERS B): for 24 hours after the customer did, and people for seven days.

use chrono::{DateTime, TimeDelta, Utc};

/// How long every sender may answer.
pub const WINDOW: TimeDelta = TimeDelta::hours(24);
/// How long people may answer, with the tag that says so.
pub const HUMAN_WINDOW: TimeDelta = TimeDelta::days(7);
/// Code of a message outside its window: Meta's, and ours for one that is not even sent.
pub const OUTSIDE_WINDOW: i64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowPermission {
    Answer,
    /// As the words of a person, which must say so.
    HumanAgent,
    No,
}

/// The time from which messages are refused. `human`: a person writes them. `wrote_at`: when the customer last wrote.
pub fn window_end(human: bool, wrote_at: DateTime<Utc>) -> DateTime<Utc> {
    wrote_at + if human { HUMAN_WINDOW } else { WINDOW }
}

/// How a message may go out now. `human`: a person wrote it. `wrote_at`: when the customer last did, if known.
pub fn permission(human: bool, wrote_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> WindowPermission {
    let Some(wrote_at) = wrote_at else { return WindowPermission::Answer };
    if now < window_end(false, wrote_at) {
        WindowPermission::Answer
    } else if human && now < window_end(true, wrote_at) {
        WindowPermission::HumanAgent
    } else {
        WindowPermission::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(human: bool, passed: TimeDelta) -> WindowPermission {
        let wrote = DateTime::UNIX_EPOCH;
        permission(human, Some(wrote), wrote + passed)
    }

    #[test]
    fn every_sender_may_answer_for_24_hours() {
        let last = WINDOW - TimeDelta::seconds(1);
        for human in [true, false] {
            assert_eq!(after(human, TimeDelta::zero()), WindowPermission::Answer);
            assert_eq!(after(human, last), WindowPermission::Answer);
        }
    }

    #[test]
    fn after_24_hours_only_people_may_answer_for_seven_days() {
        assert_eq!(after(false, WINDOW), WindowPermission::No);
        assert_eq!(after(true, WINDOW), WindowPermission::HumanAgent);
        assert_eq!(after(true, HUMAN_WINDOW - TimeDelta::seconds(1)), WindowPermission::HumanAgent);
        assert_eq!(after(true, HUMAN_WINDOW), WindowPermission::No);
    }

    #[test]
    fn the_provider_decides_if_the_time_of_the_last_message_is_unknown() {
        assert_eq!(permission(false, None, DateTime::UNIX_EPOCH), WindowPermission::Answer);
    }

    #[test]
    fn a_message_from_the_future_is_a_new_one() {
        assert_eq!(after(false, TimeDelta::hours(-1)), WindowPermission::Answer);
    }
}
