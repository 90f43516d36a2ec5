//! Canned replies: `/chat-service/api/v2/canned-replies`.

use api_core::{
    auth::{AuthorizedCaller, CannedReplies, LiveChat, Permission},
    body::{JsonBody, JsonBytes},
    error::ApiError,
    page::{ListQuery, Page, SearchParameter},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use chat::desk::canned_replies::{self, CannedReply};
use domain::iso_time::iso_time;
use domain::{
    canned_reply::{ReplyDraft, ReplyVariable, variables},
    ids::{CannedReplyId, TeamId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::desk::{acting, api_error};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(change, remove)).routes(routes!(fill))
}

/// A text that agents send often.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CannedReply)]
struct ReplyBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: CannedReplyId,
    /// The shortcut that agents type.
    #[schema(examples("hours"))]
    shortcut: String,
    /// The text, with variables in double braces.
    #[schema(examples("Hello {{customer.name}}, we are open from 8 to 17."))]
    text: String,
    /// Names of the variables in the text.
    #[schema(examples("customer.name"))]
    variables: Vec<&'static str>,
    /// The team that uses it. If null, all teams.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<TeamId>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_time: String,
}

fn names(variables: Vec<ReplyVariable>) -> Vec<&'static str> {
    variables.into_iter().map(ReplyVariable::as_str).collect()
}

impl From<CannedReply> for ReplyBody {
    fn from(reply: CannedReply) -> Self {
        Self {
            id: reply.id,
            variables: names(variables(&reply.text).unwrap_or_default()),
            shortcut: reply.shortcut,
            text: reply.text,
            team_id: reply.team,
            created_time: iso_time(reply.created_at),
            updated_time: iso_time(reply.updated_at),
        }
    }
}

/// A new canned reply, or all fields of a changed one.
#[derive(ToSchema)]
#[schema(as = CannedReplyDraft, rename_all = "camelCase", examples(json!({
    "shortcut": "hours", "text": "Hello {{customer.name}}, we are open from 8 to 17.", "teamId": null,
})))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct DraftBody {
    /// 1 to 32 lower-case letters, digits, `-` and `_`. Unique among the replies with the same `teamId`.
    #[schema(pattern = "^[a-z0-9_-]{1,32}$")]
    shortcut: String,
    /// 1 to 4,000 characters. Variables: `customer.name`, `customer.phone`, `agent.name`, `team.name`, `ticket.number`,
    /// `client.name`, each in double braces.
    text: String,
    /// The team that uses it. If null, all teams.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<String>,
}

fn reply_id(text: &str) -> Result<CannedReplyId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found())
}

/// Lists the canned replies that the caller may use, by shortcut.
///
/// An AGENT has those of all teams and of its own team; other roles have all. `search` is a part of the shortcut or the
/// text.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/canned-replies",
    operation_id = "listCannedReplies",
    tag = "Live chat",
    params(ListQuery, SearchParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of replies.", body = Page<ReplyBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    query: ListQuery,
    SearchParameter(search): SearchParameter,
) -> Result<Page<ReplyBody>, ApiError> {
    let found = canned_replies::list(&state.context.db, acting(&allowed), &search, query.page).await;
    Ok(Page::new(query.page, found.map_err(api_error)?, ReplyBody::from))
}

/// Creates a canned reply.
///
/// A reply of a team is listed for the members of this team only.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/canned-replies",
    operation_id = "createCannedReply",
    tag = "Live chat",
    request_body = DraftBody,
    security(("apiKey" = [CannedReplies::ROW.name])),
    responses(
        (status = 201, description = "The reply.", body = ReplyBody),
        (status = 409, description = "Another reply of this team, or for all teams if `teamId` is null, has this shortcut."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<CannedReplies>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<ReplyBody>), ApiError> {
    let draft = ReplyDraft::parse(&bytes).map_err(ApiError::faults)?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let made = canned_replies::create(&admin, client, draft, allowed.actor()).await.map_err(api_error)?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Replaces a canned reply.
///
/// All fields are replaced. If `teamId` is absent or null, the reply is for all teams.
#[utoipa::path(
    put,
    path = "/chat-service/api/v2/canned-replies/{id}",
    operation_id = "replaceCannedReply",
    tag = "Live chat",
    params(("id" = String, Path, description = "Id of the reply.")),
    request_body = DraftBody,
    security(("apiKey" = [CannedReplies::ROW.name])),
    responses(
        (status = 200, description = "The changed reply.", body = ReplyBody),
        (status = 409, description = "Another reply of this team, or for all teams if `teamId` is null, has this shortcut."),
    ),
)]
async fn change(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<CannedReplies>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ReplyBody>, ApiError> {
    let draft = ReplyDraft::parse(&bytes).map_err(ApiError::faults)?;
    let (admin, client, reply) = (state.administration(), allowed.caller.client, reply_id(&id)?);
    let changed = canned_replies::change(&admin, client, reply, draft, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(changed.into()))
}

/// Deletes a canned reply.
///
/// Messages that were sent with it stay.
#[utoipa::path(
    delete,
    path = "/chat-service/api/v2/canned-replies/{id}",
    operation_id = "deleteCannedReply",
    tag = "Live chat",
    params(("id" = String, Path, description = "Id of the reply.")),
    security(("apiKey" = [CannedReplies::ROW.name])),
    responses((status = 204, description = "The reply is deleted.")),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<CannedReplies>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let (admin, client) = (state.administration(), allowed.caller.client);
    canned_replies::delete(&admin, client, reply_id(&id)?, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The chat whose values a text gets.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = CannedReplyFilling, examples(json!({ "participantId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41" })))]
struct FillBody {
    /// The live-chat participant.
    #[schema(required, nullable = false, value_type = Option<Uuid>)]
    participant_id: Option<String>,
}

/// A text with the values of a chat.
#[derive(Serialize, ToSchema)]
#[schema(as = FilledCannedReply)]
struct FilledBody {
    /// The text. It is not sent.
    text: String,
    /// Variables without a value. Their place in the text is empty.
    missing: Vec<&'static str>,
}

/// Puts the values of a chat into a canned reply.
///
/// Nothing is sent. A caller who sees numbers and names masked gets no values of the customer.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/canned-replies/{id}/fill",
    operation_id = "fillCannedReply",
    tag = "Live chat",
    params(("id" = String, Path, description = "Id of the reply.")),
    request_body = FillBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The text.", body = FilledBody)),
)]
async fn fill(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    JsonBody(body): JsonBody<FillBody>,
) -> Result<Json<FilledBody>, ApiError> {
    let chat = body.participant_id.ok_or_else(|| ApiError::fault("participantId", "is required"))?;
    let chat = chat.parse().map_err(|_| ApiError::fault("participantId", "is not the id of one of your chats"))?;
    let filled = canned_replies::fill(&state.context.db, acting(&allowed), reply_id(&id)?, chat).await;
    let filled = filled.map_err(api_error)?;
    Ok(Json(FilledBody { text: filled.text, missing: names(filled.missing) }))
}
