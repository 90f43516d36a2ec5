//! Session keys: short-lived keys of logins. A user can have several.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, SessionId, UserId},
    session::SessionPurpose,
};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, Copy)]
pub struct NewSessionKey<'a> {
    pub id: SessionId,
    pub user: UserId,
    pub hash: &'a [u8],
    pub purpose: SessionPurpose,
    pub expires_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: SessionId,
    pub created_at: DateTime<Utc>,
    /// The last recorded use.
    pub used_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, new: NewSessionKey<'_>, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO session_key (key_hash, client_id, id, user_id, created_at, used_at, expires_at, ends_at, purpose)
         VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)",
    )
    .bind(new.hash)
    .bind(client.0)
    .bind(new.id.0)
    .bind(new.user.0)
    .bind(now)
    .bind(new.expires_at.min(new.ends_at))
    .bind(new.ends_at)
    .bind(new.purpose.name())
    .execute(db)
    .await?;
    Ok(())
}

/// Records the use of keys whose last recorded use is before `recorded_before`, and moves their ends. A key that another
/// process records at this moment is skipped.
pub async fn record_use(
    db: &mut PgConnection,
    key_hashes: &[Vec<u8>],
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    recorded_before: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE session_key SET used_at = $2, expires_at = LEAST(ends_at, $3)
         WHERE key_hash = ANY (ARRAY(
             SELECT key_hash FROM session_key WHERE key_hash = ANY($1) AND used_at < $4 AND expires_at > $2
             FOR UPDATE SKIP LOCKED))",
    )
    .bind(key_hashes)
    .bind(now)
    .bind(expires_at)
    .bind(recorded_before)
    .execute(db)
    .await?;
    Ok(())
}

/// Id, and the times of creation, of the last recorded use, of the end without use, and of the end.
type SessionRow = (Uuid, DateTime<Utc>, DateTime<Utc>, DateTime<Utc>, DateTime<Utc>);

/// The sessions of a user that have not ended, the newest first.
pub async fn list(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Vec<SessionRecord>> {
    let rows: Vec<SessionRow> = sqlx::query_as(
        "SELECT id, created_at, used_at, expires_at, ends_at FROM session_key
         WHERE client_id = $1 AND user_id = $2 AND expires_at > $3 ORDER BY id DESC",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(now)
    .fetch_all(db)
    .await?;
    let record = |(id, created_at, used_at, expires_at, ends_at)| SessionRecord {
        id: SessionId(id),
        created_at,
        used_at,
        expires_at,
        ends_at,
    };
    Ok(rows.into_iter().map(record).collect())
}

/// Ends a session; of one user, or of any user of the client. Returns false if there is no such session.
pub async fn remove(db: &mut PgConnection, client: ClientId, user: Option<UserId>, id: SessionId) -> Result<bool> {
    let done =
        sqlx::query("DELETE FROM session_key WHERE client_id = $1 AND id = $2 AND ($3::uuid IS NULL OR user_id = $3)")
            .bind(client.0)
            .bind(id.0)
            .bind(user.map(|user| user.0))
            .execute(db)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends all sessions of a user, and its links.
pub async fn remove_all(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<u64> {
    sqlx::query("DELETE FROM session_link WHERE client_id = $1 AND user_id = $2")
        .bind(client.0)
        .bind(user.0)
        .execute(&mut *db)
        .await?;
    let done = sqlx::query("DELETE FROM session_key WHERE client_id = $1 AND user_id = $2")
        .bind(client.0)
        .bind(user.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected())
}

/// Ends the sessions of a user except the `keep` newest.
pub async fn remove_oldest(db: &mut PgConnection, client: ClientId, user: UserId, keep: i64) -> Result<u64> {
    let done = sqlx::query(
        "DELETE FROM session_key WHERE client_id = $1 AND user_id = $2
             AND id IN (SELECT id FROM session_key WHERE client_id = $1 AND user_id = $2 ORDER BY id DESC OFFSET $3)",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(keep)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Stores a link that opens one session.
pub async fn insert_link(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    token_hash: &[u8],
    expires_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query("INSERT INTO session_link (token_hash, client_id, user_id, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(token_hash)
        .bind(client.0)
        .bind(user.0)
        .bind(expires_at)
        .execute(db)
        .await?;
    Ok(())
}

/// A used link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedLink {
    pub client: ClientId,
    pub client_ref: String,
    pub user: UserId,
    pub expires_at: DateTime<Utc>,
}

/// Uses a link up. `None`: unknown, used, expired, or its user is deleted or disabled.
pub async fn use_link(db: &mut PgConnection, token_hash: &[u8], now: DateTime<Utc>) -> Result<Option<UsedLink>> {
    let row: Option<(Uuid, String, Uuid, DateTime<Utc>)> = sqlx::query_as(
        "WITH used AS (DELETE FROM session_link WHERE token_hash = $1 RETURNING client_id, user_id, expires_at)
         SELECT used.client_id, client.client_ref, used.user_id, used.expires_at
         FROM used
         JOIN client ON client.id = used.client_id AND client.disabled_at IS NULL
         JOIN client_user member ON member.client_id = used.client_id AND member.id = used.user_id
         WHERE used.expires_at > $2 AND member.deleted_at IS NULL AND member.disabled_at IS NULL",
    )
    .bind(token_hash)
    .bind(now)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(client, client_ref, user, expires_at)| UsedLink {
        client: ClientId(client),
        client_ref,
        user: UserId(user),
        expires_at,
    }))
}
