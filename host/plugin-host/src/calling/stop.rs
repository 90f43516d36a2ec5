//! The reasons to stop a call.

use super::{key_values::KeyValueError, limits::ExceededLimit};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("the plugin exceeded its limit of {0}")]
    Limit(ExceededLimit),
    #[error(transparent)]
    KeyValues(#[from] KeyValueError),
    /// The recorded call ran out of time at this point.
    #[error("the recorded call ended at this point")]
    Recorded,
    /// The calls of all clients together use all memory.
    #[error("there is not enough memory for this call and the others")]
    NoRoom,
}
