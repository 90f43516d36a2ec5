//! Templates that chatbots send later. The queue `scheduled_template`, with one lane for each template.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, ParticipantId},
    opaque_json::OpaqueJson,
};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq)]
pub struct ScheduledTemplate {
    /// Also its lane.
    pub id: Uuid,
    /// The chat when the template was scheduled. It may have been merged into another one.
    pub participant: ParticipantId,
    pub plugin: String,
    pub name: String,
    pub template: OpaqueJson,
    pub due_at: DateTime<Utc>,
}

/// Stores a template. One of the same chat, plugin and name is replaced.
pub async fn schedule(db: &mut PgConnection, client: ClientId, scheduled: &ScheduledTemplate) -> Result<()> {
    cancel(db, client, scheduled.participant, &scheduled.plugin, &scheduled.name).await?;
    sqlx::query(
        "INSERT INTO scheduled_template (client_id, id, lane_id, participant_id, plugin, name, template, due_at)
         VALUES ($1, $2, $2, $3, $4, $5, $6, $7)",
    )
    .bind(client.0)
    .bind(scheduled.id)
    .bind(scheduled.participant.0)
    .bind(&scheduled.plugin)
    .bind(&scheduled.name)
    .bind(Json(&scheduled.template))
    .bind(scheduled.due_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn cancel(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    plugin: &str,
    name: &str,
) -> Result<()> {
    sqlx::query(
        "DELETE FROM scheduled_template WHERE client_id = $1 AND participant_id = $2 AND plugin = $3 AND name = $4",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(plugin)
    .bind(name)
    .execute(db)
    .await?;
    Ok(())
}

/// The names of the waiting templates of a chat and plugin.
pub async fn names(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    plugin: &str,
) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar(
        "SELECT name FROM scheduled_template WHERE client_id = $1 AND participant_id = $2 AND plugin = $3",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(plugin)
    .fetch_all(db)
    .await?)
}

#[derive(sqlx::FromRow)]
struct TemplateRow {
    id: Uuid,
    participant_id: Uuid,
    plugin: String,
    name: String,
    template: Json<OpaqueJson>,
    due_at: DateTime<Utc>,
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<Option<ScheduledTemplate>> {
    let row: Option<TemplateRow> = sqlx::query_as(
        "SELECT id, participant_id, plugin, name, template, due_at FROM scheduled_template
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| ScheduledTemplate {
        id: row.id,
        participant: ParticipantId(row.participant_id),
        plugin: row.plugin,
        name: row.name,
        template: row.template.0,
        due_at: row.due_at,
    }))
}

pub async fn remove(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<()> {
    sqlx::query("DELETE FROM scheduled_template WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}
