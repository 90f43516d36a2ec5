//! Whether this process can do its work, and whether a failure is worth trying again.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use storage::{silence::within, work::trial};

use crate::{Context, Error};

/// Longest time that a check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long what was found out about the database is believed: probes need no key, and each look asks and writes.
const BELIEVED: Duration = Duration::from_secs(1);

/// What `/readyz` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// The database answers.
    pub database: bool,
    /// Every migration of this program is applied.
    pub migrations: bool,
    /// What is sent can be stored.
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
    let Database { answers, is_current, writable } = ctx.writes.look(ctx).await;
    Checks { database: answers, migrations: is_current, writable, plugins: ctx.plugins.ready() }
}

/// Whether what is sent can be stored. A database whose disk is full still answers, and still takes small changes: so once a
/// send could not be stored, nothing less than storing one says that it can be done again.
#[derive(Debug, Default)]
pub struct Writes {
    doubted: AtomicBool,
    seen: tokio::sync::Mutex<Option<Seen>>,
}

/// What a look found out.
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

    /// One look at a time; what it finds out is believed for a moment, unless a send has failed since.
    async fn look(&self, ctx: &Context) -> Database {
        let mut seen = self.seen.lock().await;
        let doubted = self.doubted.load(Ordering::Relaxed);
        if let Some(last) = *seen
            && last.doubted == doubted
            && last.at.elapsed() < BELIEVED
        {
            return last.database;
        }
        let database = look_now(ctx, doubted).await;
        if database.writable && doubted {
            self.doubted.store(false, Ordering::Relaxed);
            tracing::info!("sends can be stored again");
        }
        *seen = Some(Seen { at: Instant::now(), doubted: doubted && !database.writable, database });
        database
    }
}

async fn look_now(ctx: &Context, doubted: bool) -> Database {
    let current = within(CHECK_TIMEOUT, storage::is_current(&ctx.db)).await;
    let Some(is_current) = current.and_then(Result::ok) else { return Database::default() };
    let writable = is_current && can_write(ctx, doubted).await;
    Database { answers: true, is_current, writable }
}

async fn can_write(ctx: &Context, doubted: bool) -> bool {
    match within(CHECK_TIMEOUT, try_to_write(ctx, doubted)).await {
        Some(Ok(writes)) => writes,
        Some(Err(error)) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "not ready: the database does not take writes");
            false
        }
        None => false,
    }
}

async fn try_to_write(ctx: &Context, thoroughly: bool) -> crate::Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let writes = trial::write_ahead(&mut tx).await?;
    tx.commit().await?;
    if writes && thoroughly {
        let (id, now) = (ctx.ids.mint(ctx.now()), ctx.now());
        let mut tx = ctx.db.begin().await?;
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
        // Classes 08 (connection), 53 (resources), 57P (shutdown) and 40 (rollback) of PostgreSQL's codes; a lock of another
        // process that was waited for too long (55P03), and a transaction of ours that stood still too long
        // (25P03); a server that has become read-only, whose sessions are replaced (25006).
        storage::SqlxError::Database(error) => error.code().is_some_and(|code| {
            ["08", "53", "57P", "40", "55P03", "25P03", "25006"].iter().any(|class| code.starts_with(class))
        }),
        _ => false,
    }
}
