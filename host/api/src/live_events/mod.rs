//! Live events (CONTRACT 7, `docs/live-events.md`): what happens in chats as it happens, over a WebSocket or as server-sent
//! events.

mod asked;
mod socket;
mod stream;

use axum::{
    Json,
    extract::{State, ws::WebSocketUpgrade},
    response::{IntoResponse, Response},
};
use events::live::{Refused, tickets};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use self::asked::{Asked, Form, of_key};
use crate::{
    auth::{Allowed, LiveEvents, Permission},
    error::{ApiError, ErrorKind},
    product::Credential,
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(follow)).routes(routes!(issue))
}

/// A ticket.
#[derive(Serialize, ToSchema)]
#[schema(as = LiveTicket)]
struct TicketBody {
    /// Good for one connection, within half a minute.
    ticket: String,
}

/// Follows what happens in chats.
///
/// A WebSocket when the request asks for one, server-sent events with `Accept: text/event-stream`. Each message is one JSON
/// object with `type` and `sequence`; the first says where the stream begins. Events of chats that the caller may not see are
/// not sent, and the stream ends when the key is replaced or the user has another role or is gone. Whoever comes back with `after` gets everything that came meanwhile, once and in order, or is told
/// (`resync`) that something is missing. The kinds of events are in `docs/live-events.md`.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/events",
    operation_id = "followLiveEvents",
    tag = "Live events",
    params(
        ("after" = Option<i64>, Query, minimum = 0, description = "The `sequence` of the last event that was had; absent: from now on."),
        ("ticket" = Option<String>, Query, description = "In the place of the key, for who cannot set a header."),
        ("Last-Event-ID" = Option<i64>, Header, description = "As `after`, and before it: browsers send it when they come back."),
    ),
    security(("apiKey" = [LiveEvents::ROW.name])),
    responses(
        (status = 101, description = "A WebSocket: text messages, one JSON object each."),
        (status = 200, description = "Server-sent events: `id`, `event` and `data`, which is the same JSON object.", body = String, content_type = "text/event-stream"),
        (status = 400, description = "Neither a WebSocket nor server-sent events are asked for, or `after` is no sequence number."),
        (status = 429, description = "The client has too many connections."),
    ),
)]
async fn follow(
    State(state): State<ApiState>,
    asked: Asked,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let Asked { holder, after, form, in_use } = asked;
    let open = || state.live.open(&holder, after);
    match form {
        Form::Socket => {
            let said = |rejected| ApiError::new(ErrorKind::BadRequest, format!("this is no WebSocket: {rejected}"));
            let upgrade = upgrade.map_err(said)?;
            let connection = open().await.map_err(refused)?;
            Ok(socket::serve(upgrade, &state.live, connection, in_use))
        }
        Form::Stream => Ok(stream::serve(open().await.map_err(refused)?, in_use).into_response()),
    }
}

/// Gives out a ticket for a connection to live events.
///
/// For browsers, whose WebSockets and event sources can set no header: ask with the key, from a server, and connect with
/// `?ticket=`. It is good once, for half a minute and while the key is in force, and may do what the caller may.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/events/ticket",
    operation_id = "issueLiveTicket",
    tag = "Live events",
    security(("apiKey" = [LiveEvents::ROW.name])),
    responses((status = 200, description = "The ticket.", body = TicketBody)),
)]
async fn issue(State(state): State<ApiState>, allowed: Allowed<LiveEvents>) -> Result<Json<TicketBody>, ApiError> {
    let ticket = tickets::issue(&state.context, &of_key(allowed.caller)).await?;
    Ok(Json(TicketBody { ticket }))
}

fn refused(why: Refused) -> ApiError {
    match why {
        Refused::TooMany(_) => ApiError::new(ErrorKind::TooManyRequests, why.to_string()),
        Refused::NotAllowed => ApiError::unauthorized(Credential::Authorization),
        Refused::Failed(error) => error.into(),
    }
}
