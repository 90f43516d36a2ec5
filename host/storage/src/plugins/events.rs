//! What happened to a plugin, for its client to read (`plugin_event`).

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Something that happened to a plugin.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PluginEvent {
    /// Its id.
    pub id: Uuid,
    /// Name of the plugin.
    pub plugin: String,
    /// Which version, if it was about one.
    pub version: Option<i32>,
    /// `UPLOADED`, `ACTIVATED`, `CIRCUIT_OPENED` and others.
    pub kind: String,
    /// In words.
    pub reason: Option<String>,
    /// When.
    pub at: DateTime<Utc>,
}

/// Keeps an event; call it in the transaction of what it tells.
pub async fn insert(db: &mut PgConnection, client: ClientId, event: &PluginEvent) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_event (client_id, id, plugin, version, kind, reason, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(client.0)
    .bind(event.id)
    .bind(&event.plugin)
    .bind(event.version)
    .bind(&event.kind)
    .bind(&event.reason)
    .bind(event.at)
    .execute(db)
    .await?;
    Ok(())
}

/// A page of what happened to a plugin, newest first, and how many there are in all.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    (offset, limit): (i64, i64),
) -> Result<(Vec<PluginEvent>, i64)> {
    let rows: Vec<PluginEvent> = sqlx::query_as(
        "SELECT id, plugin, version, kind, reason, at FROM plugin_event
         WHERE client_id = $1 AND plugin = $2 ORDER BY id DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(offset)
    .bind(limit)
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM plugin_event WHERE client_id = $1 AND plugin = $2")
        .bind(client.0)
        .bind(plugin)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}
