//! Shared secrets of a client (`plugin_secret`). Their values are sealed.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;

use crate::{PgConnection, Result};

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredSecret {
    pub name: String,
    /// The plugins that may use it, by name; only `*`: all plugins.
    pub plugins: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// The last time when the value was set.
    pub value_at: DateTime<Utc>,
}

/// A secret with its value, for a call.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SealedSecret {
    pub name: String,
    pub value_sealed: Vec<u8>,
    pub plugins: Vec<String>,
}

/// Returns the secrets of a client by name.
pub async fn list(db: &mut PgConnection, client: ClientId) -> Result<Vec<StoredSecret>> {
    Ok(sqlx::query_as(
        "SELECT name, plugins, created_at, value_at FROM plugin_secret WHERE client_id = $1 ORDER BY name",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?)
}

/// Returns the secrets with these names. Unknown names are left out.
pub async fn with_values(db: &mut PgConnection, client: ClientId, names: &[&str]) -> Result<Vec<SealedSecret>> {
    Ok(sqlx::query_as(
        "SELECT name, value_sealed, plugins FROM plugin_secret WHERE client_id = $1 AND name = ANY($2) ORDER BY name",
    )
    .bind(client.0)
    .bind(names)
    .fetch_all(db)
    .await?)
}

pub async fn insert(db: &mut PgConnection, client: ClientId, secret: &StoredSecret, sealed: &[u8]) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_secret (client_id, name, value_sealed, plugins, created_at, value_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(client.0)
    .bind(&secret.name)
    .bind(sealed)
    .bind(&secret.plugins)
    .bind(secret.created_at)
    .bind(secret.value_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Replaces the grants of a secret, and its value if one is given.
pub async fn update(
    db: &mut PgConnection,
    client: ClientId,
    secret: &StoredSecret,
    sealed: Option<&[u8]>,
) -> Result<()> {
    sqlx::query(
        "UPDATE plugin_secret SET value_sealed = coalesce($3, value_sealed), plugins = $4, value_at = $5
         WHERE client_id = $1 AND name = $2",
    )
    .bind(client.0)
    .bind(&secret.name)
    .bind(sealed)
    .bind(&secret.plugins)
    .bind(secret.value_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, name: &str) -> Result<()> {
    sqlx::query("DELETE FROM plugin_secret WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name)
        .execute(db)
        .await?;
    Ok(())
}

/// Withdraws the grants of a deleted plugin, so that a later plugin of that name has none.
pub async fn forget_plugin(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<()> {
    sqlx::query(
        "UPDATE plugin_secret SET plugins = array_remove(plugins, $2) WHERE client_id = $1 AND $2 = ANY(plugins)",
    )
    .bind(client.0)
    .bind(plugin)
    .execute(db)
    .await?;
    Ok(())
}
