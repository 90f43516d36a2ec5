//! Viewers of a chat: `/chat-service/api/v2/chats/{id}/viewers`.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use chat::desk::viewers::{self, ViewerView};
use domain::ids::UserId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    chats::chat_id,
    desk::{acting, api_error},
};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, look, leave))
}

/// A user who looks at a chat.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatViewer)]
struct ViewerBody {
    /// Id of the user.
    #[schema(value_type = Uuid)]
    id: UserId,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
    /// `true`: the user writes in the chat.
    writing: bool,
}

/// The users who look at a chat.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatViewers)]
struct ViewersBody {
    /// Also the caller, if it looks.
    viewers: Vec<ViewerBody>,
}

impl From<Vec<ViewerView>> for ViewersBody {
    fn from(viewers: Vec<ViewerView>) -> Self {
        let body = |viewer: ViewerView| ViewerBody { id: viewer.user, name: viewer.name, writing: viewer.writes };
        Self { viewers: viewers.into_iter().map(body).collect() }
    }
}

/// The activity of the caller in a chat.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChatViewing, examples(json!({ "writing": true })))]
struct ViewingBody {
    /// `true`: the caller writes.
    #[serde(default)]
    writing: bool,
}

/// Lists the users who look at a chat or write in it.
///
/// A user who does not repeat that it looks is forgotten after 45 seconds.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/chats/{id}/viewers",
    operation_id = "listChatViewers",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The viewers.", body = ViewersBody)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<ViewersBody>, ApiError> {
    let found = viewers::list(&state.context, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

/// Tells others that the caller looks at a chat, or writes in it.
///
/// Repeat it every 20 seconds while the chat is shown, and every 5 seconds while the caller writes. A change is the live
/// event `chat.viewers`.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/viewers",
    operation_id = "viewChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    request_body(content = Option<ViewingBody>, description = "If absent, the caller does not write."),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The viewers, with the caller.", body = ViewersBody)),
)]
async fn look(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    OptionalJson(body): OptionalJson<ViewingBody>,
) -> Result<Json<ViewersBody>, ApiError> {
    let chat = chat_id(&id)?;
    let found = viewers::look(&state.context, acting(&allowed), chat, body.writing).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

/// Tells others that the caller no longer looks at a chat.
///
/// Use it when the chat is left. A closed browser is forgotten by itself.
#[utoipa::path(
    delete,
    path = "/chat-service/api/v2/chats/{id}/viewers",
    operation_id = "leaveChat",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 204, description = "The caller is no viewer.")),
)]
async fn leave(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    viewers::leave(&state.context, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
