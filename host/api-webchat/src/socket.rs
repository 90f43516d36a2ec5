//! The socket of a widget. It shows messages from the database by sequence number, so a new socket on any node
//! continues where a broken one ended. A message of the widget is acknowledged when it is stored.

use std::time::Duration;

use api_core::error::ApiError;
use axum::{
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, rejection::WebSocketUpgradeRejection},
    },
    response::Response,
};
use domain::source_places::SourcePlace;
use inbound::web_chat::VisitorToken;
use tokio::time::timeout;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    connection::SocketLine,
    frames::{self, WidgetFrame},
    page_access::{WidgetPage, WidgetSite},
    socket_end::{Resume, SocketEnd, code},
};
use crate::state::WidgetState;

/// The subprotocol of widgets.
const PROTOCOL: &str = "patchbay.web-chat.v1";
const FRAME_MAX: usize = 64 * 1024;
/// Time for the first frame.
const HELLO: Duration = Duration::from_secs(10);
/// Time for the close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
const READ_BUFFER: usize = 4 * 1024;
/// Write buffer in bytes, and the most that may wait to be written: a page with the largest message.
const WRITE_BUFFER: usize = 4 * 1024;
const MOST_WAITING: usize = 1024 * 1024;

pub(super) fn routes() -> OpenApiRouter<WidgetState> {
    OpenApiRouter::new().routes(routes!(open))
}

/// Opens the socket of a widget (WebSocket, subprotocol `patchbay.web-chat.v1`).
///
/// The first frame has the visitor's token. `docs/web-chat.md` describes all frames.
#[utoipa::path(
    get,
    path = "/web-chat/socket",
    operation_id = "openWebSocket",
    tag = "Web chat",
    params(WidgetSite),
    responses(
        (status = 101, description = "The socket."),
        (status = 400, description = "The request does not ask for a WebSocket."),
        (status = 403, description = "The page does not belong to the site."),
        (status = 429, description = "Too many calls or sockets from one address."),
    ),
)]
async fn open(
    State(state): State<WidgetState>,
    widget: WidgetPage,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::fault("Upgrade", "must ask for a WebSocket"))?;
    let place = state.web_chat.limits.socket(widget.address)?;
    let upgrade = upgrade
        .protocols([PROTOCOL])
        .max_message_size(FRAME_MAX)
        .max_frame_size(FRAME_MAX)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(MOST_WAITING);
    Ok(upgrade.on_upgrade(move |socket| serve(state, widget, place, socket)))
}

async fn serve(state: WidgetState, widget: WidgetPage, _place: Option<SourcePlace>, mut socket: WebSocket) {
    let ended = match greet(&state, &widget, &mut socket).await {
        Ok((visitor, resume)) => {
            let id = visitor.visitor.to_string();
            let watching = state.web_chat.presence.watch((widget.site.client, widget.site.id), &id);
            SocketLine::new(&state, &widget, &mut socket, visitor, id).hold(watching, resume).await
        }
        Err(end) => end,
    };
    if let Some((code, reason)) = ended {
        let frame = CloseFrame { code, reason: reason.into() };
        // If the other end is gone, the close frame does not matter.
        let _ = timeout(CLOSE_TIMEOUT, socket.send(Message::Close(Some(frame)))).await;
    }
}

async fn greet(
    state: &WidgetState,
    widget: &WidgetPage,
    socket: &mut WebSocket,
) -> Result<(VisitorToken, Resume), Option<SocketEnd>> {
    let first = timeout(HELLO, widget.hearing.hear(socket.recv()))
        .await
        .map_err(|_| Some((code::NO_HELLO, "no hello came")))?;
    let Some(Ok(Message::Text(text))) = first else { return Err(Some((code::NOT_TEXT, "no hello came"))) };
    let Ok(WidgetFrame::Hello { token, chat, after }) = frames::read(&text) else {
        return Err(Some((code::NO_HELLO, "the first frame must be a hello")));
    };
    let visitor = widget.visitor(state, &token).await.map_err(|_| Some((code::NO_VISITOR, "begin a session")))?;
    let place = (widget.site.client, widget.site.id);
    let sockets = state.web_chat.presence.sockets_of(place, &visitor.visitor.to_string());
    if sockets >= state.web_chat.limits.settings.sockets_per_visitor {
        return Err(Some((code::TOO_MUCH, "too many sockets of one visitor")));
    }
    Ok((visitor, Resume { numbering: chat, after: after.unwrap_or_default() }))
}
