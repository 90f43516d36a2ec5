//! Differences between the answers of a shadow and of the live version (`plugin_difference`).

use domain::{ids::ClientId, opaque_json::OpaqueJson, page::PageRequest};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct AnswerDifference {
    pub id: Uuid,
    #[sqlx(rename = "activation_id")]
    pub activation: Uuid,
    pub plugin: String,
    pub version: Option<i32>,
    pub live_plugin: String,
    pub live_version: Option<i32>,
    /// Subject of the question: a participant, a message, a delivery.
    #[sqlx(rename = "subject_id")]
    pub subject: Uuid,
    /// The answer that took effect, in the form of its world and interface version. It is only shown.
    #[sqlx(json)]
    pub live: OpaqueJson,
    #[sqlx(json)]
    pub shadow: OpaqueJson,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, difference: &AnswerDifference) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_difference (client_id, id, activation_id, plugin, version, live_plugin, live_version, subject_id,
                                        live, shadow)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(client.0)
    .bind(difference.id)
    .bind(difference.activation)
    .bind(&difference.plugin)
    .bind(difference.version)
    .bind(&difference.live_plugin)
    .bind(difference.live_version)
    .bind(difference.subject)
    .bind(Json(&difference.live))
    .bind(Json(&difference.shadow))
    .execute(db)
    .await?;
    Ok(())
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    page: PageRequest,
) -> Result<(Vec<AnswerDifference>, i64)> {
    let rows: Vec<AnswerDifference> = sqlx::query_as(
        "SELECT id, activation_id, plugin, version, live_plugin, live_version, subject_id, live, shadow
         FROM plugin_difference WHERE client_id = $1 AND plugin = $2 ORDER BY id DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM plugin_difference WHERE client_id = $1 AND plugin = $2")
        .bind(client.0)
        .bind(plugin)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}
