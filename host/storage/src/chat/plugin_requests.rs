//! Requests that chatbots started and that have not ended. The queue `plugin_request`, with one lane for each request.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ParticipantId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRequest {
    /// Also its lane.
    pub id: Uuid,
    pub participant: ParticipantId,
    pub plugin: String,
    pub job: String,
    pub control_version: i64,
    pub sealed: Vec<u8>,
    pub deadline_at: DateTime<Utc>,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, request: &OpenRequest, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_request (client_id, id, lane_id, participant_id, plugin, job, control_version, request_sealed,
                                     deadline_at, due_at)
         VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(client.0)
    .bind(request.id)
    .bind(request.participant.0)
    .bind(&request.plugin)
    .bind(&request.job)
    .bind(request.control_version)
    .bind(&request.sealed)
    .bind(request.deadline_at)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct RequestRow {
    id: Uuid,
    participant_id: Uuid,
    plugin: String,
    job: String,
    control_version: i64,
    request_sealed: Vec<u8>,
    deadline_at: DateTime<Utc>,
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<Option<OpenRequest>> {
    let row: Option<RequestRow> = sqlx::query_as(
        "SELECT id, participant_id, plugin, job, control_version, request_sealed, deadline_at FROM plugin_request
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| OpenRequest {
        id: row.id,
        participant: ParticipantId(row.participant_id),
        plugin: row.plugin,
        job: row.job,
        control_version: row.control_version,
        sealed: row.request_sealed,
        deadline_at: row.deadline_at,
    }))
}

/// Counts the open requests of a client and of one of its chats.
pub async fn open(db: &mut PgConnection, client: ClientId, participant: ParticipantId) -> Result<(i64, i64)> {
    Ok(sqlx::query_as(
        "SELECT count(*), count(*) FILTER (WHERE participant_id = $2) FROM plugin_request WHERE client_id = $1",
    )
    .bind(client.0)
    .bind(participant.0)
    .fetch_one(db)
    .await?)
}

pub async fn remove(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<bool> {
    let done = sqlx::query("DELETE FROM plugin_request WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}
