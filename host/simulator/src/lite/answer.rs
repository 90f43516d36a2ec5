//! Answers of the simulated devices.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeviceError {
    #[error("\"{0}\" has no digits; write a business number such as 27110000000")]
    NotANumber(String),
    #[error("the body is wrong: {0}")]
    Body(String),
    #[error("the number is flagged: it may connect again in {0} seconds")]
    Banned(i64),
    #[error("the device is not connected")]
    NotConnected,
    #[error("there is no code to scan: the device shows one after it was started, until it is paired")]
    NoCode,
    #[error("that code has expired; scan the one that is shown now")]
    OldCode,
    #[error("WhatsApp cannot be asked at the moment")]
    LookupFails,
    #[error("{0} is not on WhatsApp")]
    NotRegistered(String),
    #[error("there is no event \"{0}\"; the known ones are: {1}")]
    NoEvent(String, String),
}

impl IntoResponse for DeviceError {
    fn into_response(self) -> Response {
        let (status, seconds) = match &self {
            Self::NotANumber(_) | Self::Body(_) | Self::NoEvent(..) => (StatusCode::BAD_REQUEST, None),
            Self::Banned(seconds) => (StatusCode::FORBIDDEN, Some(*seconds)),
            Self::NotConnected | Self::NoCode | Self::OldCode => (StatusCode::CONFLICT, None),
            Self::LookupFails => (StatusCode::SERVICE_UNAVAILABLE, None),
            Self::NotRegistered(_) => (StatusCode::NOT_FOUND, None),
        };
        (status, Json(json!({"error": self.to_string(), "bannedSeconds": seconds}))).into_response()
    }
}

pub(super) type DeviceAnswer = Result<Json<Value>, DeviceError>;

pub(super) fn number(written: &str) -> Result<String, DeviceError> {
    let digits = crate::identity::digits(written);
    if digits.is_empty() { Err(DeviceError::NotANumber(written.to_owned())) } else { Ok(digits) }
}

pub(super) fn body<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, DeviceError> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| DeviceError::Body(error.to_string()))
}
