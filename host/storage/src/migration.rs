//! Brings the schema to that of this program while processes of the previous release work on it, and decides if this
//! program may work on a newer schema (ADR 0060).

use std::{borrow::Cow, time::Duration};

use sqlx::{
    PgExecutor,
    migrate::{Migrate, MigrateError, Migration, Migrator},
};

use crate::{Db, Error, PgConnection, Result};

pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// Limit for one wait of a migration for a lock, because statements of running processes queue behind it. It is shorter
/// than `deadlock_timeout` of PostgreSQL (1 s), so that a deadlock ends the attempt of the migration and no other
/// transaction.
const LOCK_WAIT: &str = "SET lock_timeout = '500ms'";
/// For an index that is built `CONCURRENTLY`: it waits for transactions and blocks none.
const UNLIMITED_LOCK_WAIT: &str = "SET lock_timeout = 0";
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(250);
/// Attempts until the log says that a migration waits: about ten seconds.
const SILENT_ATTEMPTS: u32 = 14;
/// First word of the name of a migration that needs programs with a given migration: `0018_contract_0016_drop_motto.sql`.
const CONTRACT: &str = "contract";

#[derive(sqlx::FromRow)]
struct StoredMigration {
    version: i64,
    /// The name of its file without the number and with blanks.
    description: String,
}

impl StoredMigration {
    /// The last migration of the oldest program that may work on this schema. 0: any program.
    fn oldest_program(&self) -> i64 {
        let mut words = self.description.split(' ');
        if words.next() != Some(CONTRACT) {
            return 0;
        }
        words.next().and_then(|number| number.parse().ok()).unwrap_or(self.version)
    }
}

/// Applies missing migrations without a limit of time. Refuses a released file that was edited, and a newer schema that
/// does not allow this program.
pub async fn migrate(pool: &Db) -> Result<usize> {
    migrate_with(pool, &MIGRATOR).await
}

pub async fn migrate_to(pool: &Db, last: i64) -> Result<usize> {
    let migrations = MIGRATOR.iter().filter(|migration| migration.version <= last).cloned().collect();
    migrate_with(pool, &Migrator { migrations: Cow::Owned(migrations), ..Migrator::DEFAULT }).await
}

/// The same as a program with these migrations does it.
pub async fn migrate_with(pool: &Db, migrator: &Migrator) -> Result<usize> {
    let mut db = pool.acquire().await?;
    // Fails while a restore holds the table.
    applied(&mut db).await?;
    // On its own session, because it waits for a process that already migrates, however long that takes.
    let mut db = db.detach();
    let count = apply_missing(db.unlimited()?, migrator).await;
    // Only the migrations used it, and its end does not matter for them.
    drop(db.close().await);
    count
}

/// True if the database has all migrations of this program, and its newer ones allow this program.
pub async fn is_current(db: &mut PgConnection) -> Result<bool> {
    let (own, applied) = (own_schema(), applied(db).await?);
    let known = applied.iter().filter(|migration| migration.version <= own).count();
    Ok(known >= MIGRATOR.iter().count() && oldest_program(&applied) <= own)
}

/// The last migration of the database.
pub async fn schema(db: &mut PgConnection) -> Result<i64> {
    Ok(applied(db).await?.last().map_or(0, |last| last.version))
}

/// The last migration of this program.
pub fn own_schema() -> i64 {
    last_version(&MIGRATOR)
}

fn last_version(migrator: &Migrator) -> i64 {
    migrator.iter().map(|migration| migration.version).max().unwrap_or(0)
}

fn oldest_program(applied: &[StoredMigration]) -> i64 {
    applied.iter().map(StoredMigration::oldest_program).max().unwrap_or(0)
}

async fn applied(db: &mut PgConnection) -> Result<Vec<StoredMigration>> {
    let known: Option<String> =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text").fetch_one(&mut *db).await?;
    if known.is_some() { stored(db).await } else { Ok(Vec::new()) }
}

async fn stored(db: impl PgExecutor<'_>) -> Result<Vec<StoredMigration>> {
    let select = "SELECT version, description FROM _sqlx_migrations WHERE success ORDER BY version";
    Ok(sqlx::query_as(select).fetch_all(db).await?)
}

