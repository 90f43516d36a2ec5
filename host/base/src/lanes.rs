//! Leases of workers, and hints that wake a worker for new work. All exchanges with the database have a time limit,
//! because a database that has vanished with its machine never answers.

use std::{sync::Arc, time::Duration};

use domain::ids::ClientId;
use storage::{PgConnection, read_only_session::TrustedSince, silence::in_time, work::queues::Queue};
pub use storage::{
    silence::{SILENCE, within},
    work::lanes::{LEASE, LaneKey, LaneState},
};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Context, Error, Result};

/// First pause between attempts to store an outcome.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct Lease {
    pub client: ClientId,
    pub queue: Queue,
    pub lane: Uuid,
    /// A process with an older fence has lost the lane.
    pub fence: i64,
    /// Cancelled if the lease is lost or the process stops. The worker finishes its current step and returns.
    pub stop: CancellationToken,
    pub nudge: Arc<Notify>,
}

impl Lease {
    pub async fn claim(
        ctx: &Context,
        lane: LaneKey,
        length: Duration,
        stop: CancellationToken,
        nudge: Arc<Notify>,
    ) -> Result<Option<Self>> {
        let claiming = async {
            let mut db = ctx.db.acquire().await?;
            storage::work::lanes::claim(&mut db, lane, ctx.node, length).await
        };
        let fence = in_time(claiming).await?;
        Ok(fence.map(|fence| Self::of(lane, fence, stop, nudge)))
    }

    /// Claims a lane for one short step that removes data, outside the runner and also if the client is disabled. The
    /// lease is not renewed: the step must end within [`LEASE`].
    pub async fn claim_briefly(ctx: &Context, lane: LaneKey) -> Result<Option<Self>> {
        let claiming = async {
            let mut db = ctx.db.acquire().await?;
            storage::work::lanes::claim_although_disabled(&mut db, lane, ctx.node, LEASE).await
        };
        let fence = in_time(claiming).await?;
        Ok(fence.map(|fence| Self::of(lane, fence, CancellationToken::new(), Arc::new(Notify::new()))))
    }

    fn of(lane: LaneKey, fence: i64, stop: CancellationToken, nudge: Arc<Notify>) -> Self {
        let LaneKey { queue, client, lane } = lane;
        Self { client, queue, lane, fence, stop, nudge }
    }

    pub fn key(&self) -> LaneKey {
        LaneKey { client: self.client, queue: self.queue, lane: self.lane }
    }

    pub async fn renew(&self, ctx: &Context, length: Duration) -> Result<bool> {
        let renewing = async {
            let mut db = ctx.db.acquire().await?;
            storage::work::lanes::renew(&mut db, self.key(), self.fence, length).await
        };
        Ok(in_time(renewing).await?)
    }

    pub async fn release(&self, ctx: &Context) -> Result<()> {
        let releasing = async {
            let mut db = ctx.db.acquire().await?;
            storage::work::lanes::release(&mut db, self.key(), self.fence).await
        };
        Ok(in_time(releasing).await?)
    }

    /// Gives the lane back, unless work is due in it: then it returns `false`, and the worker must continue. The check
    /// is needed because this process gets no hint about work that another process added.
    pub async fn give_back(&self, ctx: &Context) -> Result<bool> {
        let giving_back = async {
            let mut db = ctx.db.acquire().await?;
            storage::work::lanes::give_back(&mut db, self.key(), self.fence, ctx.now()).await
        };
        Ok(in_time(giving_back).await?)
    }

    /// The first statement of each transaction of a worker. It fails if another process has the lane, and otherwise
    /// keeps the lane until the transaction ends.
    pub async fn hold(&self, db: &mut PgConnection) -> Result<()> {
        if storage::work::lanes::hold(db, self.key(), self.fence).await? { Ok(()) } else { Err(Error::LeaseLost) }
    }

    /// Like [`Self::hold`], for a lane that is an inbox. The same statement finds out whether a plugin answers for
    /// `world` on it.
    pub async fn hold_and_see(&self, db: &mut PgConnection, world: &str) -> Result<bool> {
        let held = storage::work::lanes::hold_and_see(db, self.key(), self.fence, world).await?;
        held.ok_or(Error::LeaseLost)
    }

    pub async fn pause(&self, length: Duration) {
        self.stop.run_until_cancelled(tokio::time::sleep(length)).await;
    }

    pub fn is_over(&self) -> bool {
        self.stop.is_cancelled()
    }
}

