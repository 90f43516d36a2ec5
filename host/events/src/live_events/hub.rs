use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use base::{
    Context, Error, Result,
    rights::{AffectedOwner, RightChanges},
};
use domain::{
    ids::{ClientId, UserId},
    live_events::Viewer,
    privacy::CustomerVisibility,
};
use parking_lot::{Mutex, MutexGuard};
use storage::{
    live_events::{
        streams,
        viewers::{self, StreamReader},
    },
    tenancy::{session_keys, users::Role},
};
use tokio::sync::{Notify, Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{feed::Feed, tickets::Holder};

/// Connections that read from the table at the same time: each uses a database connection.
pub(super) const CATCHING_UP: usize = 4;
/// Connections that are opened at the same time, each with one database connection: most of the pool stays free.
pub(super) const OPENING: usize = 4;
/// Checks of rights at the same time: one notice may concern all connections of a client.
pub(super) const LOOKING: usize = 4;
/// Time between two checks whether the transactions that a stream waits for have ended.
const SETTLE_POLL: Duration = Duration::from_millis(20);
/// No transaction with events takes longer (`storage::connect` bounds them); a longer one has none.
const SETTLE_AT_MOST: Duration = Duration::from_secs(60);

/// Pages of events from a time without connections that are numbered before a new connection is greeted.
pub(super) const PAGES_BEFORE_HELLO: u32 = 64;

const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

pub struct Hub {
    pub(super) ctx: Arc<Context>,
    pub(super) rooms: Mutex<HashMap<ClientId, ClientRoom>>,
    pub(super) entered: AtomicU64,
    pub(super) stop: CancellationToken,
    pub(super) catching_up: Semaphore,
    pub(super) opening: Semaphore,
    pub(super) wanting: Mutex<HashMap<ClientId, Weak<tokio::sync::Mutex<()>>>>,
    pub(super) looking: Semaphore,
    pub(super) kept: TaskTracker,
}

pub(super) struct ClientRoom {
    feed: Arc<Feed>,
    unread: Arc<Semaphore>,
    places: HashMap<u64, NoticePlace>,
}

pub(super) struct NoticePlace {
    user: UserId,
    look: Arc<Notify>,
}

pub(super) struct UserView {
    pub(super) viewer: Viewer,
    pub(super) sight: CustomerVisibility,
    pub(super) role: Role,
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectionRefused {
    #[error("your client has {0} live connections to this server: close one first")]
    TooMany(usize),
    #[error("the user was deleted, or its key was replaced")]
    NotAllowed,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(ConnectionRefused: storage::Error);

impl Hub {
    /// Runs a task that [`finish`](Self::finish) waits for.
    pub fn keep<F: Future<Output = ()>>(&self, what: F) -> impl Future<Output = ()> + use<F> {
        self.kept.track_future(what)
    }

    /// Waits, after `stop`, for a short time until all readers have the message to resume elsewhere.
    pub async fn finish(&self) {
        self.kept.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.kept.wait()).await.is_err() {
            tracing::warn!(
                connections = self.kept.len(),
                "live connections were closed, because they did not end in time"
            );
        }
    }

    pub(super) async fn user_view(&self, holder: &Holder) -> Result<Option<UserView>> {
        let (client, user, now) = (holder.client, holder.user, self.ctx.now());
        let mut db = self.ctx.db.acquire().await?;
        let found = viewers::find(&mut db, client, user, &holder.key_hash, now).await?;
        let Some(StreamReader { role, team, sight, session_used_at }) = found else { return Ok(None) };
        // An open connection is a use of the session.
        let times = self.ctx.settings.limits.session_times();
        if session_used_at.is_some_and(|used| used < times.recorded_before(now)) {
            let hashes = [holder.key_hash.clone()];
            session_keys::record_use(&mut db, &hashes, now, times.expiry(now), times.recorded_before(now)).await?;
        }
        drop(db);
        let viewer = match role {
            Role::Agent => Viewer::Agent { user, team },
            Role::Admin | Role::Supervisor | Role::Api => Viewer::Everything,
            Role::Developer => return Ok(None),
        };
        Ok(Some(UserView { viewer, sight, role }))
    }

    fn look_again(&self, affected: AffectedOwner) {
        let rooms = self.rooms();
        let of = |client: ClientId, only: Option<UserId>| {
            let places = rooms.get(&client).into_iter().flat_map(|room| room.places.values());
            places.filter(|place| only.is_none_or(|user| place.user == user)).for_each(|place| place.look.notify_one());
        };
        match affected {
            AffectedOwner::User(client, user) => of(client, Some(user)),
            AffectedOwner::Client(client) => of(client, None),
            AffectedOwner::All => rooms.keys().for_each(|client| of(*client, None)),
            AffectedOwner::Site(..) => {}
        }
    }

    /// After this returns, all committed events of this client are stored. One task of the process asks; the others wait.
    pub(super) async fn want(&self, client: ClientId) -> Result<()> {
        let turn = self.wanting_turn(client);
        let _turn = turn.lock().await;
        if self.extend_demand(client).await? {
            return Ok(());
        }
        let horizon = streams::horizon(&mut *self.ctx.db.acquire().await?).await?;
        let settled = async {
            while !streams::is_past(&mut *self.ctx.db.acquire().await?, &horizon).await? {
                tokio::time::sleep(SETTLE_POLL).await;
            }
            Ok::<_, Error>(())
        };
        match tokio::time::timeout(SETTLE_AT_MOST, settled).await {
            Ok(settled) => settled?,
            Err(_) => {
                tracing::warn!(client.id = %client, "a transaction has been open too long; live events begin without it")
            }
        }
        Ok(streams::settle(&mut *self.ctx.db.acquire().await?, client).await?)
    }

    /// The lock of tasks that request a client's events; removed with the last of them.
    fn wanting_turn(&self, client: ClientId) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.wanting.lock();
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(&client).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        turns.insert(client, Arc::downgrade(&turn));
        turn
    }

    /// Records that events are wanted, if the present record ends too early. True if all transactions know it.
    ///
    /// The first database connection is given back before the second is taken: tasks that hold one and wait for another
    /// block the pool.
    pub(super) async fn extend_demand(&self, client: ClientId) -> Result<bool> {
        let length = self.ctx.settings.limits.live_resume;
        if streams::has_demand(&mut *self.ctx.db.acquire().await?, client, length / 2).await? {
            return Ok(true);
        }
        let mut tx = self.ctx.db.begin().await?;
        let settled = streams::want(&mut tx, client, length).await?;
        tx.commit().await?;
        Ok(settled)
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<ClientId, ClientRoom>> {
        self.rooms.lock()
    }

    pub(super) fn feeds(&self) -> Vec<Arc<Feed>> {
        self.rooms().values().map(|room| Arc::clone(&room.feed)).collect()
    }

    pub(super) fn enter(self: &Arc<Self>, holder: &Holder, last: i64) -> Result<ConnectionSlot, ConnectionRefused> {
        let limits = &self.ctx.settings.limits;
        let client = holder.client;
        let mut rooms = self.rooms();
        let room = rooms.entry(client).or_insert_with(|| ClientRoom {
            feed: Arc::new(Feed::new(client, last, limits.live_events_held)),
            unread: Arc::new(Semaphore::new(limits.live_unread_bytes_per_client().min(Semaphore::MAX_PERMITS))),
            places: HashMap::new(),
        });
        if room.places.len() >= limits.live_connections_per_client {
            return Err(ConnectionRefused::TooMany(room.places.len()));
        }
        let number = self.entered.fetch_add(1, Ordering::Relaxed);
        let look = Arc::new(Notify::new());
        room.places.insert(number, NoticePlace { user: holder.user, look: Arc::clone(&look) });
        metrics::gauge!("patchbay_live_connections").increment(1.0);
        let unread = Arc::clone(&room.unread);
        Ok(ConnectionSlot { hub: Arc::clone(self), feed: Arc::clone(&room.feed), unread, look, number })
    }
}

pub(super) async fn follow_rights(hub: Arc<Hub>, mut changes: RightChanges) {
    loop {
        let affected = tokio::select! {
            () = hub.stop.cancelled() => return,
            affected = changes.next() => affected,
        };
        hub.look_again(affected);
    }
}

pub(super) struct ConnectionSlot {
    pub(super) hub: Arc<Hub>,
    pub(super) feed: Arc<Feed>,
    pub(super) unread: Arc<Semaphore>,
    pub(super) look: Arc<Notify>,
    number: u64,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut rooms = self.hub.rooms();
        if let Some(room) = rooms.get_mut(&self.feed.client) {
            room.places.remove(&self.number);
            if room.places.is_empty() {
                rooms.remove(&self.feed.client);
            }
        }
        metrics::gauge!("patchbay_live_connections").decrement(1.0);
    }
}
