//! Putting plugins in force, and taking them out again.

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::body::FieldFault;
use plugins::{self, Activate, slots::Mode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Named, inbox_id, mode, plugin_bodies::ActivationBody, refused, small, version};
use crate::{
    auth::{Allowed, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Activate, examples(json!({"version": 3, "mode": "canary", "percent": 10, "config": {"greeting": "Hello"}})))]
pub(super) struct ActivateBody {
    /// Number of a version; absent = the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// Only for this number; absent = for all that have none of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// `live` answers, `shadow` is asked and not heeded, `canary` answers a share of the participants.
    #[schema(value_type = Option<super::plugin_bodies::ModeName>)]
    mode: Option<String>,
    /// Of a canary only: its share of the participants.
    #[schema(minimum = 1, maximum = 100)]
    percent: Option<i64>,
    /// What the plugin is told, 64 KiB at most; it must go with the schema that the plugin exports, if it does. Absent = what
    /// this plugin has in force there is kept.
    #[schema(value_type = Option<Object>)]
    config: Option<Value>,
    /// Hosts that the plugin may call over HTTP. Absent = those that this plugin has in force there are kept; `[]` = none.
    #[schema(max_items = 50)]
    allowed_hosts: Option<Vec<String>>,
    /// Of a canary only: the percentage of failed calls at which it is ended.
    #[schema(minimum = 0, maximum = 100)]
    error_threshold: Option<i64>,
    /// Of a canary only: calls before that is judged.
    #[schema(minimum = 1, maximum = 1000)]
    minimum_calls: Option<i64>,
}

impl ActivateBody {
    /// What only a canary has, said of something else: whoever forgot `mode` would otherwise go live for everybody.
    fn contradictions(&self, mode: Mode) -> Result<(), ApiError> {
        if mode == Mode::Canary {
            return Ok(());
        }
        let said = [
            // Everything that is not a canary is for all of them.
            ("percent", self.percent.is_some_and(|percent| percent != 100)),
            ("errorThreshold", self.error_threshold.is_some()),
            ("minimumCalls", self.minimum_calls.is_some()),
        ];
        let fault = |field: &str| {
            let message =
                format!("is of a canary: add `\"mode\": \"canary\"`, or leave it out for mode `{}`", mode.as_str());
            FieldFault::new(field, message)
        };
        let faults: Vec<FieldFault> = said.iter().filter(|(_, is)| *is).map(|(field, _)| fault(field)).collect();
        if faults.is_empty() { Ok(()) } else { Err(ApiError::faults(faults)) }
    }
}

/// What is in force now.
#[derive(Serialize, ToSchema)]
#[schema(as = Activated)]
pub(super) struct ActivatedBody {
    #[serde(flatten)]
    activation: ActivationBody,
    /// Which of `config` and `allowedHosts` were left out of the request and kept as this plugin had them in force there.
    kept: Vec<&'static str>,
}

/// Puts a version in force.
///
/// At once, for calls that begin from now on; those under way end on the version that they began with. `config` and
/// `allowedHosts` that are left out stay as this plugin has them in force there, network grants included: `kept` says so.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/activate",
    operation_id = "activatePlugin",
    tag = "Plugins",
    params(Named),
    request_body(content = Option<ActivateBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "In force.", body = ActivatedBody),
        (status = 409, description = "It does not go with what is in force."),
    ),
)]
pub(super) async fn activate(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ActivateBody>,
) -> Result<Json<ActivatedBody>, ApiError> {
    let mode = mode(body.mode.as_deref())?;
    body.contradictions(mode)?;
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
    let activated = activated.map_err(refused)?;
    Ok(Json(ActivatedBody { activation: activated.activation.into(), kept: activated.kept }))
}

/// Where a plugin is in force.
#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
