//! Ids in paths.

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

use crate::{error::ApiError, state::ApiState};

/// The parts of a path that vary. One that cannot be an id at all is answered as one that does not exist: so is a NUL character,
/// which no text of ours has and the database refuses.
pub(crate) struct Segments<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<ApiState> for Segments<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        if parts.uri.path().contains("%00") {
            return Err(ApiError::not_found());
        }
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(segments)) => Ok(Self(segments)),
            Err(_) => Err(ApiError::not_found()),
        }
    }
}
