//! The health of a plugin: suspensions, and the calls of the last hour.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::ids::InboxId;
use domain::iso_time::iso_time;
use plugins::{ActivationHealth, PluginHealth, PluginSuspension};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{closed_sets::ModeName, lists::require_plugin, request::PluginPath};

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginHealth)]
pub(super) struct PluginHealthBody {
    /// Begin of the hour whose calls are counted.
    #[schema(format = DateTime)]
    since: String,
    /// The present activations.
    activations: Vec<ActivationHealthBody>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ActivationHealth)]
struct ActivationHealthBody {
    /// Id of the activation.
    activation_id: Uuid,
    /// Its version. Null for a built-in plugin or one in `plugins.dir`.
    version: Option<u32>,
    /// For this number. If null, for all numbers without an activation of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<InboxId>,
    /// Mode of the activation.
    #[schema(value_type = ModeName)]
    mode: &'static str,
    /// Present while the version fails too often and is not called.
    suspension: Option<SuspensionBody>,
    /// Calls in the last hour, of at most the latest 10,000 of the plugin.
    #[schema(minimum = 0)]
    calls: i64,
    /// Those of them that failed.
    #[schema(minimum = 0)]
    failures: i64,
    /// Mean duration of a call in microseconds. If null, there was none.
    mean_micros: Option<i64>,
    /// Duration in microseconds that 95 % of the calls stay within. If null, there was none.
    p95_micros: Option<i64>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginSuspension)]
struct SuspensionBody {
    /// Its begin.
    #[schema(format = DateTime)]
    since: String,
    /// Time from which one call decides if the plugin is used again.
    #[schema(format = DateTime)]
    until: String,
    /// The reason, with the last failure.
    reason: String,
    /// Processes of the server that suspend it. Each decides for itself.
    processes: u32,
}

impl From<PluginSuspension> for SuspensionBody {
    fn from(suspension: PluginSuspension) -> Self {
        Self {
            since: iso_time(suspension.since),
            until: iso_time(suspension.until),
            reason: suspension.reason,
            processes: suspension.processes,
        }
    }
}

impl From<ActivationHealth> for ActivationHealthBody {
    fn from(health: ActivationHealth) -> Self {
        let ActivationHealth { activation, suspension, figures } = health;
        Self {
            activation_id: activation.id,
            version: activation.plugin.version(),
            whats_app_number_id: activation.inbox,
            mode: activation.mode.as_str(),
            suspension: suspension.map(SuspensionBody::from),
            calls: figures.map_or(0, |figures| figures.calls),
            failures: figures.map_or(0, |figures| figures.failures),
            mean_micros: figures.map(|figures| figures.mean_micros),
            p95_micros: figures.map(|figures| figures.p95_micros),
        }
    }
}

/// Returns the health of a plugin: for each activation, whether it is suspended, and its calls in the last hour.
///
/// A plugin that fails too often is suspended for its client, and a built-in one decides in its place.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}/health",
    operation_id = "getPluginHealth",
    tag = "Plugins",
    params(PluginPath),
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "The health of the plugin.", body = PluginHealthBody)),
)]
pub(super) async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
) -> Result<Json<PluginHealthBody>, ApiError> {
    require_plugin(&state, &allowed, &name).await?;
    let PluginHealth { since, activations } = plugins::health(&state.context, allowed.caller.client, &name).await?;
    let activations = activations.into_iter().map(ActivationHealthBody::from).collect();
    Ok(Json(PluginHealthBody { since: iso_time(since), activations }))
}
