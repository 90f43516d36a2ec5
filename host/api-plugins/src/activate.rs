//! Activating plugins, and deactivating them.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::body::FieldFault;
use plugins::{self, NewActivation, RollBack, RollbackResult, slots::Mode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    plugin_bodies::{ActivationBody, HttpLimitsBody},
    request::{PluginPath, api_error, inbox_id, mode, narrow, version},
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Activate, examples(json!({"version": 3, "mode": "canary", "percent": 10, "config": {"greeting": "Hello"}})))]
pub(super) struct ActivateBody {
    /// Number of a version. If it is absent, the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// Only for this number. If it is absent, for all numbers without an activation of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// `live` answers. `shadow` is called, but its answers have no effect. `canary` answers for a share of the
    /// participants.
    #[schema(value_type = Option<crate::closed_sets::ModeName>)]
    mode: Option<String>,
    /// For `canary` only: its share of the participants, in percent. If it is absent, that of the running canary of this
    /// plugin in this place, otherwise 10. The same applies to `errorThreshold` (10) and `minimumCalls` (20).
    #[schema(minimum = 1, maximum = 100)]
    percent: Option<i64>,
    /// The configuration of the plugin, at most 64 KiB. It must match the schema that the plugin exports, if there is
    /// one. `{"$secret": "NAME"}` stands for a shared secret, in a value that the schema marks `writeOnly`. If it is absent, the present configuration of this plugin is kept. If a number has no activation of this
    /// plugin, that is the configuration for all numbers. The same applies to `allowedHosts` and `httpLimits`.
    #[schema(value_type = Option<Object>)]
    config: Option<Value>,
    /// Hosts that the plugin may call over HTTP. If it is absent, the present hosts of this plugin are kept; `[]`
    /// allows none.
    #[schema(max_items = 50)]
    allowed_hosts: Option<Vec<String>>,
    /// Limits of its HTTP requests. If they are absent, the present limits of this plugin are kept; `{}` are those of the
    /// operator.
    http_limits: Option<HttpLimitsBody>,
    /// For `canary` only: the percentage of failed calls that ends it.
    #[schema(minimum = 0, maximum = 100)]
    error_threshold: Option<i64>,
    /// For `canary` only: number of calls before the percentage is judged.
    #[schema(minimum = 1, maximum = 1000)]
    minimum_calls: Option<i64>,
    /// `true`: run all checks and show the result. It reads only, so nothing changes and no other change waits.
    #[serde(default)]
    preview: bool,
}

impl ActivateBody {
    /// Without this check, a request with a canary but without `mode` would go live for all participants.
    fn contradictions(&self, mode: Mode) -> Result<(), ApiError> {
        if mode == Mode::Canary {
            return Ok(());
        }
        let said = [
            // Other modes serve all participants.
            ("percent", self.percent.is_some_and(|percent| percent != 100)),
            ("errorThreshold", self.error_threshold.is_some()),
            ("minimumCalls", self.minimum_calls.is_some()),
        ];
        let fault = |field: &str| {
            let message = format!(
                "applies only to a canary: add `\"mode\": \"canary\"`, or omit it for mode `{}`",
                mode.as_str()
            );
            FieldFault::new(field, message)
        };
        let faults: Vec<FieldFault> = said.iter().filter(|(_, is)| *is).map(|(field, _)| fault(field)).collect();
        if faults.is_empty() { Ok(()) } else { Err(ApiError::faults(faults)) }
    }
}

/// The present activation.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivationResult)]
pub(super) struct ActivatedBody {
    #[serde(flatten)]
    activation: ActivationBody,
    /// Names `config`, `allowedHosts` and `httpLimits` if they were absent from the request and the present values were
    /// kept.
    kept: Vec<&'static str>,
    /// The plugin that it replaced. Null if nothing was active in its place.
    replaced: Option<ReplacedBody>,
}

/// The plugin that an activation replaced.
#[derive(Serialize, ToSchema)]
#[schema(as = ReplacedPlugin)]
struct ReplacedBody {
    /// Name of the plugin.
    plugin: String,
    /// Its version. Null for a built-in plugin or one in `plugins.dir`.
    version: Option<u32>,
}

