//! Putting plugins in force, and taking them out again.

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use plugins::{self, Activate};
use serde::Deserialize;
use serde_json::Value;

use super::{bodies::ActivationBody, inbox_id, mode, refused, small, version};
use crate::{
    auth::{Allowed, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActivateBody {
    version: Option<Value>,
    whats_app_number_id: Option<String>,
    mode: Option<String>,
    percent: Option<i64>,
    config: Option<Value>,
    allowed_hosts: Option<Vec<String>>,
    error_threshold: Option<i64>,
    minimum_calls: Option<i64>,
}

pub(super) async fn activate(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ActivateBody>,
) -> Result<Json<ActivationBody>, ApiError> {
    let mode = mode(body.mode.as_deref())?;
    let usual = Activate::newest(name, mode);
    let wanted = Activate {
        version: version(body.version.as_ref())?,
        inbox: inbox_id(body.whats_app_number_id.as_deref())?,
        percent: small(body.percent, usual.percent, 0),
        config: body.config.filter(|config| !config.is_null()),
        allowed_hosts: body.allowed_hosts,
        error_threshold: small(body.error_threshold, usual.error_threshold, u8::MAX),
        minimum_calls: small(body.minimum_calls, usual.minimum_calls, 0),
        ..usual
    };
    let activated = plugins::activate(&state.context, allowed.caller.client, wanted, allowed.actor()).await;
    activated.map(|activation| Json(activation.into())).map_err(refused)
}

/// Where a plugin is in force.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScopeBody {
    pub(super) whats_app_number_id: Option<String>,
}

pub(super) async fn rollback(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ScopeBody>,
) -> Result<Response, ApiError> {
    let number = inbox_id(body.whats_app_number_id.as_deref())?;
    let client = allowed.caller.client;
    let live = plugins::rollback(&state.context, client, &name, number, allowed.actor()).await.map_err(refused)?;
    Ok(match live {
        Some(live) => Json(ActivationBody::from(live)).into_response(),
        // A trial ended, and nothing is live beside it.
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

pub(super) async fn deactivate(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ScopeBody>,
) -> Result<StatusCode, ApiError> {
    let number = inbox_id(body.whats_app_number_id.as_deref())?;
    let client = allowed.caller.client;
    plugins::deactivate(&state.context, client, &name, number, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn delete(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, ApiError> {
    plugins::delete(&state.context, allowed.caller.client, &name, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}
