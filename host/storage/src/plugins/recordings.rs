//! Calls with all that went in and out, to be made again (`plugin_recording`).

use domain::ids::ClientId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::activations::RecordingTerms;
use crate::Result;

/// A recorded call.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Recording {
    /// Its id: that of the invocation.
    pub id: Uuid,
    /// The activation that it was made for.
    #[sqlx(rename = "activation_id")]
    pub activation: Uuid,
    /// Name of the plugin.
    pub plugin: String,
    /// Its version.
    pub version: Option<i32>,
    /// Its world.
    pub world: String,
    /// What the call was about: a participant, a message, a delivery.
    #[sqlx(rename = "subject_id")]
    pub subject: Uuid,
    /// The recording as the plugin host wrote it, byte for byte.
    pub recording: String,
}

/// Keeps a recording, unless there are as many as the terms allow; `false` then. Two calls at once may both be the last.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    recording: &Recording,
    terms: &RecordingTerms,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO plugin_recording (client_id, id, activation_id, plugin, version, world, subject_id, recording)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8
         WHERE (SELECT count(*) FROM plugin_recording WHERE client_id = $1 AND activation_id = $3 AND id >= $9) < $10",
    )
    .bind(client.0)
    .bind(recording.id)
    .bind(recording.activation)
    .bind(&recording.plugin)
    .bind(recording.version)
    .bind(&recording.world)
    .bind(recording.subject)
    .bind(&recording.recording)
    .bind(terms.first)
    .bind(terms.max_calls)
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// A page of the recordings of a plugin, newest first, and how many there are in all.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    (offset, limit): (i64, i64),
) -> Result<(Vec<Recording>, i64)> {
    let rows: Vec<Recording> = sqlx::query_as(
        "SELECT id, activation_id, plugin, version, world, subject_id, recording
         FROM plugin_recording WHERE client_id = $1 AND plugin = $2 ORDER BY id DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(offset)
    .bind(limit)
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM plugin_recording WHERE client_id = $1 AND plugin = $2")
        .bind(client.0)
        .bind(plugin)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}

/// Recordings of a plugin that are older than `before`, the newest first.
pub async fn older(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    before: Uuid,
    limit: i64,
) -> Result<Vec<Recording>> {
    Ok(sqlx::query_as(
        "SELECT id, activation_id, plugin, version, world, subject_id, recording
         FROM plugin_recording WHERE client_id = $1 AND plugin = $2 AND id < $3 ORDER BY id DESC LIMIT $4",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(before)
    .bind(limit)
    .fetch_all(db)
    .await?)
}
