use std::time::Duration;

/// Why a session does not wait any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WaitEnd {
    #[error("the database does not answer; try again when it does")]
    Silent,
    /// The session is from before a silence: whether the server still knows it is not known.
    #[error("the session with the database began before the database stopped answering; try again")]
    Outdated,
    /// This statement was not answered, others may be.
    #[error("the database has not answered a statement for {} ms; try again", .0.as_millis())]
    Late(Duration),
    #[error("no session with the database became free for {} ms; try again", .0.as_millis())]
    NoSession(Duration),
    /// The statements of this request have taken too long together.
    #[error("the statements of this request have waited {} ms for the database; try again", .0.as_millis())]
    Spent(Duration),
}
