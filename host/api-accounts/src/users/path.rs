//! The user that a path names.

use api_core::error::ApiError;
use domain::ids::UserId;

/// The caller's own id in paths.
pub(super) const ME: &str = "me";

/// Parses the id of a user.
pub(crate) fn user_id(text: &str) -> Result<UserId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found())
}
