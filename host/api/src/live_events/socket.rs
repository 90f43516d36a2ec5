//! Live events over a WebSocket. What was written may lie unread in buffers of the kernel and of proxies, so a probe (a ping with a
//! mark) follows what is much, and nothing more is sent until its mark comes back.

use std::{pin::pin, sync::Arc};

use axum::{
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code},
    response::Response,
};
use events::live::{Connection, End, Hub, Piece, Turn};
use futures::SinkExt;
use tokio::time::{Instant, timeout};

use crate::state::InUse;

/// Bytes of a message from the other end, which has nothing to say.
const LARGEST_HEARD: usize = 4096;
/// Bytes that are read at once, for each connection.
const READ_BUFFER: usize = 4096;
/// Bytes that are put together before they are written, and that may wait to be.
const WRITE_BUFFER: usize = 16 * 1024;
const MOST_WAITING: usize = 4 * 1024 * 1024;
/// Bytes that may be sent before it is asked whether they were read.
const UNASKED: usize = 16 * 1024;
/// Messages of the other end between two heartbeats. Each may be a probe, whose answer waits to be written.
const MOST_HEARD: u32 = 600;
/// Heartbeats after which nothing was heard of the other end, not even an answer to a ping: it is gone.
const SILENT_HEARTBEATS: u32 = 3;
/// The code of a close that asks to come back: something is there that has not been sent.
pub(super) const RESUME: u16 = 4008;
/// The code of a close because the right has ended.
const GONE: u16 = 4001;

/// Answers an upgrade; the connection lives beside the listener from then on.
pub(super) fn serve(
    upgrade: WebSocketUpgrade,
    hub: &Arc<Hub>,
    connection: Connection,
    in_use: Option<InUse>,
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
                talk(socket, connection).await;
                drop(in_use);
            })
        })
}

/// The other end does not take what it is sent.
struct Stuck;

/// What was heard of the other end, and what it has been asked.
struct Heard {
    last: Instant,
    /// Messages since the last heartbeat.
    messages: u32,
    /// Bytes that no probe has followed yet.
    unasked: usize,
    /// Probes so far.
    probes: u64,
}

async fn talk(mut socket: WebSocket, mut connection: Connection) {
    let patience = connection.write_timeout();
    let mut heard = Heard { last: Instant::now(), messages: 0, unasked: 0, probes: 0 };
    loop {
        let Some(turn) = next(&mut socket, &mut connection, &mut heard).await else { return };
        let sent = match turn {
            Turn::Send(pieces) => timeout(patience, hand_over(&mut socket, pieces, &mut heard)).await,
            Turn::Heartbeat(_) if heard.last.elapsed() > connection.heartbeat() * SILENT_HEARTBEATS => return,
            Turn::Heartbeat(piece) => {
                heard.messages = 0;
                timeout(patience, beat(&mut socket, piece)).await
            }
            Turn::End(end) => {
                // Whether it is heard or not: the connection is over.
                let _ = timeout(patience, close(&mut socket, end)).await;
                return;
            }
        };
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

/// What comes next for it; `None` when the other end has closed. What the other end says interrupts nothing: however much that is, the
/// right of the connection is looked at in time.
async fn next(socket: &mut WebSocket, connection: &mut Connection, heard: &mut Heard) -> Option<Turn> {
    let mut coming = pin!(connection.next());
    loop {
        tokio::select! {
            turn = &mut coming => return Some(turn),
            // What is said here is of no interest, but the other end is there.
            said = socket.recv() => {
                heard.note(said).ok()?;
            }
        }
    }
}

impl Heard {
    /// Notes that the other end said something; fails when it has closed, or says too much.
    fn note(&mut self, said: Option<Result<Message, axum::Error>>) -> Result<Message, Stuck> {
        let message = match said {
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Stuck),
            Some(Ok(message)) => message,
        };
        (self.last, self.messages) = (Instant::now(), self.messages + 1);
        if self.messages > MOST_HEARD { Err(Stuck) } else { Ok(message) }
    }
}

/// Sends pieces, and waits until they have been read when they are much.
async fn hand_over(socket: &mut WebSocket, pieces: Vec<Piece>, heard: &mut Heard) -> Result<(), Stuck> {
    heard.unasked += pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
    send(socket, pieces).await?;
    if heard.unasked < UNASKED {
        return Ok(());
    }
    (heard.unasked, heard.probes) = (0, heard.probes + 1);
    let mark = heard.probes.to_be_bytes();
    socket.send(Message::Ping(mark.to_vec().into())).await.map_err(|_| Stuck)?;
    loop {
        let said = socket.recv().await;
        match heard.note(said)? {
            Message::Pong(back) if *back == mark => return Ok(()),
            Message::Pong(_) | Message::Ping(_) | Message::Text(_) | Message::Binary(_) | Message::Close(_) => {}
        }
    }
}

fn text(piece: &Piece) -> Message {
    Message::Text(Utf8Bytes::from(&*piece.text))
}

async fn send(socket: &mut WebSocket, pieces: Vec<Piece>) -> Result<(), Stuck> {
    for piece in &pieces {
        socket.feed(text(piece)).await.map_err(|_| Stuck)?;
    }
    socket.flush().await.map_err(|_| Stuck)
}

async fn beat(socket: &mut WebSocket, piece: Piece) -> Result<(), Stuck> {
    socket.feed(Message::Ping(axum::body::Bytes::new())).await.map_err(|_| Stuck)?;
    send(socket, vec![piece]).await
}

async fn close(socket: &mut WebSocket, end: End) -> Result<(), Stuck> {
    let (code, reason) = match end {
        End::Stopping(sequence) => (close_code::AWAY, format!("resume after {sequence}")),
        End::TooSlow(sequence) | End::RoleChanged(sequence) => {
            send(socket, vec![Piece::said("resume", sequence)]).await?;
            (RESUME, format!("resume after {sequence}"))
        }
        End::NotAllowed => (GONE, "the key was replaced, or the user is gone".to_owned()),
    };
    let frame = CloseFrame { code, reason: reason.into() };
    socket.send(Message::Close(Some(frame))).await.map_err(|_| Stuck)
}
