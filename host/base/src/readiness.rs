use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures::FutureExt;
use parking_lot::{Mutex, MutexGuard};
use storage::{PgConnection, work::trial};
use tokio::{sync::watch, time::timeout};

use crate::{Context, Error};

/// Limit for one check of the database on an open session: four round trips, eight on a new session. The pool limits
/// the time to open a session.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which a result is reused. Probes need no key, and each check reads and writes.
const RESULT_LIFETIME: Duration = Duration::from_secs(1);
/// Time for which a probe waits for a new result before it gets the last one. Probes often have a deadline of one
/// second.
const PROBE_TIMEOUT: Duration = Duration::from_millis(700);

/// The content of `/readyz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    pub database: bool,
    pub migrations: bool,
    pub writable: bool,
    pub plugins: bool,
}

impl Checks {
    pub fn all(self) -> bool {
        self.database && self.migrations && self.writable && self.plugins
    }
}

pub async fn check(ctx: &Context) -> Checks {
    let Database { answers, is_current, writable } = ctx.writes.database_state(ctx).await;
    Checks { database: answers, migrations: is_current, writable, plugins: ctx.plugins.ready() }
}

/// Whether sends can be stored. A database with a full disk still answers and still accepts small changes. So after a
/// failed send, only a trial send proves that sends can be stored again.
#[derive(Debug, Default)]
pub struct WriteHealth {
    doubted: AtomicBool,
    looking: AtomicBool,
    seen: watch::Sender<Option<Seen>>,
    /// A session for checks only. A busy pool does not make a process unready, and a new session takes several round
    /// trips.
    session: Mutex<Option<PgConnection>>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    at: Instant,
    doubted: bool,
    database: Database,
}

#[derive(Debug, Clone, Copy, Default)]
struct Database {
    answers: bool,
    is_current: bool,
    writable: bool,
}

impl WriteHealth {
    pub fn note_failure(&self, error: &Error) {
        if matches!(error, Error::Storage(error) if error.is_refusal()) {
            self.doubted.store(true, Ordering::Relaxed);
        }
    }

    /// The last known state of the database. If a new check takes long because the database is far away, it continues
    /// in the background and the probe gets the result before it. A silent database is reported at once.
    async fn database_state(self: &Arc<Self>, ctx: &Context) -> Database {
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
        let patience = if known.is_some() { PROBE_TIMEOUT } else { 2 * CHECK_TIMEOUT };
        let looked = async {
            while seen.changed().await.is_ok() {
                match *seen.borrow_and_update() {
                    Some(now) if self.is_fresh(&now) => return now.database,
                    // That check began before a send failed.
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
        seen.doubted == self.doubted.load(Ordering::Relaxed) && seen.at.elapsed() < RESULT_LIFETIME
    }

    /// Starts a check, unless one is running.
    fn look(self: &Arc<Self>, ctx: &Context) {
        if self.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let (writes, ctx) = (Arc::clone(self), ctx.clone());
        tokio::spawn(async move {
            let doubted = writes.doubted.load(Ordering::Relaxed);
            let database = AssertUnwindSafe(writes.look_now(&ctx, doubted)).catch_unwind().await.unwrap_or_default();
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

    /// Checks on this session and keeps it if all is well. `None` if the session is lost.
    async fn look_on(&self, db: PgConnection, ctx: &Context, doubted: bool) -> Option<Database> {
        // A check that exceeds its limit: the database answers but is not usable.
        let slow = || Some(Database { answers: !ctx.db.is_silent(), ..Database::default() });
        timeout(CHECK_TIMEOUT, self.run_checks(db, ctx, doubted)).await.unwrap_or_else(|_| slow())
    }

    async fn run_checks(&self, mut db: PgConnection, ctx: &Context, doubted: bool) -> Option<Database> {
        let is_current = storage::is_current(&mut db).await.ok()?;
        let writable = is_current && can_write(&mut db, ctx, doubted).await;
        if writable {
            *self.session() = Some(db);
        }
        Some(Database { answers: true, is_current, writable })
    }

    fn session(&self) -> MutexGuard<'_, Option<PgConnection>> {
        self.session.lock()
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

/// True for a temporary failure, such as an overloaded, restarting or unreachable database. The caller may try again
/// (SPEC 7).
pub fn is_passing(error: &Error) -> bool {
    match error {
        Error::Storage(error) => error.is_passing(),
        error => matches!(error, Error::Stopped),
    }
}
