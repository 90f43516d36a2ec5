//! Sealed values of Lite devices in our own processes (ADR 0037), by key, in spaces of one kind each.

use domain::ids::{ClientId, InboxId, NodeId};

use crate::{PgConnection, Result};

const AFTER_ALL_KEYS: char = char::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteValueChange {
    pub space: String,
    /// The key; at most one change per key in a call.
    pub key: String,
    pub value: Option<Vec<u8>>,
    /// Time of writing or expiry in seconds since 1970, for kinds that are removed by age.
    pub moment: Option<i64>,
}

/// True if the device runs in this process, until the transaction ends. Every write of a device begins with it, so that
/// it never overwrites the keys of its successor.
pub async fn hold(db: &mut PgConnection, client: ClientId, inbox: InboxId, node: NodeId) -> Result<bool> {
    let held: Option<i32> = sqlx::query_scalar(
        "SELECT 1 FROM lite_session WHERE client_id = $1 AND lane_id = $2 AND device_node = $3 FOR SHARE",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(node.0)
    .fetch_optional(db)
    .await?;
    Ok(held.is_some())
}

pub async fn get(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    space: &str,
    keys: &[String],
) -> Result<Vec<(String, Vec<u8>)>> {
    Ok(sqlx::query_as(
        "SELECT kept.key, kept.value
         FROM (SELECT $1::uuid AS client_id, key FROM unnest($4::text[]) AS one (key) OFFSET 0) given
         JOIN lite_device_value kept
           ON kept.client_id = given.client_id AND kept.inbox_id = $2 AND kept.space = $3 AND kept.key = given.key",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(space)
    .bind(keys)
    .fetch_all(db)
    .await?)
}

pub async fn starting(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    space: &str,
    prefix: &str,
) -> Result<Vec<(String, Vec<u8>)>> {
    Ok(sqlx::query_as(
        "SELECT key, value FROM lite_device_value
         WHERE client_id = $1 AND inbox_id = $2 AND space = $3 AND key >= $4 AND key < $5
         ORDER BY key",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(space)
    .bind(prefix)
    .bind(format!("{prefix}{AFTER_ALL_KEYS}"))
    .fetch_all(db)
    .await?)
}

pub async fn write(db: &mut PgConnection, client: ClientId, inbox: InboxId, changes: &[LiteValueChange]) -> Result<()> {
    let (kept, forgotten): (Vec<&LiteValueChange>, Vec<&LiteValueChange>) =
        changes.iter().partition(|change| change.value.is_some());
    if !kept.is_empty() {
        sqlx::query(
            "INSERT INTO lite_device_value (client_id, inbox_id, space, key, value, moment)
             SELECT $1::uuid, $2::uuid, * FROM unnest($3::text[], $4::text[], $5::bytea[], $6::bigint[])
             ON CONFLICT (client_id, inbox_id, space, key) DO UPDATE SET value = excluded.value, moment = excluded.moment",
        )
        .bind(client.0)
        .bind(inbox.0)
        .bind(kept.iter().map(|change| change.space.as_str()).collect::<Vec<_>>())
        .bind(kept.iter().map(|change| change.key.as_str()).collect::<Vec<_>>())
        .bind(kept.iter().map(|change| change.value.as_deref().unwrap_or_default()).collect::<Vec<_>>())
        .bind(kept.iter().map(|change| change.moment).collect::<Vec<_>>())
        .execute(&mut *db)
        .await?;
    }
    if !forgotten.is_empty() {
        sqlx::query(
            "DELETE FROM lite_device_value kept
             USING (SELECT $1::uuid AS client_id, * FROM unnest($3::text[], $4::text[]) AS one (space, key) OFFSET 0) given
             WHERE kept.client_id = given.client_id AND kept.inbox_id = $2 AND kept.space = given.space AND kept.key = given.key",
        )
        .bind(client.0)
        .bind(inbox.0)
        .bind(forgotten.iter().map(|change| change.space.as_str()).collect::<Vec<_>>())
        .bind(forgotten.iter().map(|change| change.key.as_str()).collect::<Vec<_>>())
        .execute(db)
        .await?;
    }
    Ok(())
}

/// Removes and returns a value. Of two concurrent calls one gets it.
pub async fn take(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    space: &str,
    key: &str,
) -> Result<Option<Vec<u8>>> {
    Ok(sqlx::query_scalar(
        "DELETE FROM lite_device_value WHERE client_id = $1 AND inbox_id = $2 AND space = $3 AND key = $4 RETURNING value",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(space)
    .bind(key)
    .fetch_optional(db)
    .await?)
}

pub async fn forget_starting(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    space: &str,
    prefix: &str,
) -> Result<u64> {
    let done = sqlx::query(
        "DELETE FROM lite_device_value WHERE client_id = $1 AND inbox_id = $2 AND space = $3 AND key >= $4 AND key < $5",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(space)
    .bind(prefix)
    .bind(format!("{prefix}{AFTER_ALL_KEYS}"))
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Removes values with a moment before `moment` and returns their number.
pub async fn forget_before(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    space: &str,
    moment: i64,
) -> Result<u64> {
    let done = sqlx::query(
        "DELETE FROM lite_device_value WHERE client_id = $1 AND inbox_id = $2 AND space = $3 AND moment < $4",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(space)
    .bind(moment)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

pub async fn forget(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<()> {
    sqlx::query("DELETE FROM lite_device_value WHERE client_id = $1 AND inbox_id = $2")
        .bind(client.0)
        .bind(inbox.0)
        .execute(db)
        .await?;
    Ok(())
}
