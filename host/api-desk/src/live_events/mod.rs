//! The events of chats at the time they happen, over a WebSocket or as server-sent events (CONTRACT 7, `docs/live-events.md`).

mod connect_request;
mod socket;
mod stream;

use api_core::{
    admission::Hearing,
    auth::{AuthorizedCaller, LiveEvents, Permission},
    error::{ApiError, ErrorKind},
    product::Credential,
    state::{ApiState, StateWith},
};
use axum::{
    Json,
    extract::{State, ws::WebSocketUpgrade},
    response::{IntoResponse, Response},
};
use events::live_events::{ConnectionRefused, Hub, tickets};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use self::connect_request::{EventsRequest, Form, of_key};

pub(crate) fn routes() -> OpenApiRouter<StateWith<Hub>> {
    OpenApiRouter::new().routes(routes!(follow)).routes(routes!(issue))
}

/// A ticket.
#[derive(Serialize, ToSchema)]
#[schema(as = LiveTicket)]
struct TicketBody {
    /// Valid for one connection, for half a minute.
    ticket: String,
}

/// Follows the events of chats.
///
/// The answer is a WebSocket if the request asks for one, or server-sent events with `Accept: text/event-stream`. Each
/// message is one JSON object with `type` and `sequence`. The first one names the start of the stream. Events of chats
/// that the caller may not see are not sent. The stream ends if the key is replaced, or if the user gets another role
/// or is deleted. A caller that reconnects with `after` gets every later event once and in order, or the message
/// `resync` if some are missing. `docs/live-events.md` lists the kinds of events.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/events",
    operation_id = "followLiveEvents",
    tag = "Live events",
    params(
        ("after" = Option<i64>, Query, minimum = 0, description = "The `sequence` of the last event that the caller has. If absent, from now on."),
        ("ticket" = Option<String>, Query, description = "A ticket instead of the key, for callers that cannot set a header."),
        ("Last-Event-ID" = Option<i64>, Header, description = "As `after`, and takes precedence. Browsers send it when they reconnect."),
    ),
    security(("apiKey" = [LiveEvents::ROW.name])),
    responses(
        (status = 101, description = "A WebSocket: text messages, one JSON object each."),
        (status = 200, description = "Server-sent events: `id`, `event` and `data`. `data` is the same JSON object.", body = String, content_type = "text/event-stream"),
        (status = 400, description = "The request asks for neither a WebSocket nor server-sent events, or `after` is not a sequence number."),
        (status = 429, description = "The client has too many connections."),
    ),
)]
async fn follow(
    State(state): State<StateWith<Hub>>,
    hearing: Hearing,
    asked: EventsRequest,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let EventsRequest { holder, after, form, in_use } = asked;
    let open = || state.service.open(&holder, after);
    match form {
        Form::Socket => {
            let said =
                |rejected| ApiError::new(ErrorKind::BadRequest, format!("this is not a WebSocket request: {rejected}"));
            let upgrade = upgrade.map_err(said)?;
            let connection = open().await.map_err(api_error)?;
            Ok(socket::serve(upgrade, &state.service, connection, hearing, in_use))
        }
        Form::Stream => Ok(stream::serve(open().await.map_err(api_error)?, in_use).into_response()),
    }
}

/// Creates a ticket for a connection to live events.
///
/// For browsers, whose WebSockets and event sources cannot set headers: request the ticket with the key from a server,
/// and connect with `?ticket=`. It is valid once, for half a minute and while the key is valid, and has the rights of
/// the caller.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/events/ticket",
    operation_id = "issueLiveTicket",
    tag = "Live events",
    security(("apiKey" = [LiveEvents::ROW.name])),
    responses((status = 200, description = "The ticket.", body = TicketBody)),
)]
async fn issue(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveEvents>,
) -> Result<Json<TicketBody>, ApiError> {
    let ticket = tickets::issue(&state.context, &of_key(allowed.caller)).await?;
    Ok(Json(TicketBody { ticket }))
}

fn api_error(why: ConnectionRefused) -> ApiError {
    match why {
        ConnectionRefused::TooMany(_) => ApiError::new(ErrorKind::TooManyRequests, why.to_string()),
        ConnectionRefused::NotAllowed => ApiError::unauthorized(Credential::Authorization),
        ConnectionRefused::Failed(error) => error.into(),
    }
}