async fn apply_missing(db: &mut sqlx::PgConnection, migrator: &Migrator) -> Result<usize> {
    // The table of migrations is created `IF NOT EXISTS`, and the notice about it would be a log line of each start.
    sqlx::query("SET client_min_messages = warning").execute(&mut *db).await?;
    sqlx::query(LOCK_WAIT).execute(&mut *db).await?;
    // Short waits: an index that another process builds `CONCURRENTLY` waits for this statement.
    while !is_done(db.lock().await)? {
        tokio::time::sleep(PAUSE).await;
    }
    db.ensure_migrations_table().await?;
    if let Some(version) = db.dirty_version().await? {
        return Err(MigrateError::Dirty(version).into());
    }
    let missing = missing(db, migrator).await?;
    for migration in &missing {
        apply(db, migration).await?;
    }
    // The end of the session releases the lock.
    Ok(missing.len())
}

async fn missing<'m>(db: &mut sqlx::PgConnection, migrator: &'m Migrator) -> Result<Vec<&'m Migration>> {
    let applied = db.list_applied_migrations().await?;
    let (mut missing, own) = (Vec::new(), last_version(migrator));
    for migration in migrator.iter() {
        match applied.iter().find(|applied| applied.version == migration.version) {
            Some(applied) if applied.checksum != migration.checksum => {
                return Err(MigrateError::VersionMismatch(migration.version).into());
            }
            Some(_) => {}
            None => missing.push(migration),
        }
    }
    let unknown = applied.iter().map(|applied| applied.version).find(|version| !migrator.version_exists(*version));
    if let Some(version) = unknown
        && (version < own || !missing.is_empty())
    {
        return Err(MigrateError::VersionMissing(version).into());
    }
    let oldest = oldest_program(&stored(&mut *db).await?);
    if oldest > own {
        let schema = applied.last().map_or(0, |last| last.version);
        return Err(Error::NewerSchema { schema, oldest, own });
    }
    Ok(missing)
}

async fn apply(db: &mut sqlx::PgConnection, migration: &Migration) -> Result<()> {
    if migration.no_tx {
        drop_unfinished_indexes(db).await?;
        sqlx::query(UNLIMITED_LOCK_WAIT).execute(&mut *db).await?;
        db.apply(migration).await?;
        sqlx::query(LOCK_WAIT).execute(db).await?;
        return Ok(());
    }
    let mut attempts = 0;
    while !is_done(db.apply(migration).await)? {
        attempts += 1;
        if attempts == SILENT_ATTEMPTS {
            tracing::info!("migration {} waits for running transactions on its tables", migration.version);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// An index whose build was interrupted stays behind and cannot be used.
async fn drop_unfinished_indexes(db: &mut sqlx::PgConnection) -> Result<()> {
    let unfinished: Vec<String> = sqlx::query_scalar(
        "SELECT index.oid::regclass::text FROM pg_index JOIN pg_class index ON index.oid = indexrelid
         WHERE NOT indisvalid AND index.relkind = 'i'
           AND index.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
    )
    .fetch_all(&mut *db)
    .await?;
    for index in unfinished {
        sqlx::query(&format!("DROP INDEX CONCURRENTLY {index}")).execute(&mut *db).await?;
    }
    Ok(())
}

/// False if the wait for a lock was too long: then it is tried again.
fn is_done<T>(outcome: Result<T, MigrateError>) -> Result<bool> {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    match outcome {
        Ok(_) => Ok(true),
        Err(
            MigrateError::Execute(sqlx::Error::Database(error))
            | MigrateError::ExecuteMigration(sqlx::Error::Database(error), _),
        ) if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_names_the_oldest_program() {
        let oldest =
            |description: &str| StoredMigration { version: 18, description: description.to_owned() }.oldest_program();
        assert_eq!(oldest("contract 0016 drop motto"), 16);
        assert_eq!(oldest("contract drop motto"), 18);
        assert_eq!(oldest("contracts of clients"), 0);
    }
}
