//! Live events as server-sent events. The other end sets the pace: the next event is read when there is room for it.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use api_core::{admission::answer::EndlessAnswer, state::UseGuard};
use axum::{
    Extension,
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use events::live_events::{ConnectionEnd, ConnectionStep, EventFrame, LiveConnection};
use futures::{Stream, stream};

const RECONNECT_DELAY: Duration = Duration::from_secs(1);

struct Streaming {
    connection: LiveConnection,
    waiting: VecDeque<EventFrame>,
    over: bool,
    _in_use: Option<UseGuard>,
}

pub(super) fn serve(connection: LiveConnection, in_use: Option<UseGuard>) -> Response {
    let streaming = Streaming { connection, waiting: VecDeque::new(), over: false, _in_use: in_use };
    // Tells proxies not to buffer the answer.
    ([("x-accel-buffering", "no")], Extension(EndlessAnswer), Sse::new(events(streaming))).into_response()
}

fn events(streaming: Streaming) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(streaming, |mut streaming| async move {
        let piece = streaming.next().await?;
        Some((Ok(event(&piece)), streaming))
    })
}

impl Streaming {
    async fn next(&mut self) -> Option<EventFrame> {
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
                ConnectionStep::Send(pieces) => self.waiting.extend(pieces),
                ConnectionStep::Heartbeat(piece) => self.waiting.push_back(piece),
                ConnectionStep::End(end) => self.end(end),
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
                (ConnectionEnd::Stopping(_), Some(had)) => ConnectionEnd::Stopping(had),
                (ConnectionEnd::RoleChanged(_), Some(had)) => ConnectionEnd::RoleChanged(had),
                (end, _) => end,
            });
        }
        if before != self.connection.sight() {
            let seen = |piece: &mut EventFrame| *piece = self.connection.seen(piece);
            self.waiting.iter_mut().for_each(seen);
        }
    }

    fn end(&mut self, end: ConnectionEnd) {
        self.over = true;
        match end {
            ConnectionEnd::Stopping(sequence)
            | ConnectionEnd::TooSlow(sequence)
            | ConnectionEnd::RoleChanged(sequence) => {
                self.waiting.push_back(EventFrame::position_frame("resume", sequence));
            }
            ConnectionEnd::NotAllowed => {}
        }
    }
}

fn event(piece: &EventFrame) -> Event {
    Event::default().id(piece.sequence.to_string()).event(piece.kind).retry(RECONNECT_DELAY).data(&*piece.text)
}
