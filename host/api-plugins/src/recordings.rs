//! Recording calls, and replaying them.

use std::sync::Arc;

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, request::Parts},
    response::Response,
};
use plugins::{self, ReplayReport, ReplayedDifference, StartRecording};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    activate::ScopeBody,
    history_bodies::RecordedBody,
    lists::{NO_SUBJECT, id, require_plugin},
    plugin_bodies::ActivationBody,
    recorded_page,
    request::{PluginPath, api_error, inbox_id, mode, small, version},
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = StartRecording, examples(json!({"sample": 0.1, "maxCalls": 500, "forSeconds": 3600})))]
pub(super) struct RecordBody {
    /// The activation for this number. If it is absent, the one for all numbers.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// The activation in this mode. If it is absent, `live`.
    #[schema(value_type = Option<crate::closed_sets::ModeName>)]
    mode: Option<String>,
    /// Share of the calls that are recorded.
    #[schema(exclusive_minimum = 0, maximum = 1, default = 1)]
    sample: Option<f64>,
    /// Number of calls after which the recording ends.
    #[schema(minimum = 1, maximum = 10_000, default = 1000)]
    max_calls: Option<i64>,
    /// Number of bytes after which the recording ends; at most `limits.plugin_recording_bytes`.
    #[schema(minimum = 1)]
    max_bytes: Option<i64>,
    /// Number of seconds after which the recording ends.
    #[schema(minimum = 1, maximum = 2_592_000, default = 86400)]
    for_seconds: Option<i64>,
}

/// Records the calls of an activation, with all their input.
///
/// Recordings hold personal data of customers. They end by themselves and are deleted with the retention.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/recording",
    operation_id = "startRecording",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<RecordBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The recorded activation.", body = ActivationBody),
        (status = 409, description = "It conflicts with the present activation."),
    ),
)]
pub(super) async fn start(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<RecordBody>,
) -> Result<Json<ActivationBody>, ApiError> {
    let wanted = StartRecording {
        plugin: name,
        inbox: inbox_id(body.whats_app_number_id.as_deref())?,
        mode: mode(body.mode.as_deref())?,
        sample: body.sample.unwrap_or(1.0),
        max_calls: small(body.max_calls, 1_000, 0),
        max_bytes: body.max_bytes.map(|bytes| u64::try_from(bytes).unwrap_or(0)),
        for_seconds: small(body.for_seconds, 24 * 3600, 0),
    };
    let started = plugins::start_recording(&state.context, allowed.caller.client, wanted, allowed.actor()).await;
    started.map(|activation| Json(activation.into())).map_err(api_error)
}

/// Ends the recording of an activation. The recorded calls stay.
///
/// If nothing is recorded, the answer is 409.
#[utoipa::path(
    delete,
    path = "/plugin-service/api/v1/plugins/{name}/recording",
    operation_id = "stopRecording",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<ScopeBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "Ended."),
        (status = 409, description = "No recording is in progress."),
    ),
)]
pub(super) async fn stop(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ScopeBody>,
) -> Result<StatusCode, ApiError> {
    let number = inbox_id(body.whats_app_number_id.as_deref())?;
    let client = allowed.caller.client;
    plugins::stop_recording(&state.context, client, &name, number, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The calls in the answer, and their form.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct WantedForm {
    /// Only calls about this chat participant, message or delivery.
    #[param(nullable = false, rename = "subjectId")]
    subject: Option<Uuid>,
    /// `exact`: byte for byte as they are stored, to be replayed elsewhere. If it is absent, in the terms of the rest
    /// of this API.
    #[param(nullable = false)]
    form: Option<String>,
}

/// Lists the recorded calls of a plugin, newest first.
///
/// A recorded call can be replayed with another version.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}/recordings",
    operation_id = "listRecordings",
    tag = "Plugins",
    params(PluginPath, ListQuery, WantedForm),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "A page of calls.", body = Page<RecordedBody>),
    ),
)]
pub(super) async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
    parts: Parts,
) -> Result<Response, ApiError> {
    require_plugin(&state, &allowed, &name).await?;
    let form = QueryParameters::of(&parts.uri)?
        .choice("form", ["exact"], |form: &'static str| form)
        .map_err(ApiError::faults)?;
    let subject = id(&parts, "subjectId", NO_SUBJECT)?;
    let client = allowed.caller.client;
    let found = plugins::recordings(&state.context.db, client, &name, subject, query.page).await?;
    recorded_page::answer(Arc::clone(&state.context), client, query.page, form.is_some(), found)
}

#[derive(Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Replay, examples(json!({"version": 4, "limit": 100})))]
pub(super) struct ReplayBody {
    /// Number of the version that is called. If it is absent, the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
    /// Number of recorded calls to replay, from the newest on.
    #[schema(minimum = 1, maximum = 10_000, default = 1000)]
    limit: Option<i64>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReplayReport)]
pub(super) struct ReportBody {
    /// Number of replayed calls.
    replayed: u64,
    /// Number of calls with the same outcome.
    identical: u64,
    /// The calls with another outcome.
    different: Vec<DifferenceBody>,
    /// Replayed calls per second.
    per_second: f64,
}

/// A call with another outcome.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReplayedDifference)]
struct DifferenceBody {
    /// Id of the recorded call.
    recording_id: Uuid,
    /// The subject of the call, such as a chat participant.
    subject_id: Uuid,
    /// The difference as a text for people.
    difference: String,
    /// The recorded decision.
    then: Option<Value>,
    /// The decision of the replay.
    now: Option<Value>,
}

impl From<ReplayedDifference> for DifferenceBody {
    fn from(one: ReplayedDifference) -> Self {
        Self {
            recording_id: one.recording,
            subject_id: one.subject,
            difference: one.difference,
            then: one.then,
            now: one.now,
        }
    }
}

impl From<ReplayReport> for ReportBody {
    fn from(report: ReplayReport) -> Self {
        Self {
            replayed: report.replayed,
            identical: report.identical,
            different: report.different.into_iter().map(DifferenceBody::from).collect(),
            per_second: (report.per_second * 10.0).round() / 10.0,
        }
    }
}

/// Replays recorded calls with another version, without effects.
///
/// The answer shows for each call whether the decision is the same, and the first difference.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/replay",
    operation_id = "replayRecordings",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<ReplayBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The calls with another outcome.", body = ReportBody),
    ),
)]
pub(super) async fn replay(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ReplayBody>,
) -> Result<Json<ReportBody>, ApiError> {
    let version = version(body.version.as_ref())?;
    let limit = small(body.limit, 1_000, 0);
    let report = plugins::replay(&state.context, allowed.caller.client, &name, version, limit).await;
    report.map(|report| Json(report.into())).map_err(api_error)
}
