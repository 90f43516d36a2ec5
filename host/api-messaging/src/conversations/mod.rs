//! Long-lived conversations (SPEC 2.11, 4.5).

mod analytics;
mod bodies;

use api_core::{
    auth::{AuthorizedCaller, ConversationReading, Conversations, Permission},
    body::JsonBytes,
    error::ApiError,
    page::{ListQuery, Page},
    query::QueryParameters,
    state::ApiState,
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{header, request::Parts},
    response::{IntoResponse, Response},
};
use base::Result;
use bytes::Bytes;
use chat::long_lived_conversations::{self, Listing, OpenConversationError};
use chrono::{DateTime, Utc};
use domain::{
    conversation::{ConversationRequest, WireConversation},
    ids::ConversationId,
};
use futures::stream;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use bodies::{ClosedBody, ConversationBody, OpenedBody, RemainingBody};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(create))
        .routes(routes!(close))
        .routes(routes!(remaining_time))
        .routes(routes!(list))
        .routes(routes!(list_by_ref))
        .routes(routes!(analytics::counts))
}

/// The conversation.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct ConversationIdParameter {
    /// Id of the conversation.
    #[param(rename = "conversationId")]
    conversation: Uuid,
}

/// The search text.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct ConversationSearchParameter {
    /// A part of the sender, of the recipient or of the id. Absent or empty: everything.
    #[param(rename = "searchString", nullable = false)]
    search: Option<String>,
}

/// The client of the list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct ConversationClientParameter {
    /// Reference of the caller's client or of a descendant. `me` is the caller's own.
    #[param(rename = "clientRef")]
    client_ref: String,
}

/// Opens a long-lived conversation with a customer, or finds the active one.
///
/// `conversationStatusCode` is `200` for a new one and `452` for an active one; neither is an error. The customer is
/// `recipient` or, if it is absent, `customerUserId`.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation",
    operation_id = "createConversation",
    tag = "Conversations",
    request_body = WireConversation,
    security(("apiKey" = [Conversations::ROW.name])),
    responses((status = 200, description = "The conversation, new or found.", body = OpenedBody)),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Conversations>,
    JsonBytes(body): JsonBytes,
) -> Result<Json<OpenedBody>, ApiError> {
    let request = ConversationRequest::parse(&body).map_err(ApiError::faults)?;
    let opened =
        long_lived_conversations::open(&state.context, allowed.caller.client, &request).await.map_err(|error| {
            match error {
                OpenConversationError::Faults(faults) => ApiError::faults(faults),
                OpenConversationError::Failed(cause) => cause.into(),
            }
        })?;
    Ok(Json(OpenedBody::new(opened, state.context.now())))
}

/// Closes a conversation permanently.
///
/// Later texts need a new conversation. `closeStatus` is `false` if it was closed before.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppConversations/closeWhatsAppConversation",
    operation_id = "closeConversation",
    tag = "Conversations",
    params(ConversationIdParameter),
    security(("apiKey" = [Conversations::ROW.name])),
    responses(
        (status = 200, description = "The conversation is closed, by this call or earlier.", body = ClosedBody),
        (status = 404, description = "There is no such conversation."),
    ),
)]
async fn close(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Conversations>,
    parts: Parts,
) -> Result<Json<ClosedBody>, ApiError> {
    let id = conversation_id(&parts)?;
    let closing = long_lived_conversations::close(&state.context, allowed.caller.client, id).await?;
    let closing = closing.ok_or_else(ApiError::not_found)?;
    Ok(Json(ClosedBody::new(closing, state.context.now())))
}

