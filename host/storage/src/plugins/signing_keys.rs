//! Keys that may sign uploads of a client (`plugin_signing_key`), and its policy (`plugin_policy`).

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, UserId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    pub name: String,
    /// The second line of a public key file of minisign.
    pub public_key: String,
    /// SHA-256 of the bytes of that line, in hexadecimal.
    pub fingerprint: String,
    pub created_by: Option<UserId>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct Row {
    name: String,
    public_key: String,
    fingerprint: String,
    created_by: Option<Uuid>,
    created_at: DateTime<Utc>,
}

impl From<Row> for SigningKey {
    fn from(row: Row) -> Self {
        let Row { name, public_key, fingerprint, created_by, created_at } = row;
        Self { name, public_key, fingerprint, created_by: created_by.map(UserId), created_at }
    }
}

/// Returns the keys of a client by name.
pub async fn list(db: &mut PgConnection, client: ClientId) -> Result<Vec<SigningKey>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT name, public_key, fingerprint, created_by, created_at FROM plugin_signing_key
         WHERE client_id = $1 ORDER BY name",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(SigningKey::from).collect())
}

pub async fn insert(db: &mut PgConnection, client: ClientId, key: &SigningKey) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_signing_key (client_id, name, public_key, fingerprint, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(client.0)
    .bind(&key.name)
    .bind(&key.public_key)
    .bind(&key.fingerprint)
    .bind(key.created_by.map(|user| user.0))
    .bind(key.created_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, name: &str) -> Result<bool> {
    let done = sqlx::query("DELETE FROM plugin_signing_key WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns whether the client accepts only signed uploads.
pub async fn signed_only(db: &mut PgConnection, client: ClientId) -> Result<bool> {
    let stored: Option<bool> = sqlx::query_scalar("SELECT signed_only FROM plugin_policy WHERE client_id = $1")
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    Ok(stored.unwrap_or(false))
}

pub async fn set_signed_only(db: &mut PgConnection, client: ClientId, signed_only: bool) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_policy (client_id, signed_only) VALUES ($1, $2)
         ON CONFLICT (client_id) DO UPDATE SET signed_only = EXCLUDED.signed_only",
    )
    .bind(client.0)
    .bind(signed_only)
    .execute(db)
    .await?;
    Ok(())
}
