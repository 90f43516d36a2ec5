//! Parts of requests about plugins, and answers to refused ones.

use std::time::Duration;

use api_core::{
    error::{ApiError, ErrorKind},
    query::choose,
};
use domain::ids::InboxId;
use plugins::{PluginError, slots::Mode};
use serde_json::Value;
use utoipa::IntoParams;

/// Value of `Retry-After` if too many plugins are being compiled.
pub(super) const BUSY_RETRY: Duration = Duration::from_secs(5);

/// The plugin in a path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes the paths")]
pub(super) struct PluginPath {
    /// Name of the plugin.
    #[param(example = "default-chatbot")]
    pub(super) name: String,
}

pub(super) fn api_error(error: PluginError) -> ApiError {
    match error {
        PluginError::NotFound => ApiError::not_found(),
        PluginError::Faults(faults) => ApiError::faults(faults),
        PluginError::Conflict(said) => ApiError::new(ErrorKind::Conflict, said),
        PluginError::TooLarge(said) => ApiError::new(ErrorKind::PayloadTooLarge, said),
        PluginError::Busy(said) => ApiError::new(ErrorKind::TooManyRequests, said).retry_after(BUSY_RETRY),
        PluginError::NotYet { said, wait } => ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait),
        PluginError::Failed(cause) => cause.into(),
    }
}

/// A text that is not an id cannot be the id of a number.
pub(super) fn inbox_id(text: Option<&str>) -> Result<Option<InboxId>, ApiError> {
    text.map(|text| {
        text.parse().map_err(|_| {
            let said = "is not the id of one of your numbers; omit it for all numbers";
            ApiError::fault("whatsAppNumberId", said)
        })
    })
    .transpose()
}

/// Reads a version as a number or as text. `None` is the newest.
pub(super) fn version(wanted: Option<&Value>) -> Result<Option<u64>, ApiError> {
    let wanted = match wanted {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.parse().ok(),
        Some(other) => other.as_u64(),
    };
    wanted.map(Some).ok_or_else(|| ApiError::fault("version", "must be the whole number of a version"))
}

pub(super) fn mode(name: Option<&str>) -> Result<Mode, ApiError> {
    let Some(name) = name else { return Ok(Mode::Live) };
    choose("mode", name, Mode::ALL, Mode::as_str).map_err(ApiError::faults)
}

/// Converts a whole number to a smaller type. A number that does not fit becomes `beyond`, which the use case judges.
pub(super) fn narrow<T: TryFrom<i64>>(value: i64, beyond: T) -> T {
    T::try_from(value).unwrap_or(beyond)
}

/// Like [`narrow`], for a number that may be absent.
pub(super) fn small<T: TryFrom<i64>>(value: Option<i64>, absent: T, beyond: T) -> T {
    value.map_or(absent, |value| narrow(value, beyond))
}
