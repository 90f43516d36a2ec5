//! Trying a plugin out.

use axum::{Json, extract::State};
use plugins::{self, Invoke};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{Named, refused, version};
use crate::{
    auth::{Allowed, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Invoke, examples(json!({"event": {"text": "hello"}, "session": {}})))]
pub(super) struct InvokeBody {
    /// Number of a version; absent = the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// What happened, as the world of the plugin has it.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    event: Value,
    /// Of a chatbot: what it knows of the conversation.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    session: Value,
    /// What the plugin is told.
    #[schema(value_type = Option<Object>)]
    config: Option<Value>,
}

/// What the plugin said: one of the first four, by its world; or how it failed.
#[derive(ToSchema)]
#[schema(as = Invoked, rename_all = "camelCase")]
#[expect(dead_code, reason = "described: the use case tells it as a map")]
struct InvokedBody {
    /// Of a chatbot.
    actions: Option<Vec<Value>>,
    /// Of an SMS fallback.
    decision: Option<Value>,
    /// Of a webhook shaper: the body, or null for none.
    payload: Option<Value>,
    /// Of a router.
    route: Option<Value>,
    /// How the call failed, if it did.
    error: Option<InvokedError>,
    /// What the plugin would have written to its key-values.
    writes: Option<Vec<Value>>,
    /// Of a call that failed: what it wrote to its standard error.
    stderr: Option<String>,
    /// What it logged.
    logs: Vec<InvokedLog>,
    /// How long the call took.
    #[schema(minimum = 0)]
    duration_micros: i64,
    /// Memory that it used at most.
    #[schema(minimum = 0)]
    peak_memory_bytes: i64,
}

/// How a call failed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "described, as above")]
struct InvokedError {
    /// Such as `trapped`.
    kind: String,
    /// For people.
    message: String,
}

/// One line of a log.
#[derive(ToSchema)]
#[expect(dead_code, reason = "described, as above")]
struct InvokedLog {
    /// Such as `info`.
    level: String,
    /// The line.
    message: String,
}

/// Calls a plugin once, without effects.
///
/// Nothing that it decides is done, and nothing that it writes is kept.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/invoke",
    operation_id = "invokePlugin",
    tag = "Plugins",
    params(Named),
    request_body(content = Option<InvokeBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "What it said.", body = InvokedBody),
        (status = 409, description = "It could not be called: `message` says why."),
    ),
)]
pub(super) async fn invoke(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<InvokeBody>,
) -> Result<Json<Map<String, Value>>, ApiError> {
    let wanted = Invoke {
        plugin: name,
        version: version(body.version.as_ref())?,
        event: body.event,
        session: body.session,
        config: body.config.filter(|config| !config.is_null()),
    };
    let invoked = plugins::invoke(&state.context, allowed.caller.client, wanted).await.map_err(refused)?;
    Ok(Json(invoked.told))
}