/// Returns the remaining time of a conversation.
///
/// It is 0 only if the conversation accepts no more messages, because it was closed or has expired.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppConversations/getRemainingTime",
    operation_id = "getRemainingTime",
    tag = "Conversations",
    params(ConversationIdParameter),
    security(("apiKey" = [ConversationReading::ROW.name])),
    responses(
        (status = 200, description = "The remaining time.", body = RemainingBody),
        (status = 404, description = "There is no such conversation."),
    ),
)]
async fn remaining_time(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<ConversationReading>,
    parts: Parts,
) -> Result<Json<RemainingBody>, ApiError> {
    let id = conversation_id(&parts)?;
    let found = long_lived_conversations::find(&state.context, allowed.caller.client, id).await?;
    let conversation = found.ok_or_else(ApiError::not_found)?;
    let remaining_time = conversation.remaining_seconds(state.context.now());
    Ok(Json(RemainingBody { conversation_id: conversation.id, remaining_time }))
}

/// Lists the client's conversations, newest first.
///
/// Open and closed conversations are listed. `searchString` matches a part of the customer's number.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsForCurrentUser",
    operation_id = "listConversations",
    tag = "Conversations",
    params(ListQuery, ConversationSearchParameter),
    security(("apiKey" = [ConversationReading::ROW.name])),
    responses((status = 200, description = "A page of conversations.", body = Page<ConversationBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<ConversationReading>,
    query: ListQuery,
) -> Result<Page<ConversationBody>, ApiError> {
    let (client, sight) = (allowed.caller.client, allowed.caller.sight);
    let found = long_lived_conversations::list(&state.context.db, client, sight, &query.search, query.page).await?;
    let now = state.context.now();
    Ok(Page::new(query.page, found, |conversation| ConversationBody::new(conversation, now)))
}

/// Lists all conversations of a client by its reference, newest first, in one answer.
///
/// The caller sees its own client and its descendants. Any other reference, also an old one, gives an empty list.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsByClientRef",
    operation_id = "listConversationsByClientRef",
    tag = "Conversations",
    params(ConversationClientParameter),
    security(("apiKey" = [ConversationReading::ROW.name])),
    responses((status = 200, description = "All conversations.", body = Vec<ConversationBody>)),
)]
async fn list_by_ref(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<ConversationReading>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let client_ref = parameter(&parts, "clientRef")?;
    let client = allowed.opens(&state, &client_ref).await?;
    let mut listing = Listing::of(&state.context.db, client);
    let now = state.context.now();
    // A failure before the first byte is answered as an ordinary error.
    let first = items(&mut listing, now).await?;
    let written = Written { listing, now, next: Some(format!("[{first}")), any: !first.is_empty() };
    let body = Body::from_stream(stream::try_unfold(written, Written::step));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

struct Written {
    listing: Listing,
    now: DateTime<Utc>,
    next: Option<String>,
    any: bool,
}

impl Written {
    async fn step(mut self) -> Result<Option<(Bytes, Self)>> {
        let Some(text) = self.next.take() else { return Ok(None) };
        let more = items(&mut self.listing, self.now).await?;
        if more.is_empty() {
            return Ok(Some((Bytes::from(text + "]"), self)));
        }
        let comma = if self.any { "," } else { "" };
        self.next = Some(format!("{comma}{more}"));
        self.any = true;
        Ok(Some((Bytes::from(text), self)))
    }
}

/// Returns the next items as JSON, without brackets. Empty at the end.
async fn items(listing: &mut Listing, now: DateTime<Utc>) -> Result<String> {
    let unreadable = |source| base::Error::Unreadable { what: "conversation", source };
    let found = listing.next().await?.into_iter();
    let texts = found.map(|one| serde_json::to_string(&ConversationBody::new(one, now)).map_err(unreadable));
    Ok(texts.collect::<Result<Vec<String>>>()?.join(","))
}

fn conversation_id(parts: &Parts) -> Result<ConversationId, ApiError> {
    let text = parameter(parts, "conversationId")?;
    text.parse().map_err(|_| ApiError::fault("conversationId", "is not the id of a conversation: a UUID"))
}

fn parameter(parts: &Parts, wanted: &str) -> Result<String, ApiError> {
    let value = QueryParameters::of(&parts.uri)?.value(wanted).map(str::to_owned);
    value.ok_or_else(|| ApiError::fault(wanted, "is required"))
}
