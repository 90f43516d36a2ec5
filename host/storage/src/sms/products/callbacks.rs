use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SmsCallback {
    /// Its id; of a receipt, that of its message.
    pub id: Uuid,
    pub lane_id: Uuid,
    pub url: String,
    pub posts: bool,
    pub form: String,
    pub attempts: i32,
    pub created_at: DateTime<Utc>,
}

/// Stores callbacks that are due at once. A later callback replaces a waiting one with the same id.
pub async fn insert(db: &mut PgConnection, client: ClientId, callbacks: &[SmsCallback]) -> Result<()> {
    if callbacks.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO sms_callback (client_id, id, lane_id, url, posts, form, created_at, due_at)
         SELECT $1, id, lane_id, url, posts, form, created_at, created_at
         FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::boolean[], $6::text[], $7::timestamptz[])
             AS given (id, lane_id, url, posts, form, created_at)
         ORDER BY id
         ON CONFLICT (client_id, id) DO UPDATE SET form = excluded.form, attempts = 0, ready = true,
             created_at = excluded.created_at, due_at = excluded.due_at",
    )
    .bind(client.0)
    .bind(callbacks.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(callbacks.iter().map(|one| one.lane_id).collect::<Vec<_>>())
    .bind(callbacks.iter().map(|one| one.url.as_str()).collect::<Vec<_>>())
    .bind(callbacks.iter().map(|one| one.posts).collect::<Vec<_>>())
    .bind(callbacks.iter().map(|one| one.form.as_str()).collect::<Vec<_>>())
    .bind(callbacks.iter().map(|one| one.created_at).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<SmsCallback>> {
    let rows = sqlx::query_as(
        "SELECT id, lane_id, url, posts, form, attempts, created_at FROM sms_callback
         WHERE client_id = $1 AND lane_id = $2 AND ready AND due_at <= $3 ORDER BY due_at, id LIMIT $4",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// Locks callbacks in the order of storage, so that a settlement and a new callback do not deadlock.
pub async fn hold(db: &mut PgConnection, client: ClientId, ids: &[Uuid]) -> Result<()> {
    sqlx::query(
        "SELECT callback.id FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS id OFFSET 0) given
         JOIN sms_callback callback ON callback.client_id = given.client_id AND callback.id = given.id
         ORDER BY callback.id FOR UPDATE OF callback",
    )
    .bind(client.0)
    .bind(ids)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes callbacks that arrived or were given up, unless their content changed since.
pub async fn done(db: &mut PgConnection, client: ClientId, ended: &[&SmsCallback]) -> Result<()> {
    sqlx::query(
        "DELETE FROM sms_callback callback
         USING (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::text[]) AS one (id, form) OFFSET 0) given
         WHERE callback.client_id = given.client_id AND callback.id = given.id AND callback.form = given.form",
    )
    .bind(client.0)
    .bind(ended.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(ended.iter().map(|one| one.form.as_str()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Puts off callbacks that did not arrive, unless their content changed since.
pub async fn postpone(db: &mut PgConnection, client: ClientId, again: &[(&SmsCallback, DateTime<Utc>)]) -> Result<()> {
    sqlx::query(
        "UPDATE sms_callback callback SET attempts = callback.attempts + 1, due_at = given.due_at, ready = false
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::text[], $4::timestamptz[])
             AS one (id, form, due_at) OFFSET 0) given
         WHERE callback.client_id = given.client_id AND callback.id = given.id AND callback.form = given.form",
    )
    .bind(client.0)
    .bind(again.iter().map(|(one, _)| one.id).collect::<Vec<_>>())
    .bind(again.iter().map(|(one, _)| one.form.as_str()).collect::<Vec<_>>())
    .bind(again.iter().map(|(_, due)| *due).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}
