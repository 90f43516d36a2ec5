//! Calling a plugin once to try it out.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use plugins::{self, Invoke};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    closed_sets::OutcomeName,
    request::{PluginPath, api_error, version},
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Invoke, examples(json!({"event": {"text": "hello"}, "session": {}})))]
pub(super) struct InvokeBody {
    /// Number of a version. If it is absent, the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// The input of the call, by the world of the plugin.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    event: Value,
    /// For a chatbot: its knowledge of the conversation.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    session: Value,
    /// The configuration for the call.
    #[schema(value_type = Option<Object>)]
    config: Option<Value>,
}

/// The answer of the plugin: one of the first four fields, by its world, or the failure.
#[derive(ToSchema)]
#[schema(as = InvokeResult, rename_all = "camelCase")]
#[expect(dead_code, reason = "described: the use case tells it as a map")]
struct InvokedBody {
    /// Answer of a chatbot.
    actions: Option<Vec<Value>>,
    /// Answer of an SMS fallback plugin.
    decision: Option<Value>,
    /// Answer of a webhook shaper: the body, null for none, `unchanged`, or an object of the type `custom`.
    payload: Option<Value>,
    /// Answer of a router.
    route: Option<Value>,
    /// The failure of the call, if it failed.
    error: Option<InvokeError>,
    /// Key-values that the plugin would have written.
    writes: Option<Vec<Value>>,
    /// For a failed call: its standard error.
    stderr: Option<String>,
    /// Log lines of the call.
    logs: Vec<InvokeLog>,
    /// Duration of the call.
    #[schema(minimum = 0)]
    duration_micros: i64,
    /// Processor time of the call.
    #[schema(minimum = 0)]
    processor_micros: i64,
    /// Most memory that the call used.
    #[schema(minimum = 0)]
    peak_memory_bytes: i64,
}

/// The failure of a call.
#[derive(ToSchema)]
#[expect(dead_code, reason = "described, as above")]
struct InvokeError {
    /// The kind of failure.
    #[schema(value_type = OutcomeName)]
    kind: String,
    /// A text for people.
    message: String,
}

/// One line of a log.
#[derive(ToSchema)]
#[expect(dead_code, reason = "described, as above")]
struct InvokeLog {
    /// The level, such as `info`.
    level: String,
    /// The line.
    message: String,
}

/// Calls a plugin once, without effects.
///
/// Its decisions are not carried out, and its writes are not stored.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/invoke",
    operation_id = "invokePlugin",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<InvokeBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The answer of the plugin, or its failure.", body = InvokedBody),
        (status = 409, description = "The plugin could not be called. `message` gives the reason."),
    ),
)]
pub(super) async fn invoke(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
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
    let invoked = plugins::invoke(&state.context, allowed.caller.client, wanted).await.map_err(api_error)?;
    Ok(Json(invoked.told))
}
