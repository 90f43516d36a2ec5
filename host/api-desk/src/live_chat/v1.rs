//! Version 1 of live chat (SPEC 4.2, last paragraph): the same use cases with its rules. Every answer is marked as deprecated.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body::JsonBody,
    deprecation::DEPRECATION,
    error::ApiError,
    form,
    media_kind::is_json,
    page::{ListQuery, Page, SearchStringParameter},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{
    Json,
    body::Body,
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State},
    http::{HeaderValue, request::Parts},
    middleware::map_response,
    response::Response,
};
use chat::desk::{self, ChatPatch, DraftRequest};
use domain::{channel::Channel, chat::ChatScope, ids::UserId};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    chat_bodies::ChatParticipantResponse,
    chats::chat_id,
    desk::{acting, api_error},
    media::{self, FormFile},
    message_bodies::MessageResponse,
    messages::{self, ChatSendBody, ShownBody},
};

/// Deprecated since 2026-01-01, in the form of RFC 9745.
const SINCE: HeaderValue = HeaderValue::from_static("@1767225600");

#[expect(deprecated, reason = "that is what they are")]
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(tab))
        .routes(routes!(terminate))
        .routes(routes!(send))
        .routes(routes!(send_file))
        .routes(routes!(past))
        .routes(routes!(find_by_tracking_number))
        .routes(routes!(typing))
        .routes(routes!(read))
        .layer(DefaultBodyLimit::disable())
        .layer(map_response(add_deprecation))
}

async fn add_deprecation(mut response: Response) -> Response {
    response.headers_mut().insert(DEPRECATION, SINCE);
    response
}

/// Filter of the list of chats.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct OldChatFilterParameter {
    /// `true`: open chats only. `false`: closed chats only. If it is absent, all.
    #[param(nullable = false, rename = "isOpen")]
    is_open: Option<bool>,
}

struct Tri(ChatScope);

impl FromRequestParts<ApiState> for Tri {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> Result<Self, ApiError> {
        let open = QueryParameters::of(&parts.uri)?.flag("isOpen").map_err(ApiError::faults)?;
        Ok(Self(match open {
            None => ChatScope::All,
            Some(true) => ChatScope::Open,
            Some(false) => ChatScope::Closed,
        }))
    }
}

/// Lists chats, the one with the newest message first. Use `GET /chat-service/api/v2/chats`.
///
/// The bodies are those of v2, without its filters. `searchString` finds the same chats as `search` of v2.
#[utoipa::path(
    get,
    path = "/chat-service/ChatParticipant",
    operation_id = "listChatsV1",
    tag = "Live chat v1",
    params(OldChatFilterParameter, ListQuery, SearchStringParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of chats.", body = Page<ChatParticipantResponse>)),
)]
#[deprecated]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Tri(scope): Tri,
    query: ListQuery,
) -> Result<Page<ChatParticipantResponse>, ApiError> {
    let found = desk::list(&state.context.db, acting(&allowed), scope, &query.search, query.page).await?;
    Ok(Page::new(query.page, found, ChatParticipantResponse::from))
}

/// Lists the chats of one tab. Use `GET /chat-service/api/v2/chats`.
///
/// The names of the tabs are those of `scope` in v2. `searchString` finds the same chats as `search` of v2.
#[utoipa::path(
    get,
    path = "/chat-service/ChatParticipant/tabs/{tab}",
    operation_id = "listChatsOfTabV1",
    tag = "Live chat v1",
    params(("tab" = String, Path, description = "A `scope` of v2."), ListQuery, SearchStringParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of chats.", body = Page<ChatParticipantResponse>)),
)]
#[deprecated]
async fn tab(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(tab): Segments<String>,
    query: ListQuery,
) -> Result<Page<ChatParticipantResponse>, ApiError> {
    let scope = ChatScope::from_name(&tab).ok_or_else(ApiError::not_found)?;
    let found = desk::list(&state.context.db, acting(&allowed), scope, &query.search, query.page).await?;
    Ok(Page::new(query.page, found, ChatParticipantResponse::from))
}

/// The whole chat. A field that is absent is cleared. Other fields of a chat are accepted and ignored.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TerminateChatV1)]
struct WholeBody {
    /// The live-chat participant.
    #[schema(value_type = Uuid)]
    id: Option<String>,
    /// The agent who becomes `lastAssignedAgent`. If it is absent, the assignment is cleared.
    #[serde(default, deserialize_with = "domain::body::object")]
    assigned_to: Option<AgentOfWhole>,
    /// As in the chat. If it is absent, false.
    missed_conversation: Option<bool>,
    /// As in the chat. If it is absent, false.
    after_hours_conversation: Option<bool>,
    /// As in the chat. If it is absent, false.
    send_rating_widget: Option<bool>,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = AgentOfChatV1)]
