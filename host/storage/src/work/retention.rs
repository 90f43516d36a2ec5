//! What is forgotten after a while, beside the partitions that are dropped whole.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::Result;

/// Key of the advisory lock that lets one process at a time do the upkeep.
const UPKEEP_LOCK: i64 = 0x7061_7463_6862_6179;

/// Takes the upkeep for this transaction; `false` when another process is at it.
pub async fn try_lock(db: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)").bind(UPKEEP_LOCK).fetch_one(db).await?)
}

/// Forgets callback fingerprints older than `before`: providers repeat for seven days.
pub async fn forget_callbacks(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64> {
    let seen = sqlx::query("DELETE FROM callback_seen WHERE seen_at < $1").bind(before).execute(&mut *db).await?;
    sqlx::query("DELETE FROM callback WHERE failure IS NOT NULL AND received_at < $1").bind(before).execute(db).await?;
    Ok(seen.rows_affected())
}

/// Forgets parked receipts that nobody claimed.
pub async fn forget_parked_receipts(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query("DELETE FROM parked_receipt WHERE received_at < $1").bind(before).execute(db).await?;
    Ok(done.rows_affected())
}

/// Forgets the narrow rows that belong to messages whose partitions are gone: the ids are of their time.
pub async fn forget_message_directories(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64> {
    let first = domain::clock::first_id_at(before);
    let ids = sqlx::query("DELETE FROM provider_message WHERE COALESCE(outbound_message_id, chat_message_id) < $1")
        .bind(first)
        .execute(&mut *db)
        .await?;
    sqlx::query("DELETE FROM fallback WHERE message_id < $1").bind(first).execute(&mut *db).await?;
    sqlx::query("DELETE FROM smsc_message WHERE message_id < $1").bind(first).execute(&mut *db).await?;
    sqlx::query("DELETE FROM sms_part WHERE message_id < $1").bind(first).execute(&mut *db).await?;
    sqlx::query("DELETE FROM sms_inbound WHERE received_at < $1").bind(before).execute(db).await?;
    Ok(ids.rows_affected())
}
