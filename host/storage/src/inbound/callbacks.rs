//! Provider callbacks: stored once per fact before they are answered, and handled in order per lane.

use std::{borrow::Borrow, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{CallbackId, ClientId},
    inbound::CallbackItem,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
    work::lanes::LaneKey,
};

#[derive(Debug, Clone)]
pub struct NewCallback {
    /// Its id. A lane handles its items in the order of ids.
    pub id: CallbackId,
    pub lane: Uuid,
    /// The same for each repetition of a fact.
    pub dedupe_hash: [u8; 32],
    pub item: CallbackItem,
}

#[derive(Debug)]
pub struct ProviderCallback {
    pub id: CallbackId,
    /// Its content. An error concerns this item alone: it is given up, and its lane continues.
    pub item: Result<CallbackItem>,
    pub received_at: DateTime<Utc>,
    pub attempts: i16,
    /// True if it waited for another attempt or behind another item.
    pub was_put_off: bool,
    /// True if a message or a referral of the lane was put off.
    pub others_wait: bool,
}

/// An item that was put off, and the time of its next attempt.
#[derive(Debug)]
pub struct WaitingCallback {
    pub id: CallbackId,
    pub item: Result<CallbackItem>,
    pub due_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct CallbackRow {
    id: Uuid,
    item: UnreadJson,
    received_at: DateTime<Utc>,
    attempts: i16,
    was_put_off: bool,
    others_wait: bool,
}

/// Stores items with new facts and returns their lanes. Repetitions are dropped.
pub async fn insert_new(
    db: &mut PgConnection,
    client: ClientId,
    items: &[impl Borrow<NewCallback>],
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    insert(db, client, items.iter().map(|item| (item.borrow(), now)).collect(), now).await
}

/// Stores items of the sandbox, each due at its time. Repetitions are dropped.
pub async fn insert_later(
    db: &mut PgConnection,
    client: ClientId,
    items: &[(NewCallback, DateTime<Utc>)],
    now: DateTime<Utc>,
) -> Result<()> {
    if !items.is_empty() {
        insert(db, client, items.iter().map(|(item, due_at)| (item, *due_at)).collect(), now).await?;
    }
    Ok(())
}

/// Stores items in one statement, each with the time at which it is due and counts as received.
async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    mut items: Vec<(&NewCallback, DateTime<Utc>)>,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    // Sorted, so that two transactions with the same facts wait for each other and do not deadlock.
    items.sort_by_key(|(item, _)| (item.dedupe_hash, item.id));
    items.dedup_by_key(|(item, _)| item.dedupe_hash);
    let lanes: Vec<Uuid> = sqlx::query_scalar(
        "WITH given AS (
             SELECT * FROM unnest($2::bytea[], $3::uuid[], $4::uuid[], $5::jsonb[], $6::timestamptz[])
                 AS t (dedupe_hash, id, lane_id, item, due_at)
         ), fresh AS (
             INSERT INTO callback_seen (client_id, dedupe_hash, seen_at) SELECT $1, dedupe_hash, $7 FROM given
             ON CONFLICT DO NOTHING RETURNING dedupe_hash
         )
         INSERT INTO callback (client_id, id, lane_id, item, received_at, due_at, ready)
         SELECT $1, given.id, given.lane_id, given.item, given.due_at, given.due_at, given.due_at <= $7
         FROM given JOIN fresh USING (dedupe_hash)
         RETURNING lane_id",
    )
    .bind(client.0)
    .bind(items.iter().map(|(item, _)| item.dedupe_hash.as_slice()).collect::<Vec<_>>())
    .bind(items.iter().map(|(item, _)| item.id.0).collect::<Vec<_>>())
    .bind(items.iter().map(|(item, _)| item.lane).collect::<Vec<_>>())
    .bind(items.iter().map(|(item, _)| column_values::write(&item.item)).collect::<Vec<_>>())
    .bind(items.iter().map(|(_, due_at)| *due_at).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(db)
    .await?;
    Ok(lanes)
}

