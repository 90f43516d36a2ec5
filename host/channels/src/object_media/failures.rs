use std::error::Error as _;

use object_store::{
    Error,
    client::{HttpError, HttpErrorKind},
};

use crate::media_store::MediaStoreError;

pub(super) const STORE: &str = "bucket";

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(
        "the bucket refuses the key: check media.s3_access_key and media.s3_secret_key, that the key may read, write, \
         delete and list in the bucket, and the clock of this machine"
    )]
    Refused(#[source] Error),
    #[error("there is no such bucket: check media.store, media.s3_region and media.s3_endpoint")]
    NoBucket(#[source] Error),
    #[error("the object store cannot be reached: check media.s3_endpoint and the network")]
    NotReached(#[source] Error),
    #[error(
        "the object store did not execute the call: if this continues, check media.s3_endpoint and media.s3_region"
    )]
    Other(#[source] Error),
}

pub(super) fn store_error(error: Error) -> MediaStoreError {
    let trouble = match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Trouble::Refused(error),
        // An absent file is not an error, so this is an absent bucket.
        Error::NotFound { .. } => Trouble::NoBucket(error),
        error if is_not_reached(&error) => Trouble::NotReached(error),
        error => Trouble::Other(error),
    };
    MediaStoreError::Shared { store: STORE, source: Box::new(trouble) }
}

fn is_not_reached(error: &Error) -> bool {
    std::iter::successors(error.source(), |&error| error.source())
        .filter_map(|error| error.downcast_ref::<HttpError>())
        .any(|error| matches!(error.kind(), HttpErrorKind::Connect | HttpErrorKind::Timeout))
}
