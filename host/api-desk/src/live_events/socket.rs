//! Live events over a WebSocket. Written bytes may be unread in buffers of the kernel and of proxies. So a probe (a
//! ping with a mark) follows many bytes, and nothing more is sent until its mark comes back.

use std::{pin::pin, sync::Arc};

use api_core::{admission::Hearing, state::UseGuard};
use axum::{
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code},
    response::Response,
};
use events::live_events::{ConnectionEnd, ConnectionStep, EventFrame, Hub, LiveConnection};
use futures::SinkExt;
use tokio::time::{Instant, timeout};

/// Most bytes of a message of the other end, which has nothing to send.
const LARGEST_HEARD: usize = 4096;
const READ_BUFFER: usize = 4096;
/// Write buffer in bytes, and the most that may wait to be written.
const WRITE_BUFFER: usize = 16 * 1024;
const MOST_WAITING: usize = 4 * 1024 * 1024;
const UNPROBED_BYTES: usize = 16 * 1024;
/// Most messages of the other end between two heartbeats. Each may be a ping, which needs an answer.
const MOST_HEARD: u32 = 600;
/// If nothing was received for this many heartbeats, not even a pong, the other end is gone.
const SILENT_HEARTBEATS: u32 = 3;
/// Close code for a connection with unsent events. Connect again.
pub(super) const RESUME: u16 = 4008;
/// Close code for a caller that has lost its rights.
const RIGHTS_LOST: u16 = 4001;

/// Answers an upgrade. From then on the connection is independent of the listener.
pub(super) fn serve(
    upgrade: WebSocketUpgrade,
    hub: &Arc<Hub>,
    connection: LiveConnection,
    hearing: Hearing,
    in_use: Option<UseGuard>,
) -> Response {
    let hub = Arc::clone(hub);
    upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(MOST_WAITING)
        .max_message_size(LARGEST_HEARD)
        .max_frame_size(LARGEST_HEARD)
        .on_upgrade(move |socket| {
            hub.keep(async move {
                serve_socket(socket, connection, hearing).await;
                drop(in_use);
            })
        })
}

struct Stuck;

struct Heard {
    hearing: Hearing,
    last: Instant,
    messages: u32,
    unasked: usize,
    probes: u64,
}

async fn serve_socket(mut socket: WebSocket, mut connection: LiveConnection, hearing: Hearing) {
    let patience = connection.frame_timeout();
    let mut heard = Heard { hearing, last: Instant::now(), messages: 0, unasked: 0, probes: 0 };
    loop {
        let Some(turn) = next(&mut socket, &mut connection, &mut heard).await else { return };
        let sent = match turn {
            ConnectionStep::Send(pieces) => timeout(patience, hand_over(&mut socket, pieces, &mut heard)).await,
            ConnectionStep::Heartbeat(_)
                if heard.last.elapsed() > connection.heartbeat_interval() * SILENT_HEARTBEATS =>
            {
                return;
            }
            ConnectionStep::Heartbeat(piece) => {
                heard.messages = 0;
                timeout(patience, send_heartbeat(&mut socket, piece)).await
            }
            ConnectionStep::End(end) => {
                // The connection ends in any case.
                let _ = timeout(patience, close(&mut socket, end)).await;
                return;
            }
        };
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

/// Returns the next pieces, or `None` if the other end has closed. Its messages do not delay the check of its rights.
async fn next(socket: &mut WebSocket, connection: &mut LiveConnection, heard: &mut Heard) -> Option<ConnectionStep> {
    let mut coming = pin!(connection.next());
    loop {
        tokio::select! {
            turn = &mut coming => return Some(turn),
            // The content is ignored, but it shows that the other end is alive.
            said = heard.hearing.hear(socket.recv()) => {
                heard.note(said).ok()?;
            }
        }
    }
}

impl Heard {
    fn note(&mut self, said: Option<Result<Message, axum::Error>>) -> Result<Message, Stuck> {
        let message = match said {
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Stuck),
            Some(Ok(message)) => message,
        };
        (self.last, self.messages) = (Instant::now(), self.messages + 1);
        if self.messages > MOST_HEARD { Err(Stuck) } else { Ok(message) }
    }
}

async fn hand_over(socket: &mut WebSocket, pieces: Vec<EventFrame>, heard: &mut Heard) -> Result<(), Stuck> {
    heard.unasked += pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
    send(socket, pieces).await?;
    if heard.unasked < UNPROBED_BYTES {
        return Ok(());
    }
    (heard.unasked, heard.probes) = (0, heard.probes + 1);
    let mark = heard.probes.to_be_bytes();
    socket.send(Message::Ping(mark.to_vec().into())).await.map_err(|_| Stuck)?;
    loop {
        let said = heard.hearing.hear(socket.recv()).await;
        match heard.note(said)? {
            Message::Pong(back) if *back == mark => return Ok(()),
            Message::Pong(_) | Message::Ping(_) | Message::Text(_) | Message::Binary(_) | Message::Close(_) => {}
        }
    }
}

fn text(piece: &EventFrame) -> Message {
    Message::Text(Utf8Bytes::from(&*piece.text))
}

async fn send(socket: &mut WebSocket, pieces: Vec<EventFrame>) -> Result<(), Stuck> {
    for piece in &pieces {
        socket.feed(text(piece)).await.map_err(|_| Stuck)?;
    }
    socket.flush().await.map_err(|_| Stuck)
}

async fn send_heartbeat(socket: &mut WebSocket, piece: EventFrame) -> Result<(), Stuck> {
    socket.feed(Message::Ping(axum::body::Bytes::new())).await.map_err(|_| Stuck)?;
    send(socket, vec![piece]).await
}

async fn close(socket: &mut WebSocket, end: ConnectionEnd) -> Result<(), Stuck> {
    let (code, reason) = match end {
        ConnectionEnd::Stopping(sequence) => (close_code::AWAY, format!("resume after {sequence}")),
        ConnectionEnd::TooSlow(sequence) | ConnectionEnd::RoleChanged(sequence) => {
            send(socket, vec![EventFrame::position_frame("resume", sequence)]).await?;
            (RESUME, format!("resume after {sequence}"))
        }
        ConnectionEnd::NotAllowed => (RIGHTS_LOST, "the key was replaced, or the user was deleted".to_owned()),
    };
    let frame = CloseFrame { code, reason: reason.into() };
    socket.send(Message::Close(Some(frame))).await.map_err(|_| Stuck)
}
