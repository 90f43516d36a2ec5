//! The user that a path names.

use api_core::error::ApiError;
use domain::ids::UserId;

pub(super) const ME: &str = "me";

pub(crate) fn user_id(text: &str) -> Result<UserId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found())
}
