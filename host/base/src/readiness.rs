//! Whether this process can do its work, and whether a failure is worth trying again.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures::FutureExt;
use storage::{PgConnection, work::trial};
use tokio::{sync::watch, time::timeout};

use crate::{Context, Error};

/// Longest time that a look at the database may take. On an open session it is four round trips.
const LOOK_WITHIN: Duration = Duration::from_secs(5);
/// Time for which the result of a probe is used again. Probes need no key, and each one asks and writes.
const BELIEVED: Duration = Duration::from_secs(1);
/// Time that a caller waits for a probe before it gets the previous result. Probes have deadlines, often of a second.
const TOLD_WITHIN: Duration = Duration::from_millis(700);

/// The report of `/readyz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// The database answers.
    pub database: bool,
    /// Every migration of this program is applied.
    pub migrations: bool,
    /// Sends can be stored.
    pub writable: bool,
    /// Components are loaded.
    pub plugins: bool,
}

impl Checks {
    /// True when everything is.
    pub fn all(self) -> bool {
        self.database && self.migrations && self.writable && self.plugins
    }
}

/// Looks at the database and the plugins.
pub async fn check(ctx: &Context) -> Checks {
    let Database { answers, is_current, writable } = ctx.writes.known(ctx).await;
    Checks { database: answers, migrations: is_current, writable, plugins: ctx.plugins.ready() }
}

/// Tells if sends can be stored. A database with a full disk still answers and still takes small changes. So after a
/// send could not be stored, only a stored one shows that storing works again.
#[derive(Debug, Default)]
pub struct Writes {
    doubted: AtomicBool,
    looking: AtomicBool,
    seen: watch::Sender<Option<Seen>>,
    /// Kept for looks alone: a busy pool does not make a process unready, and a new session takes several round trips.
    session: Mutex<Option<PgConnection>>,
}

/// The result of a probe.
#[derive(Debug, Clone, Copy)]
struct Seen {
    at: Instant,
    doubted: bool,
    database: Database,
}

/// The database, as it was seen.
#[derive(Debug, Clone, Copy, Default)]
struct Database {
    answers: bool,
    is_current: bool,
    writable: bool,
}

impl Writes {
    /// Notes why a send was not stored.
    pub fn note_failure(&self, error: &Error) {
        if matches!(error, Error::Storage(storage::Error::Database(storage::SqlxError::Database(_)))) {
            self.doubted.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the last known state of the database. If a probe takes long, because the database is far away, it
    /// continues, and the caller gets the previous result. A silent database is reported at once.
    async fn known(self: &Arc<Self>, ctx: &Context) -> Database {
        if ctx.db.is_silent() {
            return Database::default();
        }
        let mut seen = self.seen.subscribe();
        let last = *seen.borrow();
        if let Some(last) = last
            && self.is_fresh(&last)
        {
            return last.database;
        }
        self.look(ctx);
        let known = last.filter(|last| last.doubted == self.doubted.load(Ordering::Relaxed));
        let patience = if known.is_some() { TOLD_WITHIN } else { 2 * LOOK_WITHIN };
        let looked = async {
            while seen.changed().await.is_ok() {
                match *seen.borrow_and_update() {
                    Some(now) if self.is_fresh(&now) => return now.database,
                    // It was begun before a send failed.
                    _ => self.look(ctx),
                }
            }
            Database::default()
        };
        tokio::select! {
            biased;
            () = ctx.db.until_silent() => Database::default(),
            looked = timeout(patience, looked) => looked.unwrap_or_else(|_| known.map(|known| known.database).unwrap_or_default()),
        }
    }

    fn is_fresh(&self, seen: &Seen) -> bool {
        seen.doubted == self.doubted.load(Ordering::Relaxed) && seen.at.elapsed() < BELIEVED
    }

    /// Begins a look, unless there is one.
    fn look(self: &Arc<Self>, ctx: &Context) {
        if self.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let (writes, ctx) = (Arc::clone(self), ctx.clone());
        tokio::spawn(async move {
            let doubted = writes.doubted.load(Ordering::Relaxed);
            // A slow database answers, but does not work as it should.
            let slow = Database { answers: !ctx.db.is_silent(), ..Database::default() };
            let looked = AssertUnwindSafe(timeout(LOOK_WITHIN, writes.look_now(&ctx, doubted))).catch_unwind();
            let database = looked.await.map_or_else(|_| Database::default(), |looked| looked.unwrap_or(slow));
            if database.writable && doubted {
                writes.doubted.store(false, Ordering::Relaxed);
                tracing::info!("sends can be stored again");
            }
            let doubted = doubted && !database.writable;
            writes.looking.store(false, Ordering::Release);
            writes.seen.send_replace(Some(Seen { at: Instant::now(), doubted, database }));
        });
    }

    async fn look_now(&self, ctx: &Context, doubted: bool) -> Database {
        let kept = self.session().take();
        if let Some(kept) = kept
            && let Some(found) = self.look_on(kept, ctx, doubted).await
        {
            return found;
        }
        match ctx.db.for_requests().acquire().await {
            Ok(db) => self.look_on(db.detach(), ctx, doubted).await.unwrap_or_default(),
            Err(_) => Database::default(),
        }
    }

    /// Looks on this session, and keeps it if all is well. `None`: it is lost.
    async fn look_on(&self, mut db: PgConnection, ctx: &Context, doubted: bool) -> Option<Database> {
        let is_current = storage::is_current(&mut db).await.ok()?;
        let writable = is_current && can_write(&mut db, ctx, doubted).await;
        if writable {
            *self.session() = Some(db);
        }
        Some(Database { answers: true, is_current, writable })
    }

    fn session(&self) -> MutexGuard<'_, Option<PgConnection>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn can_write(db: &mut PgConnection, ctx: &Context, doubted: bool) -> bool {
    match try_to_write(db, ctx, doubted).await {
        Ok(writes) => writes,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "not ready: the database does not take writes");
            false
        }
    }
}

async fn try_to_write(db: &mut PgConnection, ctx: &Context, thoroughly: bool) -> crate::Result<bool> {
    let writes = trial::write_ahead(db).await?;
    if writes && thoroughly {
        let (id, now) = (ctx.ids.mint(ctx.now()), ctx.now());
        let mut tx = ctx.db.for_requests().begin().await?;
        trial::store_a_send(&mut tx, id, now).await?;
        tx.rollback().await?;
    }
    Ok(writes)
}

/// True for a failure that passes by itself, such as a database that is overloaded, restarting or not reachable: the
/// caller may try again (SPEC 7).
pub fn is_passing(error: &Error) -> bool {
    let Error::Storage(storage::Error::Database(error)) = error else { return matches!(error, Error::Stopped) };
    match error {
        storage::SqlxError::PoolTimedOut | storage::SqlxError::PoolClosed | storage::SqlxError::Io(_) => true,
        // Classes of PostgreSQL codes: 08 (connection), 53 (resources), 57P (shutdown), 40 (rollback); a wait for a
        // lock of another process that took too long (55P03); a transaction of ours that was idle too long (25P03); a
        // server that has become read-only, whose sessions are replaced (25006).
        storage::SqlxError::Database(error) => error.code().is_some_and(|code| {
            ["08", "53", "57P", "40", "55P03", "25P03", "25006"].iter().any(|class| code.starts_with(class))
        }),
        _ => false,
    }
}
