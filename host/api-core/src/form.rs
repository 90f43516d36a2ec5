//! Forms (`multipart/form-data`), such as those of uploads.

use std::fmt::Display;

use axum::extract::{FromRequest, Multipart, Request};

use crate::error::ApiError;

/// Reads a form, field by field. The handler limits its bytes.
pub async fn fields_of(request: Request) -> Result<Multipart, ApiError> {
    Multipart::from_request(request, &()).await.map_err(unreadable)
}

/// The error of a form that cannot be read.
pub fn unreadable(fault: impl Display) -> ApiError {
    ApiError::fault("body", format!("is not a readable form: {fault}"))
}
