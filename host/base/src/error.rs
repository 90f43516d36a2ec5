/// A use case failed. Failures that the caller can act on are in the error type of the use case itself.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Storage(#[from] storage::Error),
    #[error(transparent)]
    Sealed(#[from] crate::secrets::SealError),
    #[error("the stored {what} is not readable")]
    Unreadable {
        what: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error("the plugins could not be used")]
    Plugins(#[from] HostFailed),
    /// The store of files failed or refused. The work that needs a file is not at fault (ADR 0075).
    #[error(transparent)]
    Files(#[from] FileStoreFailed),
    /// Another process has taken the lane. It repeats all work that was not committed.
    #[error("this work belongs to another process now")]
    LeaseLost,
    #[error("the service is stopping; send the request again")]
    Stopped,
    /// The caller cannot wait for the outcome. Its transaction must not be committed.
    #[error("the message answers another one whose call has no outcome yet; receive it again a little later")]
    TooEarly,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HostFailed(pub String);

/// The cause is a [`channels::media_store::MediaStoreError`], or a read that did not end.
#[derive(Debug, thiserror::Error)]
#[error("the store of files failed")]
pub struct FileStoreFailed(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl Error {
    /// True if the failure does not concern the item at work. All work stops, and it does not count as a failed
    /// attempt.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::LeaseLost | Self::Stopped | Self::Files(_) => true,
            Self::Storage(error) => error.is_outage(),
            Self::Sealed(_) | Self::Unreadable { .. } | Self::Plugins(_) | Self::TooEarly => false,
        }
    }

    /// True if a stored value is the cause. Trying again does not help.
    pub fn is_of_a_stored_value(&self) -> bool {
        match self {
            Self::Storage(error) => error.is_of_a_stored_value(),
            Self::Unreadable { .. } => true,
            Self::Files(_) | Self::Sealed(_) | Self::Plugins(_) | Self::LeaseLost | Self::Stopped | Self::TooEarly => {
                false
            }
        }
    }

    /// True if the transaction was rolled back in favour of another one. It may succeed at once in another order or in
    /// smaller steps.
    pub fn lost_to_another_transaction(&self) -> bool {
        matches!(self, Self::Storage(error) if error.lost_to_another_transaction())
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Lets `?` turn the named failures into the case `Failed` of an error of a use case, which holds an [`Error`].
#[macro_export]
macro_rules! fails_with {
    ($error:ty: $($cause:ty),+) => { $(
        impl From<$cause> for $error {
            fn from(error: $cause) -> Self {
                Self::Failed(error.into())
            }
        }
    )+ };
}
