//! Calls with all inputs and outputs, for replays (`plugin_recording`).

use domain::{ids::ClientId, page::PageRequest};
use uuid::Uuid;

use super::activations::RecordingTerms;
use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RecordingRow {
    pub id: Uuid,
    #[sqlx(rename = "activation_id")]
    pub activation: Uuid,
    pub plugin: String,
    pub version: Option<i32>,
    pub world: String,
    #[sqlx(rename = "subject_id")]
    pub subject: Uuid,
    /// The recording, byte for byte as the plugin host wrote it.
    pub recording: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordingResult {
    pub kept: bool,
    /// Set if there is no room for another one.
    pub full: Option<RecordingEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordingEnd {
    Calls,
    Bytes,
}

#[derive(sqlx::FromRow)]
struct Sums {
    calls: i64,
    bytes: i64,
}

impl Sums {
    /// `bytes`: of this recording.
    fn judge(&self, bytes: i64, terms: &RecordingTerms) -> RecordingResult {
        let (calls, bytes) = (self.calls + 1, self.bytes.saturating_add(bytes));
        let most_calls = i64::from(terms.max_calls);
        let kept = calls <= most_calls && bytes <= terms.max_bytes;
        let full = if calls > most_calls || (kept && calls == most_calls) {
            Some(RecordingEnd::Calls)
        } else {
            (bytes >= terms.max_bytes).then_some(RecordingEnd::Bytes)
        };
        RecordingResult { kept, full }
    }
}

/// Stores a recording if the terms leave room for it. Two concurrent calls may both be the last one.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    recording: &RecordingRow,
    terms: &RecordingTerms,
) -> Result<RecordingResult> {
    let sums: Sums = sqlx::query_as(
        "SELECT count(*) AS calls, coalesce(sum(bytes), 0)::bigint AS bytes FROM plugin_recording
         WHERE client_id = $1 AND activation_id = $2 AND id >= $3",
    )
    .bind(client.0)
    .bind(recording.activation)
    .bind(terms.first)
    .fetch_one(&mut *db)
    .await?;
    let keeping = sums.judge(i64::try_from(recording.recording.len()).unwrap_or(i64::MAX), terms);
    if !keeping.kept {
        return Ok(keeping);
    }
    sqlx::query(
        "INSERT INTO plugin_recording (client_id, id, activation_id, plugin, version, world, subject_id, recording)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(client.0)
    .bind(recording.id)
    .bind(recording.activation)
    .bind(&recording.plugin)
    .bind(recording.version)
    .bind(&recording.world)
    .bind(recording.subject)
    .bind(&recording.recording)
    .execute(db)
    .await?;
    Ok(keeping)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct ListedRecording {
    pub id: Uuid,
    pub bytes: i64,
}

/// A page of recordings, newest first, and the total: all, or those of one subject. They are found among those of the
/// plugin, which the terms of recordings bound. Read their long contents with [`of_ids`].
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    subject: Option<Uuid>,
    page: PageRequest,
) -> Result<(Vec<ListedRecording>, i64)> {
    let rows: Vec<ListedRecording> = sqlx::query_as(
        "SELECT id, bytes::bigint AS bytes FROM plugin_recording
         WHERE client_id = $1 AND plugin = $2 AND ($3::uuid IS NULL OR subject_id = $3)
         ORDER BY id DESC OFFSET $4 LIMIT $5",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(subject)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM plugin_recording
         WHERE client_id = $1 AND plugin = $2 AND ($3::uuid IS NULL OR subject_id = $3)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(subject)
    .fetch_one(db)
    .await?;
    Ok((rows, total))
}

pub async fn of_ids(db: &mut PgConnection, client: ClientId, ids: &[Uuid]) -> Result<Vec<RecordingRow>> {
    Ok(sqlx::query_as(
        "SELECT id, activation_id, plugin, version, world, subject_id, recording
         FROM plugin_recording WHERE client_id = $1 AND id = ANY($2) ORDER BY id DESC",
    )
    .bind(client.0)
    .bind(ids)
    .fetch_all(db)
    .await?)
}

pub async fn older(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    before: Uuid,
    limit: i64,
) -> Result<Vec<RecordingRow>> {
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
