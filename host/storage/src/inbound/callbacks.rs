//! Provider callbacks: stored once per fact before they are answered, worked off in order per lane.

use std::{borrow::Borrow, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    ids::{CallbackId, ClientId},
    inbound::CallbackItem,
};
use uuid::Uuid;

use crate::{
    PgConnection, Queue, Result,
    stored::{self, Stored},
};

/// A callback item on its way into the database.
#[derive(Debug, Clone)]
pub struct NewCallback {
    /// Its id; the order of ids is the order in which a lane is worked off.
    pub id: CallbackId,
    /// The inbox; the client itself for account events.
    pub lane: Uuid,
    /// The same for every repetition of the same fact.
    pub dedupe_hash: [u8; 32],
    /// What the provider told us.
    pub item: CallbackItem,
}

/// A callback item that waits.
#[derive(Debug)]
pub struct Callback {
    /// Its id.
    pub id: CallbackId,
    /// What the provider told us. An error for this item alone, so that one that cannot be read is given up and its lane
    /// goes on.
    pub item: Result<CallbackItem>,
    /// When the provider told us.
    pub received_at: DateTime<Utc>,
    /// How often it has failed.
    pub attempts: i16,
}

#[derive(sqlx::FromRow)]
struct CallbackRow {
    id: Uuid,
    item: Stored,
    received_at: DateTime<Utc>,
    attempts: i16,
}

/// Stores the items whose fact has not been stored before, and answers their lanes. The check and the store are one
/// statement; repetitions within `items` and concurrent ones are dropped too.
pub async fn insert_new(
    db: &mut PgConnection,
    client: ClientId,
    items: &[impl Borrow<NewCallback>],
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    // Sorted, so that two transactions with the same facts wait for each other instead of deadlocking.
    let mut unique: Vec<&NewCallback> = items.iter().map(Borrow::borrow).collect();
    unique.sort_by_key(|item| (item.dedupe_hash, item.id));
    unique.dedup_by_key(|item| item.dedupe_hash);
    let lanes: Vec<Uuid> = sqlx::query_scalar(
        "WITH given AS (
             SELECT * FROM unnest($2::bytea[], $3::uuid[], $4::uuid[], $5::jsonb[]) AS t (dedupe_hash, id, lane_id, item)
         ), fresh AS (
             INSERT INTO callback_seen (client_id, dedupe_hash, seen_at) SELECT $1, dedupe_hash, $6 FROM given
             ON CONFLICT DO NOTHING RETURNING dedupe_hash
         )
         INSERT INTO callback (client_id, id, lane_id, item, received_at, due_at)
         SELECT $1, given.id, given.lane_id, given.item, $6, $6 FROM given JOIN fresh USING (dedupe_hash)
         RETURNING lane_id",
    )
    .bind(client.0)
    .bind(unique.iter().map(|item| item.dedupe_hash.as_slice()).collect::<Vec<_>>())
    .bind(unique.iter().map(|item| item.id.0).collect::<Vec<_>>())
    .bind(unique.iter().map(|item| item.lane).collect::<Vec<_>>())
    .bind(unique.iter().map(|item| stored::write(&item.item)).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(db)
    .await?;
    Ok(lanes)
}

/// The next items of a lane that are due, oldest first.
pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Callback>> {
    let rows: Vec<CallbackRow> = sqlx::query_as(
        "SELECT id, item, received_at, attempts FROM callback
         WHERE client_id = $1 AND lane_id = $2 AND failure IS NULL AND ready AND due_at <= $3 ORDER BY id LIMIT $4",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let callback = |row: CallbackRow| Callback {
        id: CallbackId(row.id),
        item: stored::read("callback", "item", &row.item),
        received_at: row.received_at,
        attempts: row.attempts,
    };
    Ok(rows.into_iter().map(callback).collect())
}

/// The newest item of a lane that is due: everything that was acknowledged before now is no newer.
pub async fn newest(db: &mut PgConnection, client: ClientId, lane: Uuid) -> Result<Option<CallbackId>> {
    let newest: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM callback WHERE client_id = $1 AND lane_id = $2 AND failure IS NULL AND ready
         ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(lane)
    .fetch_optional(db)
    .await?;
    Ok(newest.map(CallbackId))
}

/// Whether items of a lane are due that are no newer than this one. Those that have stepped aside are not waited for.
pub async fn any_up_to(db: &mut PgConnection, client: ClientId, lane: Uuid, newest: CallbackId) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM callback
                        WHERE client_id = $1 AND lane_id = $2 AND failure IS NULL AND ready AND id <= $3)",
    )
    .bind(client.0)
    .bind(lane)
    .bind(newest.0)
    .fetch_one(db)
    .await?)
}

/// Forgets items that are dealt with.
pub async fn remove(db: &mut PgConnection, client: ClientId, items: &[CallbackId]) -> Result<()> {
    sqlx::query(
        "DELETE FROM callback
         USING (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) done
         WHERE callback.client_id = done.client_id AND callback.id = done.id",
    )
    .bind(client.0)
    .bind(items.iter().map(|item| item.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Holds the lane of items until the transaction ends, and forgets them: `false` when the lane is held by somebody else now. As
/// the first statement of a transaction that takes all of them, in place of [`crate::work::lanes::hold`] and [`remove`].
/// `patience`: the transaction waits for no lock for longer.
pub async fn hold_and_remove(
    db: &mut PgConnection,
    client: ClientId,
    (lane, fence): (Uuid, i64),
    items: &[CallbackId],
    patience: Option<Duration>,
) -> Result<bool> {
    let held: Option<i32> = sqlx::query_scalar(
        "WITH held AS MATERIALIZED (
             SELECT 1 AS lane, set_config('lock_timeout', COALESCE($6, current_setting('lock_timeout')), true) AS patience
             FROM lane WHERE client_id = $1 AND queue = $3 AND lane_id = $4 AND fence = $5 FOR SHARE
         ), gone AS (
             DELETE FROM callback
             USING (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) done
             WHERE callback.client_id = done.client_id AND callback.id = done.id AND EXISTS (SELECT 1 FROM held)
         )
         SELECT lane FROM held",
    )
    .bind(client.0)
    .bind(items.iter().map(|item| item.0).collect::<Vec<_>>())
    .bind(Queue::Callback.name())
    .bind(lane)
    .bind(fence)
    .bind(patience.map(|patience| patience.as_millis().to_string()))
    .fetch_optional(db)
    .await?;
    Ok(held.is_some())
}

/// Puts items off without counting it as a failure: what they are about is not known yet.
pub async fn postpone(
    db: &mut PgConnection,
    client: ClientId,
    items: &[CallbackId],
    due_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE callback SET due_at = $3, ready = false
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) later
         WHERE callback.client_id = later.client_id AND callback.id = later.id",
    )
    .bind(client.0)
    .bind(items.iter().map(|item| item.0).collect::<Vec<_>>())
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Counts a failure and tries again at `due_at`.
pub async fn retry(db: &mut PgConnection, client: ClientId, item: CallbackId, due_at: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE callback SET attempts = attempts + 1, due_at = $3, ready = false WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(item.0)
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Gives an item up; it is kept, with the reason, for the operator.
pub async fn give_up(db: &mut PgConnection, client: ClientId, item: CallbackId, reason: &str) -> Result<()> {
    sqlx::query("UPDATE callback SET attempts = attempts + 1, failure = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(item.0)
        .bind(reason)
        .execute(db)
        .await?;
    Ok(())
}
