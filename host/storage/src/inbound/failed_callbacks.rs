//! Items of provider callbacks that could not be read, kept for the client.

use chrono::{DateTime, Utc};
use domain::{
    ids::{CallbackId, ClientId},
    inbound::UnreadableItem,
    inbox::InboxKind,
    page::PageRequest,
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value};

/// Most items per client; the oldest are removed first.
pub const KEPT_MAX: i64 = 1_000;

#[derive(Debug, Clone)]
pub struct NewFailedCallback<'a> {
    pub id: CallbackId,
    pub dedupe_hash: [u8; 32],
    pub item: &'a UnreadableItem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCallback {
    pub id: CallbackId,
    pub item: UnreadableItem,
    pub received_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct FailedRow {
    id: Uuid,
    provider: String,
    kind: String,
    reason: String,
    content: String,
    size_bytes: i64,
    received_at: DateTime<Utc>,
}

pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    items: &[NewFailedCallback<'_>],
    now: DateTime<Utc>,
) -> Result<u64> {
    let most = usize::try_from(KEPT_MAX).unwrap_or(usize::MAX);
    let mut new: Vec<&NewFailedCallback<'_>> = items.iter().rev().take(most).collect();
    // Sorted, so that two transactions with the same items wait for each other and do not deadlock.
    new.sort_by_key(|item| item.dedupe_hash);
    new.dedup_by_key(|item| item.dedupe_hash);
    let bytes = |item: &UnreadableItem| i64::try_from(item.bytes).unwrap_or(i64::MAX);
    let done = sqlx::query(
        "INSERT INTO failed_callback
             (client_id, id, dedupe_hash, provider, kind, reason, content, size_bytes, received_at)
         SELECT $1, *, $9 FROM unnest($2::uuid[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[])
         ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(new.iter().map(|new| new.id.0).collect::<Vec<_>>())
    .bind(new.iter().map(|new| new.dedupe_hash.as_slice()).collect::<Vec<_>>())
    .bind(new.iter().map(|new| new.item.provider.as_str()).collect::<Vec<_>>())
    .bind(new.iter().map(|new| new.item.kind.as_str()).collect::<Vec<_>>())
    .bind(new.iter().map(|new| new.item.reason.as_str()).collect::<Vec<_>>())
    .bind(new.iter().map(|new| new.item.content.as_str()).collect::<Vec<_>>())
    .bind(new.iter().map(|new| bytes(new.item)).collect::<Vec<_>>())
    .bind(now)
    .execute(&mut *db)
    .await?;
    if done.rows_affected() > 0 {
        sqlx::query(
            "DELETE FROM failed_callback WHERE client_id = $1 AND id <= (
                 SELECT id FROM failed_callback WHERE client_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)",
        )
        .bind(client.0)
        .bind(KEPT_MAX)
        .execute(db)
        .await?;
    }
    Ok(done.rows_affected())
}

pub async fn page(db: &mut PgConnection, client: ClientId, page: PageRequest) -> Result<(Vec<FailedCallback>, i64)> {
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM failed_callback WHERE client_id = $1")
        .bind(client.0)
        .fetch_one(&mut *db)
        .await?;
    let rows: Vec<FailedRow> = sqlx::query_as(
        "SELECT id, provider, kind, reason, content, size_bytes, received_at FROM failed_callback
         WHERE client_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3",
    )
    .bind(client.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    let failed = |row: FailedRow| {
        let provider = read_value("failed_callback", "provider", &row.provider, |name| name.parse::<InboxKind>().ok())?;
        let FailedRow { id, kind, reason, content, size_bytes, received_at, .. } = row;
        let bytes = u64::try_from(size_bytes).unwrap_or(0);
        let item = UnreadableItem { provider, kind, reason, content, bytes };
        Ok(FailedCallback { id: CallbackId(id), item, received_at })
    };
    Ok((rows.into_iter().map(failed).collect::<Result<_>>()?, total))
}

/// Makes items that were given up due again, and removes their copies from the list of failed callbacks. `failed`: only
/// the item with this copy. Returns the lanes, one for each item.
pub async fn take_again(
    db: &mut PgConnection,
    client: ClientId,
    failed: Option<CallbackId>,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    // The hash of a copy is that of the id of its item (`failed_items::keep_given_up`).
    Ok(sqlx::query_scalar(
        "WITH again AS (
             UPDATE callback SET failure = NULL, attempts = 0, due_at = $3, ready = true
             WHERE client_id = $1 AND failure IS NOT NULL
               AND ($2::uuid IS NULL
                    OR sha256(uuid_send(id)) = (SELECT copy.dedupe_hash FROM failed_callback copy
                                                WHERE copy.client_id = $1 AND copy.id = $2))
             RETURNING id, lane_id
         ), shown AS (
             DELETE FROM failed_callback
             USING (SELECT $1::uuid AS client_id, sha256(uuid_send(id)) AS dedupe_hash FROM again OFFSET 0) done
             WHERE failed_callback.client_id = done.client_id AND failed_callback.dedupe_hash = done.dedupe_hash
         )
         SELECT lane_id FROM again",
    )
    .bind(client.0)
    .bind(failed.map(|failed| failed.0))
    .bind(now)
    .fetch_all(db)
    .await?)
}
