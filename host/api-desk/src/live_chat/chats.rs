//! `/chat-service/api/v2/chats`: the lists of chats, and assignments.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body::OptionalJson,
    error::ApiError,
    page::{ListQuery, Page, SearchParameter},
    path::Segments,
    query::{QueryParameters, choose},
    state::ApiState,
};
use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use chat::desk::{self, ChatHolder, NewHolder};
use domain::{
    chat::ChatScope,
    ids::{ParticipantId, TeamId, UserId},
    page::PageRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    chat_bodies::ChatParticipantResponse,
    desk::{acting, api_error},
};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(counts))
        .routes(routes!(one))
        .routes(routes!(terminate))
        .routes(routes!(open))
        .routes(routes!(assign))
        .routes(routes!(transfer))
        .routes(routes!(resolve))
        .routes(routes!(release))
}

/// Filters of the list of chats.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct ChatFilterParameters {
    /// The list: `my`, `team`, `unassigned`, `closed`, `missed-agent`, `missed-after-hours`, `my-missed`, `open` or
    /// `all`.
    #[param(example = "unassigned")]
    scope: String,
    /// A part of the phone number, a part of the name, or the whole user id (BSUID) of the customer.
    #[param(nullable = false, max_length = 200)]
    search: Option<String>,
}

struct ChatQuery {
    scope: ChatScope,
    search: String,
    page: PageRequest,
}

impl FromRequestParts<ApiState> for ChatQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let page = ListQuery::<10>::from_request_parts(parts, state).await?.page;
        let given = QueryParameters::of(&parts.uri)?;
        let name = given.value("scope").unwrap_or_default();
        let scope = choose("scope", name, ChatScope::ALL, ChatScope::as_str).map_err(ApiError::faults)?;
        let SearchParameter(search) = SearchParameter::from_request_parts(parts, state).await?;
        Ok(Self { scope, search, page })
    }
}

/// Parses the id of a chat in a path. A text that is not an id is a chat that does not exist.
pub(super) fn chat_id(text: &str) -> Result<ParticipantId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found())
}

/// Lists chats, the one with the newest message first.
///
/// `docs/chats.md` defines the lists. If a list has more than 10,000 chats, `totalElements` is a lower bound. `last` is
/// always exact.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/chats",
    operation_id = "listChats",
    tag = "Live chat",
    params(ChatFilterParameters, ListQuery),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of chats.", body = Page<ChatParticipantResponse>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    query: ChatQuery,
) -> Result<Page<ChatParticipantResponse>, ApiError> {
    let found = desk::list(&state.context.db, acting(&allowed), query.scope, &query.search, query.page).await?;
    Ok(Page::new(query.page, found, ChatParticipantResponse::from))
}

/// The sizes of the lists of the caller. A list with 1,000 chats may have more.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ChatCounts)]
struct CountsBody {
    my: u64,
    team: u64,
    unassigned: u64,
    closed: u64,
    missed_agent: u64,
    missed_after_hours: u64,
    my_missed: u64,
    open: u64,
    all: u64,
}

/// Counts the chats of all nine lists, up to 1,000 each.
///
/// It is cheap. Call it after live events that move a chat, at most once a second.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/chats/counts",
    operation_id = "countChats",
    tag = "Live chat",
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The size of each list, by the name of its `scope`.", body = CountsBody)),
)]
async fn counts(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
) -> Result<Json<CountsBody>, ApiError> {
    let counts = desk::counts(&state.context.db, acting(&allowed)).await?;
    let count = |scope: ChatScope| counts.iter().find(|(of, _)| *of == scope).map_or(0, |(_, count)| *count);
    Ok(Json(CountsBody {
        my: count(ChatScope::My),
        team: count(ChatScope::Team),
        unassigned: count(ChatScope::Unassigned),
        closed: count(ChatScope::Closed),
        missed_agent: count(ChatScope::MissedAgent),
        missed_after_hours: count(ChatScope::MissedAfterHours),
        my_missed: count(ChatScope::MyMissed),
        open: count(ChatScope::Open),
        all: count(ChatScope::All),
    }))
}

/// Returns a chat.
///
/// It has the participant, the assignment, the last message and the state of the 24-hour window.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/chats/{id}",
    operation_id = "getChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The chat.", body = ChatParticipantResponse)),
)]
async fn one(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let found = desk::one(&state.context.db, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

/// Ends a chat.
///
/// Its agent becomes `lastAssignedAgent` and is free for another chat. The ticket is closed.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/terminate",
    operation_id = "terminateChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The chat is closed.", body = ChatParticipantResponse),
        (status = 409, description = "The chat is closed, or another agent has it. `message` names the agent."),
    ),
)]
async fn terminate(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let ended = desk::terminate(&state.context, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(ended.into()))
}

/// Opens a closed chat again, for the caller, with a new ticket.
///
/// If the chat is open already, the answer is 409.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/open",
    operation_id = "openChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The caller has the chat.", body = ChatParticipantResponse),
        (status = 409, description = "The chat is open already, or the caller has reached the chat limit."),
    ),
)]
async fn open(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let opened = desk::open(&state.context, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(opened.into()))
}

