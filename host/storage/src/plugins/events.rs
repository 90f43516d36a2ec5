use chrono::{DateTime, Utc};
use domain::{ids::ClientId, page::PageRequest};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PluginEvent {
    pub id: Uuid,
    pub plugin: String,
    pub version: Option<i32>,
    pub kind: String,
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

/// Stores an event. Call it in the transaction of its cause.
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

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    page: PageRequest,
) -> Result<(Vec<PluginEvent>, i64)> {
    let rows: Vec<PluginEvent> = sqlx::query_as(
        "SELECT id, plugin, version, kind, reason, at FROM plugin_event
         WHERE client_id = $1 AND plugin = $2 ORDER BY id DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM plugin_event WHERE client_id = $1 AND plugin = $2")
        .bind(client.0)
        .bind(plugin)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}

/// Returns the reason of the newest event of a kind.
pub async fn last_reason(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    version: Option<i32>,
    kind: &str,
) -> Result<Option<String>> {
    let reason: Option<Option<String>> = sqlx::query_scalar(
        "SELECT reason FROM plugin_event
         WHERE client_id = $1 AND plugin = $2 AND version IS NOT DISTINCT FROM $3 AND kind = $4 ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(version)
    .bind(kind)
    .fetch_optional(db)
    .await?;
    Ok(reason.flatten())
}
