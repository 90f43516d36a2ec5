//! The bytes of erased rows in the files of PostgreSQL. `DELETE` and `VACUUM` leave them; `VACUUM FULL` writes new
//! files. These statements run outside of transactions, on a session of their own.

use super::registry::REGISTRY;
use crate::{Error, PgConnection, Result};

/// A relation with personal data: a table without partitions, or a partition.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Relation {
    pub name: String,
    pub bytes: i64,
}

/// The relations with personal columns, the smallest first, also without rows of the person now.
pub async fn relations_to_rewrite(db: &mut PgConnection) -> Result<Vec<Relation>> {
    let tables: Vec<&str> = REGISTRY.iter().filter(|table| !table.columns.is_empty()).map(|table| table.name).collect();
    let found = sqlx::query_as(
        "SELECT leaf.oid::regclass::text AS name, pg_total_relation_size(leaf.oid) AS bytes
         FROM unnest($1::text[]) AS one (name)
         JOIN pg_class whole ON whole.oid = to_regclass(one.name)
         LEFT JOIN pg_inherits ON inhparent = whole.oid
         JOIN pg_class leaf ON leaf.oid = COALESCE(inhrelid, whole.oid)
         ORDER BY bytes, name",
    );
    Ok(found.bind(tables).fetch_all(db).await?)
}

/// Writes a relation with its indexes into new files. Nothing else can use it until that is done.
pub async fn rewrite(db: &mut PgConnection, relation: &Relation) -> Result<()> {
    run(db, &format!("VACUUM (FULL) {}", relation.name)).await
}

/// Removes dead rows from a relation and its indexes, while others use it. Their bytes stay until the space is used again.
pub async fn vacuum(db: &mut PgConnection, relation: &Relation) -> Result<()> {
    run(db, &format!("VACUUM (INDEX_CLEANUP ON) {}", relation.name)).await
}

/// Statistics quote frequent values. PostgreSQL keeps those of a table that has become empty.
pub async fn discard_statistics(db: &mut PgConnection) -> Result<()> {
    let tables: Vec<&str> = REGISTRY.iter().filter(|table| !table.columns.is_empty()).map(|table| table.name).collect();
    sqlx::query(
        "DELETE FROM pg_statistic USING (
             SELECT to_regclass(one.name) AS oid FROM unnest($1::text[]) AS one (name)
             UNION ALL
             SELECT inhrelid FROM unnest($1::text[]) AS one (name) JOIN pg_inherits ON inhparent = to_regclass(one.name)
         ) personal WHERE starelid = personal.oid",
    )
    .bind(tables)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn analyze(db: &mut PgConnection, relation: &Relation) -> Result<()> {
    run(db, &format!("ANALYZE {}", relation.name)).await
}

pub async fn rewrite_catalog(db: &mut PgConnection) -> Result<()> {
    run(db, "VACUUM (FULL) pg_catalog.pg_statistic").await
}

/// Writes all changes into the files of the relations, and frees the segments of the log from before.
pub async fn checkpoint(db: &mut PgConnection) -> Result<()> {
    run(db, "CHECKPOINT").await
}

/// Ends the present segment of the log, whose rest becomes zeros. The record before it makes sure that there is one.
pub async fn switch_log(db: &mut PgConnection) -> Result<()> {
    run(db, "SELECT pg_logical_emit_message(false, 'patchbay', '')").await?;
    run(db, "SELECT pg_switch_wal()").await
}

/// The number of segments after the present one. A freed segment keeps its bytes and waits there under a new name.
pub async fn ahead_of_log(db: &mut PgConnection) -> Result<i64> {
    let ahead = sqlx::query_scalar(
        "SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_lsn())",
    );
    Ok(ahead.fetch_one(db).await?)
}

/// Segments from before the last checkpoint that are kept for a replica, an archive, or `wal_keep_size`.
pub async fn kept_in_log(db: &mut PgConnection) -> Result<i64> {
    let kept = sqlx::query_scalar(
        "SELECT count(*) FROM pg_ls_waldir()
         WHERE name ~ '^[0-9A-F]{24}$' AND name < (SELECT redo_wal_file FROM pg_control_checkpoint())",
    );
    Ok(kept.fetch_one(db).await?)
}

pub async fn youngest_transaction(db: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT pg_current_xact_id()::text::bigint").fetch_one(db).await?)
}

/// True if another session may see rows deleted before `transaction`: a rewrite would keep them. Such are:
/// - A transaction of any database that has begun to write earlier: each new snapshot begins with the oldest of them.
/// - An older snapshot in this database, or of a process without a database. A vacuum keeps no rows, although it has a
///   snapshot. An `ANALYZE` does, also that of an autovacuum worker.
/// - A session that starts. It has a snapshot before `pg_stat_activity` shows it, and is known by its lock only.
pub async fn is_seen_by_older(db: &mut PgConnection, transaction: i64) -> Result<bool> {
    let seen = sqlx::query_scalar(
        "SELECT pg_snapshot_xmin(pg_current_snapshot()) <= $1::text::xid8
             OR EXISTS (
                 SELECT FROM pg_stat_activity
                 WHERE (datname = current_database() OR datname IS NULL) AND pid <> pg_backend_pid()
                   AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum vacuum WHERE vacuum.pid = pg_stat_activity.pid)
                   AND age(backend_xmin) >= age($1::text::xid8::xid))
             OR EXISTS (
                 SELECT FROM pg_locks
                 WHERE locktype = 'virtualxid' AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = pg_locks.pid))",
    );
    Ok(seen.bind(transaction.to_string()).fetch_one(db).await?)
}

/// True if the role of the session may not do this.
pub fn is_not_permitted(error: &Error) -> bool {
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    matches!(error, Error::Database(sqlx::Error::Database(error))
        if error.code().is_some_and(|code| code == INSUFFICIENT_PRIVILEGE))
}

/// Limits the wait for the lock of a relation: others wait behind it.
pub async fn limit_waits(db: &mut PgConnection) -> Result<()> {
    run(db, "SET lock_timeout = '1s'").await
}

async fn run(db: &mut PgConnection, sql: &str) -> Result<()> {
    sqlx::raw_sql(sql).execute(db).await?;
    Ok(())
}
