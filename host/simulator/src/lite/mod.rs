//! Lite devices: numbers that are paired like a phone (PROVIDERS D). `wire` is for the host, like the library of a
//! device. `handset` is for people and tests with the phone of the business.

mod device;
mod handset;
mod messages;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

pub(crate) use device::Device;
pub(crate) use messages::{receipt, write_to_device};

use crate::world::World;

pub(crate) fn routes() -> Router<Arc<World>> {
    wire::routes().merge(handset::routes())
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeviceError {
    #[error("\"{0}\" has no digits; write a business number such as 27110000000")]
    NotANumber(String),
    #[error("the body is not right: {0}")]
    Body(String),
    #[error("the number is flagged: it may connect again in {0} seconds")]
    Banned(i64),
    #[error("the device is not connected")]
    NotConnected,
    #[error("there is no code to scan: the device shows one after it was started, until it is paired")]
    NoCode,
    #[error("that code has run out; scan the one that is shown now")]
    OldCode,
    #[error("WhatsApp cannot be asked at the moment")]
    LookupFails,
    #[error("{0} is not on WhatsApp")]
    NotRegistered(String),
    #[error("there is no event \"{0}\"; those are: {1}")]
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

type Answer = Result<Json<Value>, DeviceError>;

#[derive(Debug, Default)]
pub(crate) struct Devices {
    by_number: BTreeMap<String, Device>,
}

impl Devices {
    /// The device of this business number, created if it is new.
    pub(crate) fn get(&mut self, number: &str) -> &mut Device {
        self.by_number.entry(number.to_owned()).or_insert_with(|| Device::new(number))
    }

    pub(crate) fn knows(&self, number: &str) -> bool {
        self.by_number.contains_key(number)
    }

    fn all(&self) -> impl Iterator<Item = &Device> {
        self.by_number.values()
    }
}

/// The digits of the number in a path.
fn number(written: &str) -> Result<String, DeviceError> {
    let digits = crate::identity::digits(written);
    if digits.is_empty() { Err(DeviceError::NotANumber(written.to_owned())) } else { Ok(digits) }
}

/// A JSON body. An empty one is an empty object.
fn body<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, DeviceError> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| DeviceError::Body(error.to_string()))
}
