//! `/chat-service/api/v2/messages`: the history of a chat, and new messages.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body::JsonBody,
    closed_set::ChannelName,
    error::{ApiError, ErrorKind},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts};
use chat::desk::{self, DraftRequest, MOST_AT_ONCE, PresenceResult};
use domain::{
    content::{Location, Reaction},
    ids::ParticipantId,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    desk::{acting, api_error},
    message_bodies::MessageResponse,
};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list, send))
        .routes(routes!(typing))
        .routes(routes!(read))
        .routes(routes!(find_by_tracking_number))
        .routes(routes!(by_ct_id))
}

/// The chat.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct ChatParameter {
    /// The live-chat participant.
    #[param(value_type = Uuid, rename = "participantId")]
    participant: String,
}

/// The part of the history.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct HistoryPartParameters {
    /// Only messages before this `sequenceNumber`. Use the first one of the last answer.
    #[param(nullable = false, rename = "beforeSequence")]
    before_sequence: Option<i64>,
    /// Most messages in the answer.
    #[param(nullable = false, minimum = 1, maximum = 1000, default = 1000)]
    size: Option<u32>,
}

pub(super) fn of_chat(parts: &Parts) -> Result<ParticipantId, ApiError> {
    match QueryParameters::of(&parts.uri)?.value("participantId") {
        Some(id) => id.parse().map_err(|_| ApiError::not_found()),
        None => Err(ApiError::fault("participantId", "is required: the live-chat participant")),
    }
}

/// Returns messages of a chat, oldest first.
///
/// It returns the last 1,000, or fewer with `size`, and at most 2 MiB. Earlier messages come with `beforeSequence`. An
/// empty array means that there are no earlier ones. Messages sent through `/whatsapp-api-service` are not included.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/messages",
    operation_id = "listChatMessages",
    tag = "Live chat",
    params(ChatParameter, HistoryPartParameters),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The messages.", body = Vec<MessageResponse>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<Vec<MessageResponse>>, ApiError> {
    let chat = of_chat(&parts)?;
    let given = QueryParameters::of(&parts.uri)?;
    let before = given.number("beforeSequence", &(1..=i64::MAX)).map_err(ApiError::faults)?;
    let size = given.number("size", &(1..=MOST_AT_ONCE)).map_err(ApiError::faults)?;
    let past = desk::past(&state.context, acting(&allowed), chat, before, size.unwrap_or(MOST_AT_ONCE))
        .await
        .map_err(api_error)?;
    Ok(Json(past.into_iter().map(MessageResponse::from).collect()))
}

/// A message to send.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SendChatMessage, examples(json!({"participantId": "01998000-0000-7000-8000-0000000000aa", "channel": "WHATSAPP", "text": "How can I help?", "tempId": "t-1"})))]
pub(super) struct ChatSendBody {
    /// The live-chat participant.
    #[schema(value_type = Uuid)]
    participant_id: Option<String>,
    /// The channel of the chat.
    #[schema(value_type = ChannelName)]
    channel: Option<String>,
    /// The text. With a file, its caption.
    #[schema(max_length = 4096)]
    text: Option<String>,
    /// A name that the sender gives to the message. If it is used again, the answer is the existing message and nothing
    /// is sent.
    #[schema(max_length = 255)]
    temp_id: Option<String>,
    /// The client's tracking id.
    #[schema(max_length = 255)]
    ct_id: Option<String>,
    /// Id of the message of this chat that it quotes: the provider's (`whatsAppMessageId`, `facebookMessageId`) or its
    /// `id`.
    #[schema(max_length = 255)]
    quoted_external_message_id: Option<String>,
    /// A file: the `mediaUrl` of `/messages/media`, or a public address.
    media_url: Option<String>,
    /// A location.
    #[serde(default, deserialize_with = "domain::body::object")]
    location: Option<LocationBody>,
    /// A reaction to a message. It cannot be combined with other content. On WhatsApp, Messenger and Telegram; on
    /// WhatsApp Lite only to messages of customers.
    #[serde(default, deserialize_with = "domain::body::object")]
    reaction: Option<ReactionBody>,
}

/// A location.
#[derive(Deserialize, ToSchema)]
#[schema(as = ChatLocation)]
struct LocationBody {
    /// Degrees north.
    latitude: f64,
    /// Degrees east.
    longitude: f64,
    /// Its name.
    name: Option<String>,
    /// Its address.
    address: Option<String>,
}

/// A reaction to a message of the chat.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatReaction, examples(json!({"externalMessageId": "wamid.HBgL", "emoji": "👍"})))]
struct ReactionBody {
    /// Id of the message: the provider's (`whatsAppMessageId`, `facebookMessageId`) or its `id`.
    external_message_id: String,
    /// One emoji. Null or empty removes the reaction.
    emoji: Option<String>,
}

