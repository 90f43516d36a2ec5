//! A database that is to take a copy.

use super::{
    catalog::{self, CopiedPartition},
    error::CopyError,
    lineage::{self, AppliedMigration},
};
use crate::{Db, PgConnection, Result, migrate_to, work::partitions};

/// Tables that a process fills without any client.
pub(super) const OF_PROCESSES: [&str; 5] = ["lane", "master_key_check", "node", "process_report", "testing_clock"];

/// Brings an empty database to the schema of a backup. Refuses one that is in use or has rows. Can be repeated.
pub async fn prepare(pool: &Db, migrations: &[AppliedMigration], copied: &[CopiedPartition]) -> Result<(), CopyError> {
    let mut db = pool.acquire().await?;
    refuse_if_in_use(&mut db).await?;
    let present = lineage::applied(&mut db).await?;
    match present.last() {
        None => refuse_if_foreign(&mut db).await?,
        Some(last) => {
            if !migrations.starts_with(&present) {
                let wanted = migrations.last().map_or(0, |last| last.version);
                return Err(CopyError::OtherSchema { present: last.version, wanted });
            }
            refuse_if_filled(&mut db).await?;
        }
    }
    drop(db);
    migrate_to(pool, migrations.last().map_or(0, |last| last.version)).await?;
    for partition in copied {
        let mut tx = pool.begin().await?;
        if !partitions::remake(&mut tx, &partition.table, &partition.bounds).await? {
            return Err(CopyError::Mismatch { table: partition.table.clone() });
        }
        tx.commit().await?;
    }
    Ok(())
}

pub(super) async fn refuse_if_filled(db: &mut PgConnection) -> Result<(), CopyError> {
    for table in catalog::tables(db).await? {
        let filled = format!("SELECT EXISTS (SELECT FROM {})", table.quoted_name());
        if !OF_PROCESSES.contains(&table.name.as_str()) && sqlx::query_scalar(&filled).fetch_one(&mut *db).await? {
            return Err(CopyError::NotEmpty { table: table.name });
        }
    }
    Ok(())
}

async fn refuse_if_foreign(db: &mut PgConnection) -> Result<(), CopyError> {
    match catalog::tables(db).await?.into_iter().next() {
        Some(table) => Err(CopyError::Foreign { table: table.name }),
        None => Ok(()),
    }
}

/// Refuses a database that another Patchbay process uses.
pub async fn refuse_if_in_use(db: &mut PgConnection) -> Result<(), CopyError> {
    let sessions = sessions_of_others(db).await?;
    if sessions > 0 { Err(CopyError::InUse { sessions }) } else { Ok(()) }
}

/// The number of sessions of other Patchbay processes with this database. They have the name of their pool.
pub async fn sessions_of_others(db: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'patchbay %'
           AND application_name <> current_setting('application_name')",
    )
    .fetch_one(db)
    .await?)
}
