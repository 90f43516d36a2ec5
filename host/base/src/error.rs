//! Failures that no request has caused.

/// A use case could not do its work. Failures that a caller can act on are in the error of the use case; this type has
/// the others.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database failed, or has a value that this version does not know.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// Something sealed does not open.
    #[error(transparent)]
    Sealed(#[from] crate::secrets::SealError),
    /// A stored JSON value does not have the shape that this version writes.
    #[error("the stored {what} is not readable")]
    Unreadable {
        /// The object that was read.
        what: &'static str,
        /// Where it broke.
        #[source]
        source: serde_json::Error,
    },
    /// Plugins could not be worked with.
    #[error("plugins could not be worked with")]
    Plugins(#[from] HostFailed),
    /// The lane went to another process. That process repeats the work that was not committed.
    #[error("this work belongs to another process now")]
    LeaseLost,
    /// The process is stopping.
    #[error("the service is stopping; send the request again")]
    Stopped,
}

/// Something about a plugin could not be done by this program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HostFailed(pub String);

impl Error {
    /// True when the failure has nothing to do with the work at hand: everything stops, and nothing counts against the
    /// item that was being worked on.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::LeaseLost | Self::Stopped => true,
            Self::Storage(error) => error.is_outage(),
            Self::Sealed(_) | Self::Unreadable { .. } | Self::Plugins(_) => false,
        }
    }

    /// True when a transaction gave way to another one: it may succeed at once in another order, or by smaller steps.
    pub fn gave_way(&self) -> bool {
        matches!(self, Self::Storage(error) if error.gave_way())
    }
}

impl From<storage::SqlxError> for Error {
    fn from(error: storage::SqlxError) -> Self {
        Self::Storage(error.into())
    }
}

/// Result of most use cases.
pub type Result<T, E = Error> = std::result::Result<T, E>;
