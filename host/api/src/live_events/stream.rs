//! Live events as server-sent events. The other end sets the pace: the next event is asked for when there is room for it.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, Sse},
};
use events::live::{Connection, End, Piece, Turn};
use futures::{Stream, stream};

use crate::state::InUse;

/// When a browser comes back after the connection was lost.
const COME_BACK: Duration = Duration::from_secs(1);

struct Streaming {
    connection: Connection,
    waiting: VecDeque<Piece>,
    over: bool,
    /// Given back with the connection.
    _in_use: Option<InUse>,
}

/// The answer, which ends when the connection does.
pub(super) fn serve(connection: Connection, in_use: Option<InUse>) -> Response {
    let streaming = Streaming { connection, waiting: VecDeque::new(), over: false, _in_use: in_use };
    // Proxies that collect answers before they pass them on are told not to.
    ([("x-accel-buffering", "no")], Sse::new(events(streaming))).into_response()
}

fn events(streaming: Streaming) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(streaming, |mut streaming| async move {
        loop {
            if let Some(piece) = streaming.waiting.pop_front() {
                return Some((Ok(event(&piece)), streaming));
            }
            if streaming.over {
                return None;
            }
            match streaming.connection.next().await {
                Turn::Send(pieces) => streaming.waiting.extend(pieces),
                Turn::Heartbeat(piece) => streaming.waiting.push_back(piece),
                Turn::End(end) => {
                    streaming.over = true;
                    match end {
                        End::Stopping(sequence) | End::TooSlow(sequence) => {
                            streaming.waiting.push_back(Piece::said("resume", sequence));
                        }
                        End::NotAllowed => {}
                    }
                }
            }
        }
    })
}

fn event(piece: &Piece) -> Event {
    Event::default().id(piece.sequence.to_string()).event(piece.kind).retry(COME_BACK).data(&*piece.text)
}
