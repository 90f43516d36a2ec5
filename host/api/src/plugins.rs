//! Plugins (CONTRACT 6): which there are, which are active, and what their calls did.

use axum::{
    Json, Router,
    extract::{Query, State},
    http::{StatusCode, request::Parts},
    routing::{get, post},
};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::ids::NumberId;
use messaging::{
    activations::{self, Activate, Activation, ActivationError, Plugin, PluginState},
    numbers::{Page, PageRequest},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{
    auth::{Allowed, Plugins},
    body::{JsonBody, OptionalJson},
    error::ApiError,
    page::{ListQuery, PageBody},
    path::Segments,
    state::ApiState,
};

const BASE: &str = "/plugin-service/api/v1/plugins";

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route(BASE, get(list))
        .route(&format!("{BASE}/{{name}}"), get(one))
        .route(&format!("{BASE}/{{name}}/activate"), post(activate))
        .route(&format!("{BASE}/{{name}}/deactivate"), post(deactivate))
        .route(&format!("{BASE}/{{name}}/invocations"), get(invocations))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PluginBody {
    name: String,
    version: u64,
    world: Option<&'static str>,
    sha256: String,
    size: u64,
    imports: Vec<String>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    activations: Vec<ActivationBody>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActivationBody {
    plugin: String,
    world: String,
    whats_app_number_id: Option<NumberId>,
    mode: &'static str,
    config: Value,
    activated_time: String,
}

impl From<Activation> for ActivationBody {
    fn from(activation: Activation) -> Self {
        Self {
            plugin: activation.plugin,
            world: activation.world,
            whats_app_number_id: activation.number,
            mode: LIVE,
            config: activation.config,
            activated_time: activation.activated_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        }
    }
}

fn shown(plugin: Plugin, active: &[Activation]) -> PluginBody {
    let activations = active.iter().filter(|activation| activation.plugin == plugin.name).cloned();
    PluginBody {
        activations: activations.map(ActivationBody::from).collect(),
        name: plugin.name,
        version: plugin.version,
        world: plugin.world.map(|world| world.as_str()),
        sha256: plugin.sha256,
        size: plugin.size,
        imports: plugin.imports,
        state: match plugin.state {
            PluginState::Ready => "READY",
            PluginState::Broken => "BROKEN",
        },
        last_error: plugin.last_error,
    }
}

async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    query: ListQuery,
) -> Result<Json<PageBody<PluginBody>>, ApiError> {
    let active = activations::list(&state.context.db, allowed.caller.client).await?;
    let mut plugins = state.context.plugins.plugins();
    plugins.retain(|plugin| plugin.name.contains(&query.search));
    plugins.sort_by(|a, b| a.name.cmp(&b.name));
    let page = part(plugins, query.page);
    Ok(Json(PageBody::new(query.page, page, |plugin| shown(plugin, &active))))
}

fn part(plugins: Vec<Plugin>, request: PageRequest) -> Page<Plugin> {
    let total = u64::try_from(plugins.len()).unwrap_or(u64::MAX);
    let skip = usize::try_from(request.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from(request.size).unwrap_or(usize::MAX);
    Page { items: plugins.into_iter().skip(skip).take(take).collect(), total }
}

async fn one(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
) -> Result<Json<PluginBody>, ApiError> {
    let plugin = state.context.plugins.find(&name).ok_or_else(ApiError::not_found)?;
    let active = activations::list(&state.context.db, allowed.caller.client).await?;
    Ok(Json(shown(plugin, &active)))
}

/// The only mode so far.
const LIVE: &str = "live";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ActivateBody {
    version: Option<Value>,
    whats_app_number_id: Option<String>,
    mode: Option<String>,
    config: Option<Value>,
}

async fn activate(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    JsonBody(body): JsonBody<ActivateBody>,
) -> Result<Json<ActivationBody>, ApiError> {
    check_mode(body.mode.as_deref())?;
    let plugin = state.context.plugins.find(&name).ok_or_else(ApiError::not_found)?;
    check_version(body.version.as_ref(), plugin.version)?;
    let wanted = Activate {
        plugin: name,
        number: number_id(body.whats_app_number_id.as_deref())?,
        config: body.config.filter(|config| !config.is_null()).unwrap_or_else(|| Value::Object(Map::new())),
    };
    let activated = activations::activate(&state.context, allowed.caller.client, wanted, allowed.actor()).await;
    activated.map(|activation| Json(activation.into())).map_err(refused)
}

fn check_mode(mode: Option<&str>) -> Result<(), ApiError> {
    match mode {
        None | Some(LIVE) => Ok(()),
        Some("shadow" | "canary") => {
            Err(ApiError::fault("mode", "is not available yet: this version activates plugins `live` only"))
        }
        Some(_) => Err(ApiError::fault("mode", "must be `live`")),
    }
}

/// The version that is loaded may be named, as a number or as text; others are not kept.
fn check_version(wanted: Option<&Value>, loaded: u64) -> Result<(), ApiError> {
    let wanted = match wanted {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::String(text)) => text.parse().ok(),
        Some(other) => other.as_u64(),
    };
    if wanted == Some(loaded) {
        return Ok(());
    }
    let said = format!("is not the version that is loaded, which is {loaded}: leave it out to activate that one");
    Err(ApiError::fault("version", said))
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct DeactivateBody {
    whats_app_number_id: Option<String>,
}

async fn deactivate(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<DeactivateBody>,
) -> Result<StatusCode, ApiError> {
    let number = number_id(body.whats_app_number_id.as_deref())?;
    let client = allowed.caller.client;
    activations::deactivate(&state.context, client, &name, number, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A text that is no id belongs to no number.
fn number_id(text: Option<&str>) -> Result<Option<NumberId>, ApiError> {
    text.map(|text| text.parse().map_err(|_| unknown_number())).transpose()
}

fn unknown_number() -> ApiError {
    ApiError::fault("whatsAppNumberId", "is not the id of one of your numbers, or leave it out for all of them")
}

fn refused(error: ActivationError) -> ApiError {
    match error {
        ActivationError::UnknownPlugin(_) | ActivationError::NotActive(_) => ApiError::not_found(),
        ActivationError::UnknownNumber => unknown_number(),
        ActivationError::BadConfig => ApiError::fault("config", "must be a JSON object"),
        ActivationError::NotUsable { .. } => ApiError::fault("name", error.to_string()),
        ActivationError::Failed(cause) => cause.into(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvocationBody {
    id: Uuid,
    time: Option<String>,
    version: String,
    world: String,
    outcome: String,
    duration_micros: i64,
    peak_memory_bytes: i64,
    logs: Vec<String>,
    error: Option<String>,
    subject_id: Option<Uuid>,
}

impl From<activations::Invocation> for InvocationBody {
    fn from(invocation: activations::Invocation) -> Self {
        Self {
            id: invocation.id,
            time: time_of(invocation.id),
            version: invocation.version,
            world: invocation.world,
            outcome: invocation.outcome,
            duration_micros: invocation.duration_micros,
            peak_memory_bytes: invocation.peak_memory_bytes,
            logs: invocation.logs.lines().map(str::to_owned).collect(),
            error: invocation.error,
            subject_id: invocation.subject,
        }
    }
}

/// When a UUIDv7 was minted.
fn time_of(id: Uuid) -> Option<String> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    let moment: DateTime<Utc> = DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?;
    Some(moment.to_rfc3339_opts(SecondsFormat::Millis, true))
}

async fn invocations(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
    parts: Parts,
) -> Result<Json<PageBody<InvocationBody>>, ApiError> {
    let Query(parameters) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).unwrap_or_default();
    let outcome = parameters.iter().find(|(name, _)| name == "outcome").map(|(_, outcome)| outcome.as_str());
    let outcome = outcome.filter(|outcome| !outcome.is_empty());
    if name.contains('\0') || outcome.is_some_and(|outcome| outcome.contains('\0')) {
        return Err(ApiError::not_found());
    }
    let client = allowed.caller.client;
    let page = activations::invocations(&state.context.db, client, &name, outcome, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, InvocationBody::from)))
}