struct AgentOfWhole {
    /// Id of the user.
    #[schema(value_type = Uuid)]
    id: Option<String>,
}

/// Ends a chat and stores the given fields. Use `POST /chat-service/api/v2/chats/{id}/terminate`.
///
/// If `assignedTo` is absent, the assignment is cleared. Absent flags become false.
#[utoipa::path(
    put,
    path = "/chat-service/ChatParticipant/terminateChatParticipantChat",
    operation_id = "terminateChatV1",
    tag = "Live chat v1",
    request_body = WholeBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The chat is closed.", body = ChatParticipantResponse),
        (status = 409, description = "The chat is closed already, or another agent has it."),
    ),
)]
#[deprecated]
async fn terminate(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    JsonBody(body): JsonBody<WholeBody>,
) -> Result<Json<ChatParticipantResponse>, ApiError> {
    let id = body.id.ok_or_else(|| ApiError::fault("id", "is required: the live-chat participant"))?;
    let agent = body.assigned_to.and_then(|agent| agent.id).map(|id| id.parse::<UserId>());
    let assigned =
        agent.transpose().map_err(|_| ApiError::fault("assignedTo.id", "is not the id of one of your users"))?;
    let whole = ChatPatch {
        assigned,
        missed: body.missed_conversation.unwrap_or(false),
        after_hours: body.after_hours_conversation.unwrap_or(false),
        send_rating: body.send_rating_widget.unwrap_or(false),
    };
    let ended =
        desk::terminate_whole(&state.context, acting(&allowed), chat_id(&id)?, whole).await.map_err(api_error)?;
    Ok(Json(ended.into()))
}

/// Sends a message in a chat on WhatsApp. Use `POST /chat-service/api/v2/messages`.
///
/// The rules are those of v2.
#[utoipa::path(
    post,
    path = "/chat-service/Message/sendMessageWhatsapp",
    operation_id = "sendChatMessageV1",
    tag = "Live chat v1",
    request_body = ChatSendBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The stored message.", body = MessageResponse),
        (status = 409, description = "The chat is closed, another agent has it, or the 24-hour window is over."),
    ),
)]
#[deprecated]
async fn send(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    JsonBody(body): JsonBody<ChatSendBody>,
) -> Result<Json<MessageResponse>, ApiError> {
    send_message_v1(
        &state,
        &allowed,
        DraftRequest { channel: Some(Channel::Whatsapp.as_str().to_owned()), ..DraftRequest::from(body) },
    )
    .await
}

async fn send_message_v1(
    state: &ApiState,
    allowed: &AuthorizedCaller<LiveChat>,
    written: DraftRequest,
) -> Result<Json<MessageResponse>, ApiError> {
    let said = written.read().map_err(ApiError::faults)?;
    let sent = desk::send_message(&state.context, acting(allowed), said).await.map_err(api_error)?;
    Ok(Json(sent.into()))
}

/// A file and its message.
#[derive(ToSchema)]
#[schema(as = ChatAttachmentV1)]
#[expect(dead_code, reason = "described, never made")]
struct AttachmentForm {
    /// The file.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// The live-chat participant.
    #[schema(rename = "participantId")]
    participant: Uuid,
    /// The channel. If it is absent, `WHATSAPP`.
    channel: Option<String>,
    /// The caption of the file.
    text: Option<String>,
    /// As in v2.
    #[schema(rename = "tempId")]
    temp_id: Option<String>,
}

/// Sends a file in a chat. Use `POST /chat-service/api/v2/messages/media`, then `/messages`.
///
/// It takes the file itself in a form, or JSON with the `mediaUrl` of an uploaded file.
#[utoipa::path(
    post,
    path = "/chat-service/Message/sendMessageWithAttachment",
    operation_id = "sendChatAttachmentV1",
    tag = "Live chat v1",
    request_body(content((AttachmentForm = "multipart/form-data"), (ChatSendBody = "application/json"))),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The stored message.", body = MessageResponse),
        (status = 409, description = "The chat is closed, another agent has it, or the 24-hour window is over."),
    ),
)]
#[deprecated]
async fn send_file(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    request: Request,
) -> Result<Json<MessageResponse>, ApiError> {
    if is_json(request.headers()) {
        let JsonBody(body): JsonBody<ChatSendBody> = JsonBody::from_request(request, &state).await?;
        let written = DraftRequest::from(body);
        if written.media_url.is_none() {
            return Err(ApiError::fault("mediaUrl", "is required: the `mediaUrl` of an uploaded file"));
        }
        let channel = written.channel.clone().unwrap_or_else(|| Channel::Whatsapp.as_str().to_owned());
        return send_message_v1(&state, &allowed, DraftRequest { channel: Some(channel), ..written }).await;
    }
    let (parts, bytes) = media::whole_form(request).await?;
    let form = Request::from_parts(parts.clone(), Body::from(bytes.clone()));
    let mut written = said_with(form).await?;
    let file: FormFile = media::file_in(Request::from_parts(parts, Body::from(bytes))).await?;
    // Faults in the other fields are reported before the file is stored.
    written.media_url = Some("https://file.invalid/".to_owned());
    let said = written.clone().read().map_err(ApiError::faults)?;
    if let Some(sent) = desk::check_send(&state.context, acting(&allowed), &said).await.map_err(api_error)? {
        return Ok(Json(sent.into()));
    }
    written.media_url = Some(media::keep(&state, &allowed, file).await?.url);
    send_message_v1(&state, &allowed, written).await
}

