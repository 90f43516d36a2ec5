use base::Result;
use plugin_host::CallError;
use plugins::calls::{FinishedCall, trace};

use super::failure::TurnTrouble;

pub(super) enum TurnOutcome {
    /// The answer was applied.
    Over,
    /// The chat changed hands, and nothing was applied.
    Lost,
    /// A key-value that the call read has changed. Nothing was applied, and the call is repeated at once.
    ReadsChanged,
    /// The host could not make the call: it has no room, or the database fails. The event stays.
    NotAsked(Box<FinishedCall>),
    /// The canary failed on its own timer or request, which is not for the live version, because that is another plugin.
    OfCanary,
    Failed(Box<TurnTrouble>),
}

impl TurnOutcome {
    pub(super) fn from_trouble(trouble: TurnTrouble) -> Self {
        Self::Failed(Box::new(trouble))
    }

    /// An error if the store of files failed the call: the turn begins again, as after an outage of the database.
    pub(super) fn without_answer(error: CallError, made: Box<FinishedCall>) -> Result<Self> {
        if trace::is_of_the_host(&error) {
            return Ok(Self::NotAsked(made));
        }
        match trace::file_store_failure(error) {
            Ok(failed) => Err(failed.into()),
            Err(error) => Ok(Self::from_trouble(TurnTrouble::Call { error: Box::new(error), made })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_not_asked(error: CallError) -> bool {
        let outcome = TurnOutcome::without_answer(error, Box::new(FinishedCall::sample("bot")));
        matches!(outcome, Ok(TurnOutcome::NotAsked(_)))
    }

    #[test]
    fn a_database_that_fails_is_not_the_chatbots_failure_however_long_that_lasts() {
        let unread = CallError::Unavailable { plugin: "bot".to_owned(), reason: "disk full".to_owned(), unread: true };
        assert!(is_not_asked(unread));
        let away = CallError::Unavailable { plugin: "bot".to_owned(), reason: "away".to_owned(), unread: false };
        assert!(!is_not_asked(away));
    }

    #[test]
    fn a_host_without_memory_is_not_a_failure_of_the_chatbot() {
        assert!(is_not_asked(CallError::TooBusy { plugin: "bot".to_owned() }));
    }
}