/// The due items of a lane, in the order of their arrival.
pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ProviderCallback>> {
    let rows: Vec<CallbackRow> = sqlx::query_as(
        "SELECT id, item, received_at, attempts, received_at < due_at AS was_put_off, EXISTS (
                    SELECT FROM callback earlier
                    WHERE earlier.client_id = $1 AND earlier.lane_id = $2 AND earlier.failure IS NULL AND NOT earlier.ready
                      AND (earlier.item #> '{value,body}') ?| '{message,referral}'
                      AND earlier.received_at < earlier.due_at) AS others_wait
         FROM callback
         WHERE client_id = $1 AND lane_id = $2 AND failure IS NULL AND ready AND due_at <= $3 ORDER BY id LIMIT $4",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let callback = |row: CallbackRow| ProviderCallback {
        id: CallbackId(row.id),
        item: column_values::read("callback", "item", &row.item),
        received_at: row.received_at,
        attempts: row.attempts,
        was_put_off: row.was_put_off,
        others_wait: row.others_wait,
    };
    Ok(rows.into_iter().map(callback).collect())
}

/// Most waiting items that are compared with a page.
const COMPARED_AT_MOST: i64 = 1_000;

/// The messages and referrals of a lane that were put off, name one of these addresses and are not in `page`, in the order of
/// their arrival. An item whose time has come since the page was read is among them.
pub async fn put_off(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    addresses: &[&Address],
    page: &[CallbackId],
) -> Result<Vec<WaitingCallback>> {
    // An item of a test key is stored before its time. It waits for nothing, and nothing waits for it. An item may have
    // its number with a plus sign, which an address never has.
    let rows: Vec<(Uuid, UnreadJson, DateTime<Utc>)> = sqlx::query_as(
        "SELECT id, item, due_at
         FROM (SELECT id, item, received_at, due_at FROM callback
               WHERE client_id = $1 AND lane_id = $2 AND failure IS NULL AND NOT ready
                 AND (item #> '{value,body}') ?| '{message,referral}' AND received_at < due_at
               UNION ALL
               SELECT id, item, received_at, due_at FROM callback
               WHERE client_id = $1 AND lane_id = $2 AND failure IS NULL AND ready AND id < $5 AND id <> ALL ($4::uuid[])
              ) earlier
         WHERE received_at < due_at
           AND (ltrim(item #>> '{value,body,message,from}', '+') = ANY ($3::text[])
                OR item #>> '{value,body,message,fromUserId}' = ANY ($3::text[])
                OR item #>> '{value,body,message,fromAddress,value}' = ANY ($3::text[])
                OR item #>> '{value,body,referral,from,value}' = ANY ($3::text[]))
         ORDER BY id LIMIT $6",
    )
    .bind(client.0)
    .bind(lane)
    .bind(addresses.iter().map(|address| address.value()).collect::<Vec<_>>())
    .bind(page.iter().map(|item| item.0).collect::<Vec<_>>())
    .bind(page.iter().max().map(|newest| newest.0))
    .bind(COMPARED_AT_MOST)
    .fetch_all(db)
    .await?;
    let waiting = |(id, item, due_at): (Uuid, UnreadJson, DateTime<Utc>)| WaitingCallback {
        id: CallbackId(id),
        item: column_values::read("callback", "item", &item),
        due_at,
    };
    Ok(rows.into_iter().map(waiting).collect())
}

/// Returns the newest due item of a lane. All items that were acknowledged before are older.
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

/// True if items of a lane up to this one are due. Items that were put off do not count.
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

/// Locks the lane of items and removes them; `false` if another process holds it. Use it as the first statement,
/// instead of [`crate::work::lanes::hold`] and [`remove`]. `patience`: longest wait for a lock.
pub async fn hold_and_remove(
    db: &mut PgConnection,
    lane: LaneKey,
    fence: i64,
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
    .bind(lane.client.0)
    .bind(items.iter().map(|item| item.0).collect::<Vec<_>>())
    .bind(lane.queue.name())
    .bind(lane.lane)
    .bind(fence)
    .bind(patience.map(|patience| patience.as_millis().to_string()))
    .fetch_optional(db)
    .await?;
    Ok(held.is_some())
}

/// Puts off items whose subject is not known yet, or that wait for an earlier one. This does not count as a failure.
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

pub async fn give_up(db: &mut PgConnection, client: ClientId, item: CallbackId, reason: &str) -> Result<()> {
    sqlx::query("UPDATE callback SET attempts = attempts + 1, failure = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(item.0)
        .bind(reason)
        .execute(db)
        .await?;
    Ok(())
}
