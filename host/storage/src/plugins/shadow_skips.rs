//! Comparisons with a shadow that were skipped for lack of room (`plugin_shadow_skip`).

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Most shadows of a plugin in an answer, the latest ones.
const MOST_SHADOWS: i64 = 100;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SkippedCount {
    #[sqlx(rename = "activation_id")]
    pub activation: Uuid,
    pub plugin: String,
    pub version: Option<i32>,
    pub comparisons: i64,
    pub last_at: DateTime<Utc>,
}

pub async fn add(db: &mut PgConnection, client: ClientId, skipped: &[SkippedCount]) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_shadow_skip AS known (client_id, activation_id, plugin, version, comparisons, last_at)
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::integer[], $5::bigint[], $6::timestamptz[])
         ON CONFLICT (client_id, activation_id) DO UPDATE
         SET comparisons = known.comparisons + excluded.comparisons, last_at = greatest(known.last_at, excluded.last_at)",
    )
    .bind(client.0)
    .bind(skipped.iter().map(|one| one.activation).collect::<Vec<_>>())
    .bind(skipped.iter().map(|one| one.plugin.as_str()).collect::<Vec<_>>())
    .bind(skipped.iter().map(|one| one.version).collect::<Vec<_>>())
    .bind(skipped.iter().map(|one| one.comparisons).collect::<Vec<_>>())
    .bind(skipped.iter().map(|one| one.last_at).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn of_plugin(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<Vec<SkippedCount>> {
    Ok(sqlx::query_as(
        "SELECT activation_id, plugin, version, comparisons, last_at FROM plugin_shadow_skip
         WHERE client_id = $1 AND plugin = $2 ORDER BY last_at DESC LIMIT $3",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(MOST_SHADOWS)
    .fetch_all(db)
    .await?)
}
