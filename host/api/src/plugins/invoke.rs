//! Trying a plugin out.

use axum::{Json, extract::State};
use messaging::plugins::{self, Invoke};
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

/// What the plugin said: one of the first four, by its world.
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
    /// What it logged.
    logs: Vec<String>,
    /// How long the call took.
    #[schema(minimum = 0)]
    duration_micros: i64,
    /// Memory that it used at most.
    #[schema(minimum = 0)]
    peak_memory_bytes: i64,
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
