//! `GET /plugin-service/api/v1/routing-decisions`: the decisions of routers about conversations.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    error::ApiError,
    page::{ListQuery, Page},
    query::QueryParameters,
    state::ApiState,
};
use axum::{extract::State, http::request::Parts};
use chat::routing::{self, RoutingDecision};
use chrono::DateTime;
use domain::ids::{InboxId, ParticipantId};
use domain::iso_time::iso_time;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Filters of the list of decisions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct DecisionFilterParameters {
    /// Only decisions about this chat participant.
    #[param(value_type = Option<Uuid>, nullable = false)]
    #[param(rename = "participantId")]
    participant: Option<ParticipantId>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RoutingDecision)]
struct DecisionBody {
    /// Id of the decision.
    id: Uuid,
    /// Time of the decision.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// The chat participant whose message was routed.
    #[schema(value_type = Uuid)]
    participant_id: ParticipantId,
    /// The business number that received the message.
    #[schema(value_type = Uuid)]
    whats_app_number_id: InboxId,
    /// The router that decided.
    plugin: String,
    /// Its version. Null for a built-in plugin or one in `plugins.dir`.
    version: Option<u32>,
    /// The new owner of the conversation.
    target: TargetBody,
    /// The reason that the router gave.
    reason: String,
    /// `true` if the router failed and the built-in rule decided.
    fallback: bool,
}

/// A target in the form of router plugins.
#[derive(Serialize, ToSchema)]
#[schema(as = RoutingTarget)]
struct TargetBody {
    /// `bot`, `team`, `agent` or `queue`.
    #[serde(rename = "type")]
    kind: String,
    /// Name of the bot or team.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Id of the agent.
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

fn time_of(id: Uuid) -> Option<String> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    let made = DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?;
    Some(iso_time(made))
}

/// Lists the decisions of routers, newest first.
///
/// Each decision names the router, its version and the reason.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/routing-decisions",
    operation_id = "listRoutingDecisions",
    tag = "Routing",
    params(ListQuery, DecisionFilterParameters),
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "A page of decisions.", body = Page<DecisionBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<DecisionBody>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let participant = given.value("participantId").map(str::parse::<ParticipantId>).transpose();
    let participant = participant.map_err(|_| ApiError::fault("participantId", "is not the id of a participant"))?;
    let page = routing::list(&state.context.db, allowed.caller.client, participant, query.page).await?;
    Ok(Page::new(query.page, page, DecisionBody::from))
}
