//! API keys: a directory that finds the client of a key by its hash. A user has one key. Session keys
//! ([`super::session_keys`]) are found by the same statement.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, SessionId, UserId},
    sandbox::KeyMode,
    session::SessionPurpose,
};
use uuid::Uuid;

use super::{
    disablement::DisabledOwner,
    users::{Role, stored_role},
};
use crate::{Error, PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOwner {
    pub key_hash: Vec<u8>,
    pub client: ClientId,
    pub user: UserId,
    pub role: Role,
    pub client_ref: String,
    pub popia_compliant: bool,
    /// Of a test key, the client whose sandbox it opens; otherwise the client itself.
    pub live_client: ClientId,
    /// Then the key opens nothing.
    pub disabled: Option<DisabledOwner>,
    /// `None`: an API key.
    pub session: Option<KeySession>,
}

/// The session of a session key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySession {
    pub id: SessionId,
    pub purpose: SessionPurpose,
    /// The last recorded use.
    pub used_at: DateTime<Utc>,
}

impl KeyOwner {
    pub fn mode(&self) -> KeyMode {
        KeyMode::of(self.live_client != self.client)
    }
}

#[derive(sqlx::FromRow)]
pub(crate) struct KeyOwnerRow {
    key_hash: Vec<u8>,
    client_id: Uuid,
    user_id: Uuid,
    role: String,
    client_ref: String,
    popia_compliant: bool,
    live_client_id: Uuid,
    disabled: Option<String>,
    session_id: Option<Uuid>,
    used_at: Option<DateTime<Utc>>,
    purpose: Option<String>,
}

impl TryFrom<KeyOwnerRow> for KeyOwner {
    type Error = Error;

    fn try_from(row: KeyOwnerRow) -> Result<Self> {
        Ok(Self {
            key_hash: row.key_hash,
            client: ClientId(row.client_id),
            user: UserId(row.user_id),
            role: stored_role(&row.role)?,
            client_ref: row.client_ref,
            popia_compliant: row.popia_compliant,
            live_client: ClientId(row.live_client_id),
            disabled: row.disabled.as_deref().and_then(DisabledOwner::from_name),
            session: row.session_id.zip(row.used_at).map(|(id, used_at)| KeySession {
                id: SessionId(id),
                purpose: SessionPurpose::of_name(row.purpose.as_deref()),
                used_at,
            }),
        })
    }
}

/// Returns the users of a client that have a key, and the time when it was made.
pub async fn creation_times(db: &mut PgConnection, client: ClientId) -> Result<Vec<(UserId, DateTime<Utc>)>> {
    let rows: Vec<(Uuid, DateTime<Utc>)> =
        sqlx::query_as("SELECT user_id, created_at FROM api_key WHERE client_id = $1 ORDER BY user_id")
            .bind(client.0)
            .fetch_all(db)
            .await?;
    Ok(rows.into_iter().map(|(user, at)| (UserId(user), at)).collect())
}

/// Returns the owners of API keys, and of session keys that have not ended at `now`.
pub async fn owners(db: &mut PgConnection, key_hashes: &[Vec<u8>], now: DateTime<Utc>) -> Result<Vec<KeyOwner>> {
    let rows: Vec<KeyOwnerRow> = sqlx::query_as(
        "SELECT key.key_hash, key.client_id, key.user_id, client_user.role, client.client_ref,
                client.popia_compliant, COALESCE(client.sandbox_of, client.id) AS live_client_id,
                CASE WHEN client.disabled_at IS NOT NULL THEN 'client'
                     WHEN client_user.disabled_at IS NOT NULL THEN 'user'
                     WHEN key.disabled_at IS NOT NULL THEN 'key' END AS disabled,
                key.session_id, key.used_at, key.purpose
         FROM (SELECT key_hash, client_id, user_id, disabled_at, NULL::uuid AS session_id,
                      NULL::timestamptz AS used_at, NULL::text AS purpose
               FROM api_key WHERE key_hash = ANY($1)
               UNION ALL
               SELECT key_hash, client_id, user_id, NULL, id, used_at, purpose
               FROM session_key WHERE key_hash = ANY($1) AND expires_at > $2) key
         JOIN client_user ON client_user.client_id = key.client_id AND client_user.id = key.user_id
         JOIN client ON client.id = key.client_id
         WHERE client_user.deleted_at IS NULL",
    )
    .bind(key_hashes)
    .bind(now)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(KeyOwner::try_from).collect()
}

/// The key of a user, as it is stored.
#[derive(Clone, Copy)]
pub struct NewApiKey<'a> {
    pub user: UserId,
    pub hash: &'a [u8],
    pub sealed: &'a [u8],
}

/// Gives a user a new key. The old one fails for every statement that starts after the commit.
pub async fn replace(db: &mut PgConnection, client: ClientId, key: NewApiKey<'_>, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO api_key (key_hash, client_id, user_id, sealed, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (client_id, user_id) DO UPDATE
         SET key_hash = excluded.key_hash, sealed = excluded.sealed, created_at = excluded.created_at, disabled_at = NULL",
    )
    .bind(key.hash)
    .bind(client.0)
    .bind(key.user.0)
    .bind(key.sealed)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM api_key WHERE client_id = $1 AND user_id = $2")
        .bind(client.0)
        .bind(user.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn find_sealed(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<Vec<u8>>> {
    let sealed = sqlx::query_scalar("SELECT sealed FROM api_key WHERE client_id = $1 AND user_id = $2")
        .bind(client.0)
        .bind(user.0)
        .fetch_optional(db)
        .await?;
    Ok(sealed)
}
