//! Whether the provider takes messages of the account of an inbox, as the calls of a round show.

use domain::carriage::{Acceptance, SendFailure};

/// Tries without an answer about the account before its lane waits for the next minute.
const MOST_SILENT: u8 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccountState {
    /// No refusal is known.
    Open,
    /// It was refused before this round, so one message is tried at a time.
    Tried { silent: u8 },
    /// It was refused before, and a message was taken. The facts about the inbox are read again.
    Restored,
    /// It is refused. No more calls begin in this round.
    Stopped,
}

impl AccountState {
    /// `is_held`: it was refused before.
    pub(super) fn new(is_held: bool) -> Self {
        if is_held { Self::Tried { silent: 0 } } else { Self::Open }
    }

    pub(super) fn note(&mut self, result: &Result<Acceptance, SendFailure>) {
        *self = match (*self, result) {
            (_, Err(SendFailure::AccountStopped(_))) => Self::Stopped,
            (Self::Tried { .. }, Ok(_)) => Self::Restored,
            (Self::Tried { silent }, Err(failure)) if !failure.is_about_message() => match silent + 1 {
                MOST_SILENT.. => Self::Stopped,
                silent => Self::Tried { silent },
            },
            (state, _) => state,
        };
    }

    /// No more calls begin in this round.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Restored | Self::Stopped)
    }

    pub(super) fn is_tried(self) -> bool {
        matches!(self, Self::Tried { .. })
    }
}

#[cfg(test)]
mod tests {
    use domain::inbound::ProviderFailure;

    use super::*;

    fn refused() -> ProviderFailure {
        ProviderFailure { code: 190, text: "expired".to_owned() }
    }

    fn after(is_held: bool, results: impl IntoIterator<Item = Result<Acceptance, SendFailure>>) -> AccountState {
        let mut state = AccountState::new(is_held);
        for result in results {
            state.note(&result);
        }
        state
    }

    #[test]
    fn a_refused_account_stays_stopped_for_the_round() {
        let stopped: Result<Acceptance, SendFailure> = Err(SendFailure::AccountStopped(refused()));
        assert_eq!(after(false, [Ok(Acceptance::default()), stopped.clone()]), AccountState::Stopped);
        assert_eq!(after(false, [stopped, Ok(Acceptance::default())]), AccountState::Stopped);
    }

    #[test]
    fn a_message_that_is_taken_restores_an_account_that_is_tried() {
        assert_eq!(after(true, [Ok(Acceptance::default())]), AccountState::Restored);
        assert_eq!(after(false, [Ok(Acceptance::default())]), AccountState::Open);
    }

    #[test]
    fn a_refused_message_tells_nothing_about_the_account_and_the_next_is_tried() {
        let rejected = || Err(SendFailure::Rejected(refused()));
        assert_eq!(after(true, std::iter::repeat_with(rejected).take(100)), AccountState::Tried { silent: 0 });
    }

    #[test]
    fn the_eighth_try_without_an_answer_about_the_account_is_the_last_of_the_round() {
        let lost = || Err(SendFailure::Unknown { reason: String::new() });
        assert_eq!(after(true, std::iter::repeat_with(lost).take(7)), AccountState::Tried { silent: 7 });
        assert_eq!(after(true, std::iter::repeat_with(lost).take(8)), AccountState::Stopped);
        assert_eq!(after(false, std::iter::repeat_with(lost).take(8)), AccountState::Open);
    }
}