/// Ends a chat as solved. The ticket is resolved.
///
/// If the customer writes again, the chat opens again with a new ticket.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/resolve",
    operation_id = "resolveChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The chat is closed.", body = ChatParticipantResponse),
        (status = 409, description = "No agent has the chat, it is closed already, or another agent has it."),
    ),
)]
async fn resolve(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let ended = desk::resolve(&state.context, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(ended.into()))
}

/// Gives a chat back to its chatbot, which gets the event `agent-released`. The ticket is resolved.
///
/// If no chatbot is active on the inbox, the answer is 409.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/release",
    operation_id = "releaseChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The chatbot has the chat.", body = ChatParticipantResponse),
        (status = 409, description = "No agent has the chat, another agent has it, or no chatbot would answer."),
    ),
)]
async fn release(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let given_back = desk::release(&state.context, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(given_back.into()))
}

/// The new agent or team of a chat.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AssignChat)]
struct AssignBody {
    /// The user who gets the chat.
    #[schema(value_type = Option<Uuid>)]
    agent_id: Option<String>,
    /// The team whose queue gets the chat.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<String>,
    /// Moves the chat only if this is its owner: the id of its agent, or `QUEUED`, `BOT` or `CLOSED`. If an agent was
    /// faster, the answer is 409 and the chat stays with that agent. A chat that is already where it should go stays
    /// there, so the call can be repeated. A closed chat is always a 409.
    if_owner: Option<String>,
}

impl AssignBody {
    fn expected_owner(&self) -> Result<Option<ChatHolder>, ApiError> {
        let Some(owner) = self.if_owner.as_deref() else { return Ok(None) };
        let holder = match owner {
            "BOT" => ChatHolder::Bot,
            "QUEUED" => ChatHolder::Queue,
            "CLOSED" => ChatHolder::Closed,
            agent => {
                let agent: Result<UserId, _> = agent.parse();
                let fault = "is not `QUEUED`, `BOT`, `CLOSED` or the id of one of your users";
                ChatHolder::Agent(agent.map_err(|_| ApiError::fault("ifOwner", fault))?)
            }
        };
        Ok(Some(holder))
    }

    /// `None` if neither is named.
    fn to(self) -> Result<Option<NewHolder>, ApiError> {
        match (self.agent_id, self.team_id) {
            (None, None) => Ok(None),
            (Some(agent), None) => {
                let agent: Result<UserId, _> = agent.parse();
                agent
                    .map(|agent| Some(NewHolder::Agent(agent)))
                    .map_err(|_| ApiError::fault("agentId", "is not the id of one of your users"))
            }
            (None, Some(team)) => {
                let team: Result<TeamId, _> = team.parse();
                team.map(|team| Some(NewHolder::Team(team)))
                    .map_err(|_| ApiError::fault("teamId", "is not the id of one of your teams"))
            }
            (Some(_), Some(_)) => {
                Err(ApiError::fault("teamId", "cannot be given with agentId: the chat goes to the team of the agent"))
            }
        }
    }
}

/// Takes a chat, or assigns it to an agent or a team.
///
/// Without a body the caller takes it. If another agent was faster, the answer names that agent. When an agent takes a
/// chat, a ticket is opened. Agents can pass on their own chats and unassigned ones. Supervisors and programs can pass
/// on any chat.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/assign",
    operation_id = "assignChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    request_body(content = Option<AssignBody>, description = "If absent, the caller takes the chat."),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The chat with its new owner.", body = ChatParticipantResponse),
        (status = 409, description = "Another agent has the chat, it is closed, it has another owner than `ifOwner`, or the agent has reached the chat limit."),
    ),
)]
async fn assign(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    OptionalJson(body): OptionalJson<AssignBody>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let id = chat_id(&id)?;
    let from = body.expected_owner()?;
    let to = body.to()?.unwrap_or(NewHolder::Caller);
    let moved = desk::assign_from(&state.context, acting(&allowed), id, (from, to)).await.map_err(api_error)?;
    Ok(Json(moved.into()))
}

/// Transfers a chat to a team or another agent. Like `assign`, but the request must name one of them.
///
/// The new team or agent sees the whole history.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/transfer",
    operation_id = "transferChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    request_body = AssignBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The chat with its new owner.", body = ChatParticipantResponse),
        (status = 409, description = "Another agent has the chat, it is closed, it has another owner than `ifOwner`, or the agent has reached the chat limit."),
    ),
)]
async fn transfer(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    OptionalJson(body): OptionalJson<AssignBody>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let id = chat_id(&id)?;
    let from = body.expected_owner()?;
    let to = body.to()?.ok_or_else(|| ApiError::fault("teamId", "is required, unless agentId is given"))?;
    let moved = desk::assign_from(&state.context, acting(&allowed), id, (from, to)).await.map_err(api_error)?;
    Ok(Json(moved.into()))
}
