//! Recording calls, and making them again.

use axum::{Json, extract::State, http::StatusCode};
use plugins::{self, ReplayReport, ReplayedDifference, StartRecording};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use uuid::Uuid;

use super::{
    activate::ScopeBody,
    bodies::{ActivationBody, RecordedBody},
    inbox_id, mode, refused, small, version,
};
use crate::{
    auth::{Allowed, Plugins},
    body::OptionalJson,
    error::ApiError,
    page::{ListQuery, PageBody},
    path::Segments,
    state::ApiState,
};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordBody {
    whats_app_number_id: Option<String>,
    mode: Option<String>,
    sample: Option<f64>,
    max_calls: Option<i64>,
    max_bytes: Option<i64>,
    for_seconds: Option<i64>,
}

pub(super) async fn start(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
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
    started.map(|activation| Json(activation.into())).map_err(refused)
}

pub(super) async fn stop(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ScopeBody>,
) -> Result<StatusCode, ApiError> {
    let number = inbox_id(body.whats_app_number_id.as_deref())?;
    let client = allowed.caller.client;
    plugins::stop_recording(&state.context, client, &name, number, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
) -> Result<Json<PageBody<RecordedBody>>, ApiError> {
    if name.contains('\0') {
        return Err(ApiError::not_found());
    }
    let page = plugins::recordings(&state.context.db, allowed.caller.client, &name, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, RecordedBody::of)))
}

#[derive(Deserialize, Default)]
pub(super) struct ReplayBody {
    version: Option<Value>,
    limit: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportBody {
    replayed: u64,
    identical: u64,
    different: Vec<DifferenceBody>,
    per_second: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DifferenceBody {
    recording_id: Uuid,
    subject_id: Uuid,
    difference: String,
    then: Option<Box<RawValue>>,
    now: Option<Box<RawValue>>,
}

impl From<ReplayedDifference> for DifferenceBody {
    fn from(one: ReplayedDifference) -> Self {
        let raw = |text: Option<String>| RawValue::from_string(text?).ok();
        Self {
            recording_id: one.recording,
            subject_id: one.subject,
            difference: one.difference,
            then: raw(one.then),
            now: raw(one.now),
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

pub(super) async fn replay(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<ReplayBody>,
) -> Result<Json<ReportBody>, ApiError> {
    let version = version(body.version.as_ref())?;
    let limit = small(body.limit, 1_000, 0);
    let report = plugins::replay(&state.context, allowed.caller.client, &name, version, limit).await;
    report.map(|report| Json(report.into())).map_err(refused)
}
