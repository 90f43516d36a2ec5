//! The socket of a widget. What it shows comes from the database by sequence number, so a socket that was cut, on whatever node, is
//! followed by another one that goes on where it ended; and what a widget sends is answered when it is on disk.

use std::time::Duration;

use axum::{
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, rejection::WebSocketUpgradeRejection},
    },
    response::Response,
};
use inbound::web_chat::VisitorToken;
use tokio::time::timeout;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    door::{Door, Named},
    frames::{self, Frame},
    line::Line,
    shares::Part,
};
use crate::{error::ApiError, state::ApiState};

/// The protocol that widgets speak.
const PROTOCOL: &str = "patchbay.web-chat.v1";
/// Bytes of a frame at most.
const FRAME_MAX: usize = 64 * 1024;
/// Time for the first frame.
const HELLO: Duration = Duration::from_secs(10);
/// Time for the last word.
const FAREWELL: Duration = Duration::from_secs(2);
/// Bytes that are read at once, for each socket.
const READ_BUFFER: usize = 4 * 1024;
/// Bytes that are put together before they are written, and that may wait to be: a page with the largest message that there is.
const WRITE_BUFFER: usize = 4 * 1024;
const MOST_WAITING: usize = 1024 * 1024;

/// Why a socket is closed, for the widget to tell.
pub(super) mod code {
    /// The process stops: come again.
    pub(in crate::web_chat) const STOPPING: u16 = 1001;
    /// A frame that is none.
    pub(in crate::web_chat) const NOT_TEXT: u16 = 1003;
    /// Something went wrong here: come again.
    pub(in crate::web_chat) const FAILED: u16 = 1011;
    /// Begin a session.
    pub(in crate::web_chat) const NO_VISITOR: u16 = 4401;
    /// The site does not show the widget here any more.
    pub(in crate::web_chat) const NO_SITE: u16 = 4403;
    /// No first frame in time.
    pub(in crate::web_chat) const NO_HELLO: u16 = 4408;
    /// Too much at once.
    pub(in crate::web_chat) const TOO_MUCH: u16 = 4429;
}

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(open))
}

/// The socket of a widget (WebSocket, subprotocol `patchbay.web-chat.v1`).
///
/// The first frame names the visitor's token; `docs/web-chat.md` has all frames.
#[utoipa::path(
    get,
    path = "/web-chat/socket",
    operation_id = "openWebSocket",
    tag = "Web chat",
    params(Named),
    responses(
        (status = 101, description = "The socket."),
        (status = 400, description = "No WebSocket is asked for."),
        (status = 403, description = "The page is none of the site's."),
        (status = 429, description = "Too many calls or sockets from one address."),
    ),
)]
async fn open(
    State(state): State<ApiState>,
    door: Door,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::fault("Upgrade", "must ask for a WebSocket"))?;
    let place = state.web_chat.limits.socket(door.address)?;
    let upgrade = upgrade
        .protocols([PROTOCOL])
        .max_message_size(FRAME_MAX)
        .max_frame_size(FRAME_MAX)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(MOST_WAITING);
    Ok(upgrade.on_upgrade(move |socket| serve(state, (door, place), socket)))
}

/// The socket is at its end: with which code and why.
pub(super) type End = (u16, &'static str);

async fn serve(state: ApiState, (door, _place): (Door, Part), mut socket: WebSocket) {
    let ended = match greet(&state, &door, &mut socket).await {
        Ok((visitor, resume)) => {
            let id = visitor.visitor.to_string();
            let watching = state.web_chat.presence.watch((door.site.client, door.site.id), &id);
            Line::new((&state, &door), &mut socket, (visitor, id)).hold(watching, resume).await
        }
        Err(end) => end,
    };
    if let Some((code, reason)) = ended {
        let frame = CloseFrame { code, reason: reason.into() };
        // Whoever is gone already misses nothing.
        let _ = timeout(FAREWELL, socket.send(Message::Close(Some(frame)))).await;
    }
}

/// How far a widget has read, of which numbering.
pub(super) struct Resume {
    pub(super) numbering: Option<String>,
    pub(super) after: i64,
}

async fn greet(state: &ApiState, door: &Door, socket: &mut WebSocket) -> Result<(VisitorToken, Resume), Option<End>> {
    let first = timeout(HELLO, socket.recv()).await.map_err(|_| Some((code::NO_HELLO, "no hello came")))?;
    let Some(Ok(Message::Text(text))) = first else { return Err(Some((code::NOT_TEXT, "no hello came"))) };
    let Ok(Frame::Hello { token, chat, after }) = frames::read(&text) else {
        return Err(Some((code::NO_HELLO, "the first frame must be a hello")));
    };
    let visitor = door.visitor(state, &token).await.map_err(|_| Some((code::NO_VISITOR, "begin a session")))?;
    let place = (door.site.client, door.site.id);
    let sockets = state.web_chat.presence.sockets_of(place, &visitor.visitor.to_string());
    if sockets >= state.web_chat.limits.settings.sockets_per_visitor {
        return Err(Some((code::TOO_MUCH, "too many sockets of one visitor")));
    }
    Ok((visitor, Resume { numbering: chat, after: after.unwrap_or_default() }))
}
