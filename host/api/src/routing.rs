//! `GET /plugin-service/api/v1/routing-decisions`: who was made to answer which conversation, and why.

use axum::{
    Json, Router,
    extract::{Query, State},
    http::request::Parts,
    routing::get,
};
use chat::routing::{self, RoutingDecision};
use chrono::{DateTime, SecondsFormat};
use domain::ids::{InboxId, ParticipantId};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    auth::{Allowed, Plugins},
    error::ApiError,
    page::{ListQuery, PageBody},
    state::ApiState,
};

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route("/plugin-service/api/v1/routing-decisions", get(list))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DecisionBody {
    id: Uuid,
    time: Option<String>,
    participant_id: ParticipantId,
    whats_app_number_id: InboxId,
    plugin: String,
    version: Option<u32>,
    target: TargetBody,
    reason: String,
    fallback: bool,
}

/// As a router writes it.
#[derive(Serialize)]
struct TargetBody {
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

impl From<RoutingDecision> for DecisionBody {
    fn from(decision: RoutingDecision) -> Self {
        let is_agent = decision.target == "agent";
        let (id, name) = if is_agent { (decision.target_name, None) } else { (None, decision.target_name) };
        Self {
            time: time_of(decision.id),
            id: decision.id,
            participant_id: decision.participant,
            whats_app_number_id: decision.inbox,
            plugin: decision.plugin,
            version: decision.version,
            target: TargetBody { kind: decision.target, name, id },
            reason: decision.reason,
            fallback: decision.fallback,
        }
    }
}

/// An id tells when it was made.
fn time_of(id: Uuid) -> Option<String> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    let made = DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?;
    Some(made.to_rfc3339_opts(SecondsFormat::Millis, true))
}

async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    query: ListQuery,
    parts: Parts,
) -> Result<Json<PageBody<DecisionBody>>, ApiError> {
    let Query(parameters) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).unwrap_or_default();
    let wanted = parameters.iter().find(|(name, value)| name == "participantId" && !value.is_empty());
    let participant = wanted.map(|(_, id)| id.parse::<ParticipantId>()).transpose();
    let participant = participant.map_err(|_| ApiError::fault("participantId", "is not the id of a participant"))?;
    let page = routing::list(&state.context.db, allowed.caller.client, participant, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, DecisionBody::from)))
}
