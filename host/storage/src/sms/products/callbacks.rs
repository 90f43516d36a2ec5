//! Callbacks to clients of the JSON gateway, on their way.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// A callback on its way.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Callback {
    /// Its id; of a receipt, that of its message.
    pub id: Uuid,
    /// The receiver.
    pub lane_id: Uuid,
    /// Where to.
    pub url: String,
    /// POST, else GET.
    pub posts: bool,
    /// What is told, as a form.
    pub form: String,
    /// Attempts so far.
    pub attempts: i32,
    /// Since when it is owed.
    pub created_at: DateTime<Utc>,
}

/// Stores callbacks, due at once. One that is on its way under the same id is told no more: what came after it says more.
pub async fn insert(db: &mut PgConnection, client: ClientId, callbacks: &[Callback]) -> Result<()> {
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

/// Those that are due to a receiver, in the order of their times.
pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Callback>> {
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

/// Locks callbacks in the order in which they are stored: who settles some and who has more to tell of them do not wait for each other
/// in a circle.
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

/// Forgets callbacks that arrived, or were given up, unless something else is to be told under their ids by now.
pub async fn done(db: &mut PgConnection, client: ClientId, ended: &[&Callback]) -> Result<()> {
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

/// Puts off callbacks that did not arrive, unless something else is to be told under their ids by now.
pub async fn put_off(db: &mut PgConnection, client: ClientId, again: &[(&Callback, DateTime<Utc>)]) -> Result<()> {
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
