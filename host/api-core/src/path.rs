//! Ids in paths.

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// The variable parts of a path. A part that cannot be an id, or has a NUL character, which PostgreSQL cannot store, is
/// answered as one that does not exist.
pub struct Segments<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Segments<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        if parts.uri.path().contains("%00") {
            return Err(ApiError::not_found());
        }
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(segments)) => Ok(Self(segments)),
            Err(_) => Err(ApiError::not_found()),
        }
    }
}