/// Stores the outcome of an external action, such as a provider call. The action cannot be undone, and without the
/// record it would be repeated. If the database is down, `writing` is called again until it succeeds or fails for
/// another reason.
pub async fn write_down<T, F: Future<Output = Result<T>>>(ctx: &Context, writing: impl Fn() -> F) -> Result<T> {
    let mut pause = SHORTEST_PAUSE;
    loop {
        match writing().await {
            Err(Error::Storage(error)) if error.is_outage() => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the outcomes of finished work cannot be stored; they are kept and tried again"
                );
                tokio::time::sleep(pause).await;
                ctx.db.until_answering().await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            done => return done,
        }
    }
}

/// Sends hints that lanes have work. If a hint is lost, the work waits for the next poll.
#[derive(Debug, Clone)]
pub struct Wakeups {
    sender: Arc<mpsc::Sender<LaneKey>>,
}

impl Wakeups {
    pub fn channel() -> (Self, mpsc::Receiver<LaneKey>) {
        let (sender, receiver) = mpsc::channel(4096);
        (Self { sender: Arc::new(sender) }, receiver)
    }

    /// Call it after the commit. It never waits: if the runner is busy or absent, its poll finds the work.
    pub fn wake(&self, queue: Queue, client: ClientId, lane: Uuid) {
        // A full or closed channel does no harm, because the poll finds the work.
        let _ = self.sender.try_send(LaneKey { queue, client, lane });
    }

    pub fn wake_all(&self, client: ClientId, lanes: impl IntoIterator<Item = (Queue, Uuid)>) {
        for (queue, lane) in lanes {
            self.wake(queue, client, lane);
        }
    }
}

/// Searches for lanes with due work, over a connection outside the pool. There are two statements per queue. Each
/// connection of the pool would have to plan them, and again after each change of table statistics.
#[derive(Default)]
pub struct LaneSearch {
    connection: Option<PgConnection>,
}

impl LaneSearch {
    /// Free lanes with due work, at most `limit`, fair between clients. After an error, the next search opens a new
    /// connection.
    pub async fn due(&mut self, ctx: &Context, queue: Queue, limit: i64) -> Result<Vec<LaneKey>> {
        let connection = self.connection.take();
        let searching = async {
            let mut connection = match connection {
                Some(connection) => connection,
                None => ctx.db.acquire().await?.detach(),
            };
            let lanes = storage::work::lanes::due(&mut connection, queue, ctx.now(), limit).await?;
            Ok::<_, storage::Error>((connection, lanes))
        };
        let (connection, lanes) = in_time(searching).await?;
        self.connection = Some(connection);
        Ok(lanes.into_iter().map(|(client, lane)| LaneKey { queue, client, lane }).collect())
    }
}

/// The presence of this process: a connection whose end the other processes notice at once. Without it, the lanes of a
/// dead process become free only when their leases end.
pub struct NodePresence {
    connection: PgConnection,
    trusted: TrustedSince,
}

impl NodePresence {
    /// Announces this process on a connection outside the pool.
    pub async fn announce(ctx: &Context) -> Result<Self> {
        let announcing = async {
            let mut connection = ctx.db.acquire().await?.detach();
            storage::work::nodes::announce(&mut connection, ctx.node).await?;
            Ok::<_, storage::Error>(connection)
        };
        Ok(Self { connection: in_time(announcing).await?, trusted: TrustedSince::from_now() })
    }

    /// False if the connection is lost or its server has become read-only. Announce the process again.
    pub async fn holds(&mut self) -> bool {
        let looking = storage::work::nodes::is_present(&mut self.connection, &mut self.trusted);
        within(SILENCE, looking).await == Some(true)
    }

    pub async fn retire(mut self, ctx: &Context) -> Result<()> {
        Ok(in_time(storage::work::nodes::retire(&mut self.connection, ctx.node)).await?)
    }
}

/// The error of work that waits for a lost database.
pub fn silent() -> Error {
    storage::silence::silent().into()
}

/// Frees the lanes of other processes that died without releasing them. Returns the number of these processes.
pub async fn release_dead_nodes(ctx: &Context) -> Result<usize> {
    let burying = async {
        let mut tx = ctx.db.begin().await?;
        let dead = storage::work::nodes::delete_dead(&mut tx, ctx.node).await?;
        tx.commit().await?;
        Ok::<_, storage::Error>(dead.len())
    };
    Ok(in_time(burying).await?)
}
