//! The reasons to stop a call.

use super::{key_values::KeyValueError, limits::ExceededLimit};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("the plugin went beyond its limit of {0}")]
    Limit(ExceededLimit),
    #[error(transparent)]
    KeyValues(#[from] KeyValueError),
    /// The recorded call ran out of time at this point.
    #[error("the recorded call went no further")]
    Recorded,
    /// The calls of all clients together use all memory.
    #[error("there is no memory for this call beside the others")]
    NoRoom,
}
