//! `POST /plugin-service/api/v1/custom-events`: sends an event of the client's own to the chatbot of a chat.
//! `POST /plugin-service/api/v1/chats/release`: gives a chat that waits for an agent back to the chatbot.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::JsonBody,
    error::{ApiError, ErrorKind},
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use chat::{
    custom_events::{CustomEventRequest, EventReceiver, RaiseError, raise},
    desk,
};
use domain::chat::ParticipantState;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::live_chat::desk as desk_calls;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(raise_event)).routes(routes!(release_chat))
}

/// The event and its chat: `participantId`, or `whatsAppNumberId` and `customer`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = CustomEvent, examples(json!({"whatsAppNumberId": "0199a1b2-0000-7000-8000-000000000000", "customer": "27820000001", "name": "order-paid", "payload": {"order": 1001}})))]
struct EventBody {
    /// Id of the chat.
    #[schema(value_type = Option<Uuid>)]
    participant_id: Option<String>,
    /// The number on which the customer has a chat.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// The customer: a phone number in international format, or a business-scoped user id.
    customer: Option<String>,
    /// The name of the event.
    #[schema(min_length = 1, max_length = 64, example = "order-paid")]
    name: String,
    /// Details, at most 16 KiB. The chatbot gets them as a JSON text.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    payload: Value,
}

/// The event as the chatbot gets it.
#[derive(Serialize, ToSchema)]
#[schema(as = RaisedEvent)]
struct RaisedBody {
    /// Its `event.id`.
    id: Uuid,
}

/// Sends an event to the chatbot of a chat.
///
/// The chatbot gets it after everything that happened in the chat before, including messages that a provider has just
/// handed over, as an event of kind `custom`.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/custom-events",
    operation_id = "raiseCustomEvent",
    tag = "Plugins",
    request_body = EventBody,
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 202, description = "The event is stored for the chatbot.", body = RaisedBody),
        (status = 404, description = "There is no such chat."),
        (status = 409, description = "No chatbot has the chat. `message` names its owner."),
        (status = 429, description = "Too many events wait for the chatbot, or earlier messages are not in their chats yet."),
    ),
)]
async fn raise_event(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    JsonBody(body): JsonBody<EventBody>,
) -> Result<(StatusCode, Json<RaisedBody>), ApiError> {
    let hears = event_receiver(body.participant_id, body.whats_app_number_id, body.customer)?;
    let wanted = CustomEventRequest { hears, name: body.name, payload: body.payload };
    let id = raise(&state.context, allowed.caller.client, wanted).await.map_err(api_error)?;
    Ok((StatusCode::ACCEPTED, Json(RaisedBody { id: id.0 })))
}

/// The chat: `participantId`, or `whatsAppNumberId` and `customer`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReleaseChat, examples(json!({"whatsAppNumberId": "0199a1b2-0000-7000-8000-000000000000", "customer": "27820000001"})))]
struct ReleaseBody {
    /// Id of the chat.
    #[schema(value_type = Option<Uuid>)]
    participant_id: Option<String>,
    /// The number on which the customer has a chat.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<String>,
    /// The customer: a phone number in international format, or a business-scoped user id.
    customer: Option<String>,
}

/// A chat that is the chatbot's.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReleasedChat)]
struct ReleasedBody {
    /// Id of the chat.
    participant_id: Uuid,
    /// The chat is closed. The next message of the customer begins a conversation with the chatbot.
    closed: bool,
}

/// Gives a chat that waits for an agent back to its chatbot, for authors of chatbots.
///
/// The chatbot gets the event `agent-released`. A chat of the chatbot, or a closed one, stays as it is.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/chats/release",
    operation_id = "releaseWaitingChat",
    tag = "Plugins",
    request_body = ReleaseBody,
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The chat is the chatbot's.", body = ReleasedBody),
        (status = 404, description = "There is no such chat."),
        (status = 409, description = "An agent has the chat, or no chatbot would answer."),
    ),
)]
async fn release_chat(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    JsonBody(body): JsonBody<ReleaseBody>,
) -> Result<Json<ReleasedBody>, ApiError> {
    let wanted = event_receiver(body.participant_id, body.whats_app_number_id, body.customer)?;
    let returned = desk::return_to_bot(&state.context, desk_calls::acting(&allowed), &wanted).await;
    let chat = returned.map_err(desk_calls::api_error)?.chat;
    Ok(Json(ReleasedBody { participant_id: chat.id.0, closed: chat.state == ParticipantState::Closed }))
}

/// A chat by `participantId`, or by `whatsAppNumberId` and `customer`.
fn event_receiver(
    participant: Option<String>,
    number: Option<String>,
    customer: Option<String>,
) -> Result<EventReceiver, ApiError> {
    match (participant, number, customer) {
        (Some(id), None, None) => {
            let id = id.parse().map_err(|_| ApiError::fault("participantId", "is not the id of a participant"))?;
            Ok(EventReceiver::Participant(id))
        }
        (None, Some(number), Some(customer)) => {
            let said = "is not the id of one of your numbers";
            let number = number.parse().map_err(|_| ApiError::fault("whatsAppNumberId", said))?;
            Ok(EventReceiver::Customer(number, customer))
        }
        _ => {
            let said = "must be given, or `whatsAppNumberId` and `customer` instead of it";
            Err(ApiError::fault("participantId", said))
        }
    }
}

fn api_error(error: RaiseError) -> ApiError {
    match error {
        RaiseError::NotFound => ApiError::not_found(),
        RaiseError::Faults(faults) => ApiError::faults(faults),
        RaiseError::NotTheBots(said) => ApiError::new(ErrorKind::Conflict, said),
        RaiseError::TooMany | RaiseError::Behind => ApiError::new(ErrorKind::TooManyRequests, error.to_string()),
        RaiseError::Failed(cause) => cause.into(),
    }
}
