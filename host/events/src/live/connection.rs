//! One connection: where it stands, and what comes next for it.

use std::{sync::Arc, time::Duration};

use domain::{
    ids::{ClientId, UserId},
    live::Viewer,
    privacy::Sight,
};
use serde::Serialize;
use storage::live::events;
use tokio::{sync::watch, time::Instant};

use super::{
    feed::{Feed, Ready},
    hub::{Hub, Seat},
    page,
};
use base::Result;

/// Events that are handed over at once.
const AT_ONCE: usize = 256;
/// After a failure of the database, before it is asked again.
const BREATH: Duration = Duration::from_secs(1);

/// Something to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Where a client stands that has it.
    pub sequence: i64,
    /// The field `type`.
    pub kind: &'static str,
    /// One JSON object.
    pub text: Arc<str>,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Send these, in order.
    Send(Vec<Piece>),
    /// Nothing has come for a while: see whether the other end is there, and say where it stands.
    Heartbeat(Piece),
    /// Close, and say why.
    End(End),
}

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The process stops: resume elsewhere after this number.
    Stopping(i64),
    /// It takes less than comes: resume after this number.
    TooSlow(i64),
    /// The user is gone.
    NotAllowed,
}

/// Where a connection starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// After this number, with nothing missing.
    After(i64),
    /// Something is missing; it goes on after this number.
    Missed(i64),
}

/// A connection of a user.
pub struct Connection {
    seat: Seat,
    of: (ClientId, UserId),
    viewer: Viewer,
    sight: Sight,
    /// Everything up to here has been handed over.
    cursor: i64,
    /// Said before everything else.
    first: Option<Start>,
    /// It has had all there was: from now on it must keep up.
    caught_up: bool,
    head: watch::Receiver<i64>,
    heartbeat: Instant,
}

/// What is said beside events.
#[derive(Serialize)]
struct Said {
    #[serde(rename = "type")]
    kind: &'static str,
    sequence: i64,
}

impl Piece {
    /// A piece that says where a connection stands.
    pub fn said(kind: &'static str, sequence: i64) -> Self {
        let text = serde_json::to_string(&Said { kind, sequence }).unwrap_or_default();
        Self { sequence, kind, text: text.into() }
    }

    fn of(ready: &Ready, sight: Sight) -> Self {
        let text = match sight {
            Sight::Whole => Arc::clone(&ready.text),
            Sight::Masked => masked(&ready.text),
        };
        Self { sequence: ready.sequence, kind: ready.kind, text }
    }
}

/// An event as somebody reads it who need not see who the customers are (SPEC 4.7).
fn masked(text: &str) -> Arc<str> {
    // Written by us a moment ago, so it can be read; if not, nothing of it is shown.
    let mut event: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    Sight::Masked.json(&mut event);
    event.to_string().into()
}

impl Connection {
    pub(super) fn new(seat: Seat, of: (ClientId, UserId), (viewer, sight): (Viewer, Sight), start: Start) -> Self {
        let (Start::After(cursor) | Start::Missed(cursor)) = start;
        let head = seat.feed.watch();
        let heartbeat = Instant::now() + seat.hub.ctx.settings.live.heartbeat;
        Self { seat, of, viewer, sight, cursor, first: Some(start), caught_up: false, head, heartbeat }
    }

    /// How long the other end may take for a piece.
    pub fn write_timeout(&self) -> Duration {
        self.seat.hub.ctx.settings.live.write_timeout
    }

    /// How often it says where it stands.
    pub fn heartbeat(&self) -> Duration {
        self.seat.hub.ctx.settings.live.heartbeat
    }

    /// Where it stands.
    pub fn position(&self) -> i64 {
        self.cursor
    }

    /// What comes next; waits until there is something. May be dropped while it waits.
    pub async fn next(&mut self) -> Turn {
        loop {
            if let Some(start) = self.first.take() {
                return Turn::Send(vec![match start {
                    Start::After(sequence) => Piece::said("hello", sequence),
                    Start::Missed(sequence) => Piece::said("resync", sequence),
                }]);
            }
            if self.seat.hub.stop.is_cancelled() {
                return Turn::End(End::Stopping(self.cursor));
            }
            self.head.mark_unchanged();
            match self.read().await {
                Ok(Some(turn)) => return turn,
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "live events cannot be read right now");
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            }
            if self.cursor < self.feed().head() {
                continue;
            }
            self.caught_up = true;
            let stop = self.seat.hub.stop.clone();
            tokio::select! {
                // The sender lives as long as this connection has its seat.
                _ = self.head.changed() => {}
                () = stop.cancelled() => {}
                () = tokio::time::sleep_until(self.heartbeat) => return self.beat().await,
            }
        }
    }

    fn feed(&self) -> &Feed {
        &self.seat.feed
    }

    /// Reads on from where it stands; `None` when there was nothing for this viewer.
    async fn read(&mut self) -> Result<Option<Turn>> {
        let ready = match self.feed().after(self.cursor, AT_ONCE) {
            Some(ready) => ready,
            None if self.caught_up => return Ok(Some(Turn::End(End::TooSlow(self.cursor)))),
            None => match self.kept().await? {
                Some(ready) => ready,
                None => {
                    // Forgotten while it was catching up.
                    self.cursor = self.feed().head();
                    return Ok(Some(Turn::Send(vec![Piece::said("resync", self.cursor)])));
                }
            },
        };
        let Some(last) = ready.last() else { return Ok(None) };
        self.cursor = last.sequence;
        let seen = ready.iter().filter(|ready| ready.audience.admits(&self.viewer));
        let pieces: Vec<Piece> = seen.map(|ready| Piece::of(ready, self.sight)).collect();
        Ok((!pieces.is_empty()).then_some(Turn::Send(pieces)))
    }

    /// Reads what is held no more from the table; `None` when it is not there either.
    async fn kept(&self) -> Result<Option<Vec<Arc<Ready>>>> {
        let hub: &Hub = &self.seat.hub;
        let Ok(_turn) = hub.catching_up.acquire().await else { return Ok(None) };
        let mut db = hub.ctx.db.acquire().await?;
        let (client, _) = self.of;
        let limit = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
        let numbered = events::after(&mut db, client, self.cursor, limit).await?;
        if numbered.first().is_none_or(|first| first.sequence != self.cursor + 1) {
            return Ok(None);
        }
        let ready = page::load(&hub.ctx, &mut db, client, numbered).await?;
        Ok(Some(ready.into_iter().map(Arc::new).collect()))
    }

    /// Looks again what the user may see, and says where the connection stands.
    async fn beat(&mut self) -> Turn {
        let (client, user) = self.of;
        self.heartbeat = Instant::now() + self.seat.hub.ctx.settings.live.heartbeat;
        match self.seat.hub.eyes(client, user).await {
            Ok(Some((viewer, sight))) => (self.viewer, self.sight) = (viewer, sight),
            Ok(None) => return Turn::End(End::NotAllowed),
            // The database is asked again with the next one.
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a live connection could not be looked at");
            }
        }
        Turn::Heartbeat(Piece::said("position", self.cursor))
    }
}
