use base::{Error, media::MediaAddressRefused};
use channels::media_store::MediaStoreError;

#[derive(Debug, thiserror::Error)]
pub enum MediaRefused {
    #[error(transparent)]
    Address(#[from] MediaAddressRefused),
    #[error("there is no such file")]
    NotFound,
    #[error("the file has not arrived yet; try again in a few seconds")]
    NotYet,
    #[error("the file could not be fetched from the provider")]
    Gone,
    #[error(transparent)]
    Store(#[from] MediaStoreError),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(MediaRefused: storage::Error);
