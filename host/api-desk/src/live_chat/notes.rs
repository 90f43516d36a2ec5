//! Internal notes: `/chat-service/api/v2/chats/{id}/notes`, `/chat-service/api/v2/mentions`.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body::JsonBody,
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use chat::desk::notes::{self, MentionView, NoteDraft, NoteView};
use domain::iso_time::iso_time;
use domain::{
    body::FieldFault,
    ids::{NoteId, ParticipantId, UserId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    chats::chat_id,
    desk::{acting, api_error},
};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, write)).routes(routes!(mentions))
}

/// A user that a note names.
#[derive(Serialize, ToSchema)]
pub(super) struct DeskUser {
    /// Id of the user.
    #[schema(value_type = Uuid)]
    pub(super) id: UserId,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) name: Option<String>,
}

/// An internal note of a chat. No customer and no plugin sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatNote)]
struct NoteBody {
    /// Id of the note.
    #[schema(value_type = Uuid)]
    id: NoteId,
    /// The live-chat participant.
    #[schema(value_type = Uuid)]
    participant_id: ParticipantId,
    /// The text.
    text: String,
    /// The user who wrote it.
    author: DeskUser,
    /// The users that it mentions.
    mentions: Vec<DeskUser>,
    /// The agent that this whisper is for. No other AGENT sees it; users with other roles do. Absent: a note for all users.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    whisper_to: Option<DeskUser>,
    /// Time of the note.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<NoteView> for NoteBody {
    fn from(view: NoteView) -> Self {
        let user = |id: UserId| DeskUser { id, name: view.name(id).map(str::to_owned) };
        Self {
            id: view.note.id,
            participant_id: view.note.participant,
            author: user(view.note.author),
            mentions: view.note.mentions.iter().map(|id| user(*id)).collect(),
            whisper_to: view.note.whisper_to.map(user),
            created_time: iso_time(view.note.created_at),
            text: view.note.text,
        }
    }
}

/// A note that mentions the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMention)]
struct MentionBody {
    #[serde(flatten)]
    note: NoteBody,
    /// The customer's name in the address book, else the customer's own, else the user name. Absent if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    customer_name: Option<String>,
}

impl From<MentionView> for MentionBody {
    fn from(view: MentionView) -> Self {
        Self { note: view.note.into(), customer_name: view.customer_name }
    }
}

/// A new note.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewChatNote, examples(json!({
    "text": "@Thandi, can you check the invoice?", "mentions": ["0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41"], "whisper": false,
})))]
struct WriteBody {
    /// 1 to 4,000 characters.
    #[schema(required, nullable = false)]
    text: Option<String>,
    /// At most 20 users. They get the live event, even if they do not see the chat. Of a whisper, users other than its
    /// agent are left out.
    #[serde(default)]
    #[schema(value_type = Vec<Uuid>)]
    mentions: Vec<String>,
    /// `true`: a whisper to the agent of the chat. No other AGENT sees it; users with other roles do. An AGENT cannot write one.
    #[serde(default)]
    whisper: bool,
}

impl WriteBody {
    fn draft(self) -> Result<NoteDraft, ApiError> {
        let text = self.text.ok_or_else(|| ApiError::faults(vec![FieldFault::required("text")]))?;
        let mentions: Result<Vec<UserId>, _> = self.mentions.iter().map(|user| user.parse()).collect();
        let mentions = mentions.map_err(|_| ApiError::fault("mentions", "names a user that is not one of yours"))?;
        Ok(NoteDraft { text, mentions, whisper: self.whisper })
    }
}

/// Lists the internal notes of a chat, newest first.
///
/// An AGENT does not see whispers to other agents.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/chats/{id}/notes",
    operation_id = "listChatNotes",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant."), ListQuery),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of notes.", body = Page<NoteBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    query: ListQuery,
) -> Result<Page<NoteBody>, ApiError> {
    let found = notes::list(&state.context, acting(&allowed), chat_id(&id)?, query.page).await.map_err(api_error)?;
    Ok(Page::new(query.page, found, NoteBody::from))
}

/// Writes an internal note.
///
/// Users who see the chat, and those that the note mentions, get the live event `note.written`. If it is a whisper,
/// the agent of the chat is the only AGENT who gets it.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/notes",
    operation_id = "writeChatNote",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    request_body = WriteBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 201, description = "The note.", body = NoteBody),
        (status = 409, description = "It is a whisper, and no agent has the chat."),
    ),
)]
async fn write(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    JsonBody(body): JsonBody<WriteBody>,
) -> Result<(StatusCode, Json<NoteBody>), ApiError> {
    let (chat, draft) = (chat_id(&id)?, body.draft()?);
    let written = notes::write(&state.context, acting(&allowed), chat, draft).await.map_err(api_error)?;
    Ok((StatusCode::CREATED, Json(written.into())))
}

/// Lists the notes that mention the caller, newest first.
///
/// They may be of chats that the caller does not have. A whisper mentions no other user than its agent.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/mentions",
    operation_id = "listMentions",
    tag = "Live chat",
    params(ListQuery),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of mentions.", body = Page<MentionBody>)),
)]
async fn mentions(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    query: ListQuery,
) -> Result<Page<MentionBody>, ApiError> {
    let found = notes::mentions(&state.context, acting(&allowed), query.page).await.map_err(api_error)?;
    Ok(Page::new(query.page, found, MentionBody::from))
}