impl From<ChatSendBody> for DraftRequest {
    fn from(body: ChatSendBody) -> Self {
        let place = |place: LocationBody| Location {
            latitude: place.latitude,
            longitude: place.longitude,
            name: place.name,
            address: place.address,
        };
        Self {
            participant: body.participant_id,
            channel: body.channel,
            text: body.text,
            media_url: body.media_url,
            location: body.location.map(place),
            reaction: body
                .reaction
                .map(|reaction| Reaction { message_id: reaction.external_message_id, emoji: reaction.emoji }),
            temp_id: body.temp_id,
            ct_id: body.ct_id,
            quotes: body.quoted_external_message_id,
        }
    }
}

/// Sends a message in a chat.
///
/// The answer means that it is stored and will be sent. On WhatsApp Cloud the customer must have written in the last 24
/// hours.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/messages",
    operation_id = "sendChatMessage",
    tag = "Live chat",
    request_body = ChatSendBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The stored message.", body = MessageResponse),
        (status = 409, description = "The chat is closed, another agent has it, or the 24-hour window is over."),
    ),
)]
async fn send(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    JsonBody(body): JsonBody<ChatSendBody>,
) -> Result<Json<MessageResponse>, ApiError> {
    let said = DraftRequest::from(body).read().map_err(ApiError::faults)?;
    let sent = desk::send_message(&state.context, acting(&allowed), said).await.map_err(api_error)?;
    Ok(Json(sent.into()))
}

/// Whether the customer sees the read receipt or the typing indicator.
#[derive(Serialize, ToSchema)]
#[schema(as = ShownToCustomer)]
pub(super) struct ShownBody {
    /// `true` if the customer sees it.
    shown: bool,
    /// The reason if the customer does not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(super) fn shown_body(shown: PresenceResult) -> Result<Json<ShownBody>, ApiError> {
    match shown {
        Ok(()) => Ok(Json(ShownBody { shown: true, reason: None })),
        Err(unseen) if unseen.is_failure => Err(ApiError::new(ErrorKind::ProviderError, unseen.reason)),
        Err(unseen) => Ok(Json(ShownBody { shown: false, reason: Some(unseen.reason) })),
    }
}

/// Shows the customer that an answer is being written.
///
/// On WhatsApp Cloud the customer sees it for 25 seconds, or until a message arrives, and the customer's messages are
/// marked as read.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/messages/typing",
    operation_id = "showTyping",
    tag = "Live chat",
    params(ChatParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "Whether the customer sees it.", body = ShownBody),
        (status = 409, description = "The chat is closed."),
        (status = 502, description = "The provider did not accept it."),
    ),
)]
async fn typing(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<ShownBody>, ApiError> {
    shown_body(desk::typing(&state.context, acting(&allowed), of_chat(&parts)?).await.map_err(api_error)?)
}

/// Resets the unread count of a chat and sends the customer a read receipt.
///
/// If an agent has the chat, only that agent or a program (`API`) can do this. For other callers nothing changes, and
/// `shown` is false.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/messages/read",
    operation_id = "markChatRead",
    tag = "Live chat",
    params(ChatParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "Whether the customer sees the read receipt. The unread count is reset unless another agent has the chat.", body = ShownBody),
        (status = 502, description = "The unread count is reset, but the provider did not accept the receipt."),
    ),
)]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<ShownBody>, ApiError> {
    shown_body(desk::read(&state.context, acting(&allowed), of_chat(&parts)?).await.map_err(api_error)?)
}

/// Returns the messages of a tracking number: the last 1,000 of a chat (CTN), or one message (GSTN).
///
/// For a tracking number of another client the answer is 404.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/messages/tracking/{trackingNumber}",
    operation_id = "trackChatMessages",
    tag = "Live chat",
    params(("trackingNumber" = String, Path, description = "`customerTrackingNumber` of a chat, or `gstId` of a message.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The messages, oldest first.", body = Vec<MessageResponse>)),
)]
async fn find_by_tracking_number(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(number): Segments<String>,
) -> Result<Json<Vec<MessageResponse>>, ApiError> {
    let found = desk::find_tracked(&state.context, acting(&allowed), &number).await.map_err(api_error)?;
    Ok(Json(found.into_iter().map(MessageResponse::from).collect()))
}

/// Returns the newest message with a tracking id of the client.
///
/// The tracking id is the `ctId` that the message was sent with.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/messages/ctid/{ctId}",
    operation_id = "getChatMessageByCtId",
    tag = "Live chat",
    params(("ctId" = String, Path, description = "The `ctId` of the send.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The message.", body = MessageResponse)),
)]
async fn by_ct_id(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(ct_id): Segments<String>,
) -> Result<Json<MessageResponse>, ApiError> {
    if ct_id.contains('\0') {
        return Err(ApiError::not_found());
    }
    let found = desk::by_ct_id(&state.context, acting(&allowed), &ct_id).await.map_err(api_error)?;
    Ok(Json(found.into()))
}
