//! Live events as server-sent events. The other end sets the pace: the next event is read when there is room for it.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use api_core::{admission::answer::OpenEnded, state::InUse};
use axum::{
    Extension,
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use events::live::{Connection, End, Piece, Turn};
use futures::{Stream, stream};

/// Time after which a browser reconnects.
const COME_BACK: Duration = Duration::from_secs(1);

struct Streaming {
    connection: Connection,
    /// Pieces that were read and not sent yet.
    waiting: VecDeque<Piece>,
    over: bool,
    /// Released with the connection.
    _in_use: Option<InUse>,
}

/// Returns the answer, which ends with the connection.
pub(super) fn serve(connection: Connection, in_use: Option<InUse>) -> Response {
    let streaming = Streaming { connection, waiting: VecDeque::new(), over: false, _in_use: in_use };
    // Tells proxies not to buffer the answer.
    ([("x-accel-buffering", "no")], Extension(OpenEnded), Sse::new(events(streaming))).into_response()
}

fn events(streaming: Streaming) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(streaming, |mut streaming| async move {
        let piece = streaming.next().await?;
        Some((Ok(event(&piece)), streaming))
    })
}

impl Streaming {
    async fn next(&mut self) -> Option<Piece> {
        loop {
            if !self.over && !self.waiting.is_empty() {
                self.check_waiting().await;
            }
            if let Some(piece) = self.waiting.pop_front() {
                return Some(piece);
            }
            if self.over {
                return None;
            }
            match self.connection.next().await {
                Turn::Send(pieces) => self.waiting.extend(pieces),
                Turn::Heartbeat(piece) => self.waiting.push_back(piece),
                Turn::End(end) => self.end(end),
            }
        }
    }

    /// The other end may be slow, so the rights may have ended since the pieces were read.
    async fn check_waiting(&mut self) {
        let before = self.connection.sight();
        if let Some(end) = self.connection.check().await {
            let had = self.waiting.front().map(|piece| piece.sequence - 1);
            self.waiting.clear();
            self.end(match (end, had) {
                (End::Stopping(_), Some(had)) => End::Stopping(had),
                (End::RoleChanged(_), Some(had)) => End::RoleChanged(had),
                (end, _) => end,
            });
        }
        if before != self.connection.sight() {
            let seen = |piece: &mut Piece| *piece = self.connection.seen(piece);
            self.waiting.iter_mut().for_each(seen);
        }
    }

    fn end(&mut self, end: End) {
        self.over = true;
        match end {
            End::Stopping(sequence) | End::TooSlow(sequence) | End::RoleChanged(sequence) => {
                self.waiting.push_back(Piece::said("resume", sequence));
            }
            End::NotAllowed => {}
        }
    }
}

fn event(piece: &Piece) -> Event {
    Event::default().id(piece.sequence.to_string()).event(piece.kind).retry(COME_BACK).data(&*piece.text)
}