/// Activates a version.
///
/// It takes effect at once for calls that begin after it. Calls in progress end on their version. If `config`,
/// `allowedHosts` or `httpLimits` is absent, the present value of this plugin is kept, and `kept` names it.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/activate",
    operation_id = "activatePlugin",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<ActivateBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The version is active.", body = ActivatedBody),
        (status = 409, description = "It conflicts with the present activation."),
    ),
)]
pub(super) async fn activate(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ActivateBody>,
) -> Result<Json<ActivatedBody>, ApiError> {
    let mode = mode(body.mode.as_deref())?;
    body.contradictions(mode)?;
    let wanted = NewActivation {
        version: version(body.version.as_ref())?,
        inbox: inbox_id(body.whats_app_number_id.as_deref())?,
        percent: body.percent.map(|percent| narrow(percent, 0)),
        config: body.config.filter(|config| !config.is_null()),
        allowed_hosts: body.allowed_hosts,
        http_limits: body.http_limits.map(Into::into),
        error_threshold: body.error_threshold.map(|percent| narrow(percent, u8::MAX)),
        minimum_calls: body.minimum_calls.map(|calls| narrow(calls, 0)),
        preview: body.preview,
        ..NewActivation::newest(name, mode)
    };
    let activated = plugins::activate(&state.context, allowed.caller.client, wanted, allowed.actor()).await;
    let activated = activated.map_err(api_error)?;
    let replaced = activated
        .replaced
        .map(|replaced| ReplacedBody { plugin: replaced.name().to_owned(), version: replaced.version() });
    Ok(Json(ActivatedBody { activation: activated.activation.into(), kept: activated.kept, replaced }))
}

/// The activation to change.
#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PluginScope, examples(json!({"whatsAppNumberId": null})))]
pub(super) struct ScopeBody {
    /// For this number. If it is absent or null, for all numbers without an activation of their own.
    #[schema(value_type = Option<Uuid>)]
    pub(super) whats_app_number_id: Option<String>,
}

/// The wanted rollback.
#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RollBack, examples(json!({"whatsAppNumberId": null, "version": 3})))]
pub(super) struct RollbackBody {
    /// For this number. If it is absent or null, for all numbers without an activation of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// The version to return to, with the configuration and the hosts that it had. If it is absent, the activation
    /// before the present one.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// `true`: only show the result, and change nothing.
    #[serde(default)]
    preview: bool,
}

/// The activation that is in force after a rollback.
#[derive(Serialize, ToSchema)]
#[schema(as = RollbackResult)]
pub(super) struct RolledBackBody {
    #[serde(flatten)]
    activation: ActivationBody,
    /// The activation that it ended. Null after a deactivation.
    before: Option<ActivationBody>,
}

/// Returns to the activation before the present one, or to a version.
///
/// If there is a trial (shadow or canary) and the request names no version, the trial is ended instead.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/rollback",
    operation_id = "rollBackPlugin",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<RollbackBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The present activation.", body = RolledBackBody),
        (status = 204, description = "A trial was ended, and no live activation exists."),
        (status = 409, description = "There was no activation before."),
    ),
)]
pub(super) async fn rollback(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<RollbackBody>,
) -> Result<Response, ApiError> {
    let inbox = inbox_id(body.whats_app_number_id.as_deref())?;
    let wanted = RollBack { plugin: &name, inbox, to: version(body.version.as_ref())? };
    let (ctx, client) = (&state.context, allowed.caller.client);
    let rolled_back = match body.preview {
        true => plugins::preview_rollback(ctx, client, wanted).await,
        false => plugins::rollback(ctx, client, wanted, allowed.actor()).await,
    };
    let RollbackResult { before, live } = rolled_back.map_err(api_error)?;
    Ok(match live {
        Some(live) => {
            let before = before.map(ActivationBody::from);
            Json(RolledBackBody { activation: live.into(), before }).into_response()
        }
        // A trial ended, and no live activation exists.
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Deactivates a plugin.
///
/// The built-in plugin of the world takes its place for calls that begin after it.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/deactivate",
    operation_id = "deactivatePlugin",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<ScopeBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "The plugin is not active."),
    ),
)]
pub(super) async fn deactivate(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ScopeBody>,
) -> Result<StatusCode, ApiError> {
    let number = inbox_id(body.whats_app_number_id.as_deref())?;
    let client = allowed.caller.client;
    plugins::deactivate(&state.context, client, &name, number, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a plugin with all its versions.
///
/// If a version is active, the answer is 409: deactivate it first.
#[utoipa::path(
    delete,
    path = "/plugin-service/api/v1/plugins/{name}",
    operation_id = "deletePlugin",
    tag = "Plugins",
    params(PluginPath),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "Deleted."),
        (status = 409, description = "The plugin is active."),
    ),
)]
pub(super) async fn delete(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, ApiError> {
    plugins::delete(&state.context, allowed.caller.client, &name, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
