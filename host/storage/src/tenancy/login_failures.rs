//! Wrong passwords, and the places of successful logins.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Returns the times of at most `limit` failed logins of an account since `since`, newest first.
pub async fn recent_failures(
    db: &mut PgConnection,
    account_hash: &[u8],
    since: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<DateTime<Utc>>> {
    let times = sqlx::query_scalar(
        "SELECT failed_at FROM login_failure WHERE account_hash = $1 AND failed_at > $2 ORDER BY failed_at DESC LIMIT $3",
    )
    .bind(account_hash)
    .bind(since)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(times)
}

pub async fn record_failure(db: &mut PgConnection, account_hash: &[u8], id: Uuid, at: DateTime<Utc>) -> Result<()> {
    sqlx::query("INSERT INTO login_failure (account_hash, id, failed_at) VALUES ($1, $2, $3)")
        .bind(account_hash)
        .bind(id)
        .bind(at)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn lock_account(db: &mut PgConnection, account_hash: &[u8]) -> Result<()> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 0))")
        .bind(account_hash)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn forget_failures(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query("DELETE FROM login_failure WHERE failed_at < $1").bind(before).execute(db).await?;
    Ok(done.rows_affected())
}

pub async fn is_known_place(db: &mut PgConnection, account_hash: &[u8], place_hash: &[u8]) -> Result<bool> {
    let known =
        sqlx::query_scalar("SELECT EXISTS (SELECT FROM login_place WHERE account_hash = $1 AND place_hash = $2)");
    Ok(known.bind(account_hash).bind(place_hash).fetch_one(db).await?)
}

/// Records a successful login from a place; written at most once a day.
pub async fn remember_place(
    db: &mut PgConnection,
    account_hash: &[u8],
    place_hash: &[u8],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO login_place (account_hash, place_hash, seen_at) VALUES ($1, $2, $3) ON CONFLICT ON CONSTRAINT login_place_pk \
         DO UPDATE SET seen_at = excluded.seen_at WHERE login_place.seen_at < $4",
    )
    .bind(account_hash)
    .bind(place_hash)
    .bind(now)
    .bind(now - TimeDelta::days(1))
    .execute(db)
    .await?;
    Ok(())
}

pub async fn forget_places(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query("DELETE FROM login_place WHERE seen_at < $1").bind(before).execute(db).await?;
    Ok(done.rows_affected())
}
