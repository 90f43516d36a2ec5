//! All SQL statements, as functions on a connection, one file per table or aggregate. Only the calling use case begins
//! and commits transactions. `client_id` is the first argument after the connection.

pub mod backup;
pub mod chat;
mod column_values;
mod error;
pub mod inbound;
pub mod inboxes;
pub mod live_events;
pub mod outbound;
pub mod people;
pub mod personal_data;
pub mod plugins;
pub mod read_only_session;
mod session;
pub mod silence;
pub mod sms;
pub mod tenancy;
pub mod web;
pub mod webhooks;
pub mod work;

pub use error::{Error, Result, violates};
pub use session::{Db, PgConnection, PooledSession, Timing, Transaction, connect, connect_with, in_request};
pub use work::queues::Queue;

use std::borrow::Cow;

use sqlx::migrate::Migrator;

pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// Applies missing migrations without a limit of time. Refuses a released file that was edited.
pub async fn migrate(pool: &Db) -> Result<usize> {
    apply(pool, &MIGRATOR).await
}

pub async fn migrate_to(pool: &Db, last: i64) -> Result<usize> {
    let migrations = MIGRATOR.iter().filter(|migration| migration.version <= last).cloned().collect();
    apply(pool, &Migrator { migrations: Cow::Owned(migrations), ..Migrator::DEFAULT }).await
}

async fn apply(pool: &Db, migrator: &Migrator) -> Result<usize> {
    let mut db = pool.acquire().await?;
    let before = applied_migrations(&mut db).await?;
    // On its own session, because it waits for a process that already migrates, however long that takes.
    let mut db = db.detach();
    sqlx::query("SET lock_timeout = 0").execute(&mut db).await?;
    // The migrator always creates its own table `IF NOT EXISTS`, and the notice about it would be a log line of each start.
    sqlx::query("SET client_min_messages = warning").execute(&mut db).await?;
    let applied = migrator.run(db.unlimited()?).await;
    // Only the migrations used it, and its end does not matter for them.
    drop(db.close().await);
    applied?;
    Ok(migrator.iter().count().saturating_sub(before))
}

async fn applied_migrations(db: &mut PgConnection) -> Result<usize> {
    let known: Option<String> =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text").fetch_one(&mut *db).await?;
    if known.is_none() {
        return Ok(0);
    }
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(db).await?;
    Ok(usize::try_from(count).unwrap_or(0))
}

pub async fn is_current(db: &mut PgConnection) -> Result<bool> {
    Ok(applied_migrations(db).await? >= MIGRATOR.iter().count())
}
