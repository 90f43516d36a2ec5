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
use utoipa::ToSchema;

use super::{Named, bodies::ActivationBody, inbox_id, mode, refused, small, version};
use crate::{
    auth::{Allowed, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Activate, examples(json!({"version": 3, "mode": "canary", "percent": 10, "config": {"greeting": "Hello"}})))]
pub(super) struct ActivateBody {
    /// Number of a version; absent = the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// Only for this number; absent = for all that have none of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// `live` answers, `shadow` is asked and not heeded, `canary` answers a share of the participants.
    #[schema(value_type = Option<super::bodies::ModeName>)]
    mode: Option<String>,
    /// Of a canary: its share of the participants.
    #[schema(minimum = 1, maximum = 100)]
    percent: Option<i64>,
    /// What the plugin is told, 64 KiB at most; it must go with the schema that the plugin exports, if it does.
    #[schema(value_type = Option<Object>)]
    config: Option<Value>,
    /// Hosts that the plugin may call over HTTP.
    #[schema(max_items = 50)]
    allowed_hosts: Option<Vec<String>>,
    /// Of a canary: the percentage of failed calls at which it is ended.
    #[schema(minimum = 0, maximum = 100)]
    error_threshold: Option<i64>,
    /// Of a canary: calls before that is judged.
    #[schema(minimum = 1, maximum = 1000)]
    minimum_calls: Option<i64>,
}

/// Puts a version in force.
///
/// At once, for calls that begin from now on; those under way end on the version that they began with.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/activate",
    operation_id = "activatePlugin",
    tag = "Plugins",
    params(Named),
    request_body(content = Option<ActivateBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "In force.", body = ActivationBody),
        (status = 409, description = "It does not go with what is in force."),
    ),
)]
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
#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginScope, examples(json!({"whatsAppNumberId": null})))]
pub(super) struct ScopeBody {
    /// For this number; absent or null = for all that have none of their own.
    #[schema(value_type = Option<Uuid>)]
    pub(super) whats_app_number_id: Option<String>,
}

/// Puts back in force what was before.
///
/// A trial (shadow or canary) is ended instead, if there is one.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/rollback",
    operation_id = "rollBackPlugin",
    tag = "Plugins",
    params(Named),
    request_body(content = Option<ScopeBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "What is in force now.", body = ActivationBody),
        (status = 204, description = "A trial was ended, and nothing is live beside it."),
        (status = 409, description = "Nothing was in force before."),
    ),
)]
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

/// Takes a plugin out of force.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/deactivate",
    operation_id = "deactivatePlugin",
    tag = "Plugins",
    params(Named),
    request_body(content = Option<ScopeBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "It is not in force any more."),
    ),
)]
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

/// Deletes a plugin with all its versions.
#[utoipa::path(
    delete,
    path = "/plugin-service/api/v1/plugins/{name}",
    operation_id = "deletePlugin",
    tag = "Plugins",
    params(Named),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "Deleted."),
        (status = 409, description = "It is in force."),
    ),
)]
pub(super) async fn delete(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, ApiError> {
    plugins::delete(&state.context, allowed.caller.client, &name, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}
