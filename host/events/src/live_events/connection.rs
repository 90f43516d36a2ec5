use std::{sync::Arc, time::Duration};

use domain::{live_events::Viewer, privacy::CustomerVisibility};
use futures::FutureExt;
use serde::Serialize;
use storage::live_events::events;
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::Instant,
};

use super::{
    feed::{Feed, ReadyEvent},
    hub::{ConnectionSlot, Hub, UserView},
    page,
    tickets::Holder,
};
use base::Result;

const AT_ONCE: usize = 64;
/// Their bytes. One event may have more.
const BYTES_AT_ONCE: usize = 128 * 1024;
const RETRY_DELAY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFrame {
    /// The position of a client that has received it.
    pub sequence: i64,
    pub kind: &'static str,
    pub text: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionStep {
    Send(Vec<EventFrame>),
    Heartbeat(EventFrame),
    End(ConnectionEnd),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// The process stops: resume elsewhere after this number.
    Stopping(i64),
    TooSlow(i64),
    /// The user has a new role, and may still follow events: resume after this number.
    RoleChanged(i64),
    /// The key was replaced, the user is deleted, or its role has no access to chats.
    NotAllowed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// After this number, with no missed events.
    After(i64),
    Missed(i64),
}

pub struct LiveConnection {
    seat: ConnectionSlot,
    holder: Holder,
    viewer: Viewer,
    sight: CustomerVisibility,
    /// All events up to here were passed on.
    cursor: i64,
    /// The part of the client's unread bytes that the last events take. Given back when the next ones are requested.
    in_hand: Option<OwnedSemaphorePermit>,
    /// Sent before everything else.
    first: Option<Start>,
    /// True after it has had all existing events. From then on it must keep up.
    caught_up: bool,
    head: watch::Receiver<i64>,
    heartbeat: Instant,
    /// True if its right must be checked before more events are passed on.
    look_due: bool,
    looked: Instant,
}

#[derive(Serialize)]
struct Said {
    #[serde(rename = "type")]
    kind: &'static str,
    sequence: i64,
}

impl EventFrame {
    pub fn position_frame(kind: &'static str, sequence: i64) -> Self {
        let text = serde_json::to_string(&Said { kind, sequence }).unwrap_or_default();
        Self { sequence, kind, text: text.into() }
    }

    fn of(ready: &ReadyEvent, sight: CustomerVisibility) -> Self {
        let text = match sight {
            CustomerVisibility::Whole => Arc::clone(&ready.text),
            CustomerVisibility::Masked => masked(&ready.text),
        };
        Self { sequence: ready.sequence, kind: ready.kind, text }
    }
}

fn masked(text: &str) -> Arc<str> {
    // We wrote it ourselves, so it can be read. If not, nothing of it is shown.
    let mut event: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    CustomerVisibility::Masked.json(&mut event);
    event.to_string().into()
}

/// As many as are passed on at once: at least one.
fn cut(mut ready: Vec<Arc<ReadyEvent>>) -> Vec<Arc<ReadyEvent>> {
    let mut bytes = 0;
    let within = ready.iter().take_while(|ready| {
        bytes += ready.text.len();
        bytes <= BYTES_AT_ONCE
    });
    let within = within.count().max(1);
    ready.truncate(within);
    ready
}

impl LiveConnection {
    pub(super) fn new(seat: ConnectionSlot, holder: Holder, eyes: UserView, start: Start) -> Self {
        let (Start::After(cursor) | Start::Missed(cursor)) = start;
        let head = seat.feed.watch();
        let looked = Instant::now();
        let heartbeat = looked + seat.hub.ctx.settings.limits.live_heartbeat;
        let UserView { viewer, sight, .. } = eyes;
        let (first, caught_up) = (Some(start), false);
        // No notice reaches it before it has its seat, so the first check comes after that.
        let look_due = true;
        let in_hand = None;
        Self { seat, holder, viewer, sight, cursor, in_hand, first, caught_up, head, heartbeat, look_due, looked }
    }

    pub fn frame_timeout(&self) -> Duration {
        self.seat.hub.ctx.settings.limits.live_write_timeout
    }

    pub fn heartbeat_interval(&self) -> Duration {
        self.seat.hub.ctx.settings.limits.live_heartbeat
    }

    pub fn sight(&self) -> CustomerVisibility {
        self.sight
    }

    /// An earlier frame in the form that its user may see now.
    pub fn seen(&self, piece: &EventFrame) -> EventFrame {
        match self.sight {
            CustomerVisibility::Whole => piece.clone(),
            CustomerVisibility::Masked => EventFrame { text: masked(&piece.text), ..piece.clone() },
        }
    }

    pub fn position(&self) -> i64 {
        self.cursor
    }

    /// Waits for the next action, after the previous events were read. May be dropped while it waits.
    pub async fn next(&mut self) -> ConnectionStep {
        self.in_hand = None;
        loop {
            if self.seat.hub.stop.is_cancelled() {
                return ConnectionStep::End(ConnectionEnd::Stopping(self.cursor));
            }
            let beats = self.heartbeat <= Instant::now();
            // The right is checked first, also under a constant stream of events.
            self.look_due |= beats;
            if let Some(end) = self.check().await {
                return ConnectionStep::End(end);
            }
            if let Some(start) = self.first.take() {
                return ConnectionStep::Send(vec![match start {
                    Start::After(sequence) => EventFrame::position_frame("hello", sequence),
                    Start::Missed(sequence) => EventFrame::position_frame("resync", sequence),
                }]);
            }
            if beats {
                self.heartbeat = Instant::now() + self.heartbeat_interval();
                return ConnectionStep::Heartbeat(EventFrame::position_frame("position", self.cursor));
            }
            self.head.mark_unchanged();
            match self.read().await {
                Ok(Some(turn)) => return turn,
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "live events cannot be read now");
                    tokio::time::sleep(RETRY_DELAY).await;
                    continue;
                }
            }
            if self.cursor < self.feed().head() {
                continue;
            }
            self.caught_up = true;
            let (stop, look) = (self.seat.hub.stop.clone(), Arc::clone(&self.seat.look));
            tokio::select! {
                // The sender lives while this connection has its seat.
                _ = self.head.changed() => {}
                () = stop.cancelled() => {}
                () = look.notified() => self.look_due = true,
                () = tokio::time::sleep_until(self.heartbeat) => {}
            }
        }
    }

    /// Checks the right again if it may have changed, or was not checked since the last heartbeat. Returns the reason
    /// if the connection ends. Waits only for the database. May be dropped while it waits.
    pub async fn check(&mut self) -> Option<ConnectionEnd> {
        let noticed = self.seat.look.notified().now_or_never().is_some();
        self.look_due |= noticed || self.looked.elapsed() >= self.heartbeat_interval();
        while self.look_due {
            match self.look().await {
                Ok(None) => self.look_due = false,
                Ok(Some(end)) => return Some(end),
                Err(_) if self.seat.hub.stop.is_cancelled() => return Some(ConnectionEnd::Stopping(self.cursor)),
                // No more events are passed on until it is known, because the right may have ended.
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the rights of a live connection could not be checked"
                    );
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
        None
    }

    async fn look(&mut self) -> Result<Option<ConnectionEnd>> {
        let hub = Arc::clone(&self.seat.hub);
        let Ok(_turn) = hub.looking.acquire().await else { return Ok(None) };
        let Some(UserView { viewer, sight, role }) = hub.user_view(&self.holder).await? else {
            return Ok(Some(ConnectionEnd::NotAllowed));
        };
        if role != self.holder.role {
            return Ok(Some(ConnectionEnd::RoleChanged(self.cursor)));
        }
        (self.viewer, self.sight, self.looked) = (viewer, sight, Instant::now());
        Ok(None)
    }

    fn feed(&self) -> &Feed {
        &self.seat.feed
    }

    /// Reads on from its position; `None` if there was nothing for this viewer.
    async fn read(&mut self) -> Result<Option<ConnectionStep>> {
        let held = self.feed().after(self.cursor, AT_ONCE).map(cut);
        let bytes = match &held {
            Some(ready) if ready.is_empty() => return Ok(None),
            Some(ready) => ready.iter().map(|ready| ready.text.len()).sum(),
            None if self.caught_up => return Ok(Some(ConnectionStep::End(ConnectionEnd::TooSlow(self.cursor)))),
            None => BYTES_AT_ONCE,
        };
        // Before anything is read for it.
        let room = match self.room(bytes).await {
            Ok(room) => room,
            Err(end) => return Ok(Some(ConnectionStep::End(end))),
        };
        let ready = match held {
            Some(ready) => ready,
            None => match self.read_kept().await? {
                Some(ready) => cut(ready),
                None => {
                    // The events were removed while it was catching up.
                    self.cursor = self.feed().head();
                    return Ok(Some(ConnectionStep::Send(vec![EventFrame::position_frame("resync", self.cursor)])));
                }
            },
        };
        let Some(last) = ready.last() else { return Ok(None) };
        self.cursor = last.sequence;
        self.in_hand = Some(room);
        let is_seen = |ready: &&Arc<ReadyEvent>| ready.audience.as_ref().is_some_and(|all| all.admits(&self.viewer));
        let seen = ready.iter().filter(is_seen);
        let pieces: Vec<EventFrame> = seen.map(|ready| EventFrame::of(ready, self.sight)).collect();
        Ok((!pieces.is_empty()).then_some(ConnectionStep::Send(pieces)))
    }

    /// Waits for room among the unread bytes of the client's connections, at most as long as they may take to read.
    async fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, ConnectionEnd> {
        let most = self.seat.hub.ctx.settings.limits.live_unread_bytes_per_client().max(1);
        let bytes = u32::try_from(bytes.min(most)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.seat.unread).acquire_many_owned(bytes);
        tokio::select! {
            () = self.seat.hub.stop.cancelled() => Err(ConnectionEnd::Stopping(self.cursor)),
            room = tokio::time::timeout(self.frame_timeout(), room) => match room {
                Ok(Ok(room)) => Ok(room),
                Ok(Err(_)) | Err(_) => Err(ConnectionEnd::TooSlow(self.cursor)),
            },
        }
    }

    /// Reads events from the table that are no longer in memory; `None` if they are not there either.
    async fn read_kept(&self) -> Result<Option<Vec<Arc<ReadyEvent>>>> {
        let hub: &Hub = &self.seat.hub;
        let Ok(_turn) = hub.catching_up.acquire().await else { return Ok(None) };
        let mut db = hub.ctx.db.acquire().await?;
        let client = self.holder.client;
        let limit = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
        let numbered = events::after(&mut db, client, self.cursor, limit).await?;
        if numbered.first().is_none_or(|first| first.sequence != self.cursor + 1) {
            return Ok(None);
        }
        let ready = page::load(&hub.ctx, &mut db, client, numbered).await?;
        Ok(Some(ready.into_iter().map(Arc::new).collect()))
    }
}
