//! Keys of operators. They belong to no client, so no function takes one.

use chrono::{DateTime, Utc};

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct OperatorRecord {
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// The last recorded use.
    pub used_at: Option<DateTime<Utc>>,
    pub removed_at: Option<DateTime<Utc>>,
}

/// Stores a key. False: the name has one.
pub async fn insert(db: &mut PgConnection, name: &str, key_hash: &[u8], now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO operator_key (key_hash, name, created_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) WHERE removed_at IS NULL DO NOTHING",
    )
    .bind(key_hash)
    .bind(name)
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Finds the operator of a key that was not removed.
pub async fn find(db: &mut PgConnection, key_hash: &[u8]) -> Result<Option<OperatorRecord>> {
    let found = sqlx::query_as(
        "SELECT name, created_at, used_at, removed_at FROM operator_key WHERE key_hash = $1 AND removed_at IS NULL",
    );
    Ok(found.bind(key_hash).fetch_optional(db).await?)
}

pub async fn record_use(db: &mut PgConnection, key_hash: &[u8], now: DateTime<Utc>) -> Result<()> {
    sqlx::query("UPDATE operator_key SET used_at = $2 WHERE key_hash = $1")
        .bind(key_hash)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

/// Removes the key of a name. False: it has none.
pub async fn remove(db: &mut PgConnection, name: &str, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query("UPDATE operator_key SET removed_at = $2 WHERE name = $1 AND removed_at IS NULL")
        .bind(name)
        .bind(now)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns all keys, also removed ones, in the order of their creation.
pub async fn list(db: &mut PgConnection) -> Result<Vec<OperatorRecord>> {
    let all =
        sqlx::query_as("SELECT name, created_at, used_at, removed_at FROM operator_key ORDER BY created_at, name");
    Ok(all.fetch_all(db).await?)
}