async fn said_with(request: Request) -> Result<DraftRequest, ApiError> {
    let mut form = form::fields_of(request).await?;
    let mut written = DraftRequest { channel: Some(Channel::Whatsapp.as_str().to_owned()), ..DraftRequest::default() };
    while let Some(field) = form.next_field().await.map_err(form::unreadable)? {
        let place = match field.name() {
            Some("participantId") => &mut written.participant,
            Some("channel") => &mut written.channel,
            Some("text") => &mut written.text,
            Some("tempId") => &mut written.temp_id,
            Some("ctId") => &mut written.ct_id,
            Some("quotedExternalMessageId") => &mut written.quotes,
            Some(_) | None => continue,
        };
        *place = Some(field.text().await.map_err(form::unreadable)?);
    }
    Ok(written)
}

/// The chat.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct OldChatParameter {
    /// The live-chat participant.
    #[param(value_type = Uuid, rename = "participantId")]
    participant: String,
}

/// Returns the last 1,000 messages of a chat, oldest first. Use `GET /chat-service/api/v2/messages`.
///
/// With v2 you can read the whole history.
#[utoipa::path(
    get,
    path = "/chat-service/Message/getMessagesByParticipantId",
    operation_id = "listChatMessagesV1",
    tag = "Live chat v1",
    params(OldChatParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The messages.", body = Vec<MessageResponse>)),
)]
#[deprecated]
async fn past(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<Vec<MessageResponse>>, ApiError> {
    let chat = messages::of_chat(&parts)?;
    let past = desk::past(&state.context, acting(&allowed), chat, None, desk::MOST_AT_ONCE).await.map_err(api_error)?;
    Ok(Json(past.into_iter().map(MessageResponse::from).collect()))
}

/// The tracking number.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct TrackingNumberParameter {
    /// `customerTrackingNumber` of a chat, or `gstId` of a message.
    #[param(rename = "trackingNumber")]
    number: String,
}

/// Returns the messages of a tracking number. Use `GET /chat-service/api/v2/messages/tracking/{trackingNumber}`.
///
/// The number of a chat selects all its messages, the number of a message this one only.
#[utoipa::path(
    get,
    path = "/chat-service/Message/getMessagesByTrackingNumber",
    operation_id = "trackChatMessagesV1",
    tag = "Live chat v1",
    params(TrackingNumberParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The messages, oldest first.", body = Vec<MessageResponse>)),
)]
#[deprecated]
async fn find_by_tracking_number(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<Vec<MessageResponse>>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let number = given.value("trackingNumber").ok_or_else(|| ApiError::fault("trackingNumber", "is required"))?;
    let found = desk::find_tracked(&state.context, acting(&allowed), number).await.map_err(api_error)?;
    Ok(Json(found.into_iter().map(MessageResponse::from).collect()))
}

/// Shows the customer that an answer is being written. Use `POST /chat-service/api/v2/messages/typing`.
///
/// The rules are those of v2.
#[utoipa::path(
    post,
    path = "/chat-service/Message/typing",
    operation_id = "showTypingV1",
    tag = "Live chat v1",
    params(OldChatParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "Whether the customer sees it.", body = ShownBody),
        (status = 409, description = "The chat is closed."),
        (status = 502, description = "The provider did not accept it."),
    ),
)]
#[deprecated]
async fn typing(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<ShownBody>, ApiError> {
    let chat = messages::of_chat(&parts)?;
    messages::shown_body(desk::typing(&state.context, acting(&allowed), chat).await.map_err(api_error)?)
}

/// Resets the unread count of a chat and sends a read receipt. Use `POST /chat-service/api/v2/messages/read`.
///
/// The rules are those of v2.
#[utoipa::path(
    post,
    path = "/chat-service/Message/markAsRead",
    operation_id = "markChatReadV1",
    tag = "Live chat v1",
    params(OldChatParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "Whether the customer sees the read receipt. The unread count is reset unless another agent has the chat.", body = ShownBody),
        (status = 502, description = "The unread count is reset, but the provider did not accept the receipt."),
    ),
)]
#[deprecated]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<ShownBody>, ApiError> {
    let chat = messages::of_chat(&parts)?;
    messages::shown_body(desk::read(&state.context, acting(&allowed), chat).await.map_err(api_error)?)
}
