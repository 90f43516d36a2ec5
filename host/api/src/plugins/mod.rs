//! Plugins (CONTRACT 6): upload, activation, trial calls, and the history of calls.

mod activate;
mod history_bodies;
mod invoke;
mod lists;
mod pending;
mod plugin_bodies;
mod recorded_page;
mod recordings;
mod upload;
mod values;
mod verify;

use axum::extract::DefaultBodyLimit;
use domain::ids::InboxId;
use plugins::{PluginError, slots::Mode};
use serde_json::Value;
use std::time::Duration;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    error::{ApiError, ErrorKind},
    state::ApiState,
};

/// Value of `Retry-After` if too many plugins are being compiled.
const BUSY_RETRY: Duration = Duration::from_secs(5);

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(lists::list, upload::upload))
        // No plugin can have this name.
        .routes(routes!(upload::check))
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(pending::upload))
        .routes(routes!(lists::one, activate::delete))
        .routes(routes!(activate::activate))
        .routes(routes!(activate::rollback))
        .routes(routes!(activate::deactivate))
        .routes(routes!(invoke::invoke))
        .routes(routes!(verify::verify))
        .routes(routes!(lists::invocations))
        .routes(routes!(lists::events))
        .routes(routes!(lists::differences))
        .routes(routes!(recordings::start, recordings::stop))
        .routes(routes!(recordings::list))
        .routes(routes!(recordings::replay))
        .routes(routes!(values::list, values::erase))
}

/// The plugin in a path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "says what the paths have")]
struct Named {
    /// Name of the plugin.
    #[param(example = "default-chatbot")]
    name: String,
}

fn refused(error: PluginError) -> ApiError {
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
fn inbox_id(text: Option<&str>) -> Result<Option<InboxId>, ApiError> {
    text.map(|text| {
        text.parse().map_err(|_| {
            let said = "is not the id of one of your numbers; omit it for all numbers";
            ApiError::fault("whatsAppNumberId", said)
        })
    })
    .transpose()
}

/// Reads a version as a number or as text. `None` is the newest.
fn version(wanted: Option<&Value>) -> Result<Option<u64>, ApiError> {
    let wanted = match wanted {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.parse().ok(),
        Some(other) => other.as_u64(),
    };
    wanted.map(Some).ok_or_else(|| ApiError::fault("version", "must be the whole number of a version"))
}

fn mode(name: Option<&str>) -> Result<Mode, ApiError> {
    let Some(name) = name else { return Ok(Mode::Live) };
    Mode::parse(name).ok_or_else(|| ApiError::fault("mode", "must be `live`, `shadow` or `canary`"))
}

/// Converts a whole number to a smaller type. A number that does not fit becomes `beyond`, which the use case judges.
fn small<T: TryFrom<i64> + Copy>(value: Option<i64>, absent: T, beyond: T) -> T {
    value.map_or(absent, |value| T::try_from(value).unwrap_or(beyond))
}
