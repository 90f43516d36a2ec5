use chrono::{DateTime, Utc};
use domain::{body::FieldFault, ids::ClientId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

/// Seconds of silence after which an upload counts as abandoned.
const SILENT_SECONDS: i32 = 60;

#[derive(Debug, Clone, PartialEq)]
pub struct Upload {
    pub id: Uuid,
    pub plugin: String,
    pub size: i64,
    pub state: UploadState,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum UploadState {
    Compiling,
    Abandoned,
    Ready(i32),
    Refused(RefusedUpload),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefusedUpload {
    pub kind: String,
    pub said: String,
    pub faults: Vec<FieldFault>,
    pub wait_seconds: Option<u64>,
}

pub async fn begin(db: &mut PgConnection, client: ClientId, upload: &Upload) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_upload (client_id, id, plugin, size, state, created_at, seen_at)
         VALUES ($1, $2, $3, $4, 'COMPILING', $5, now())",
    )
    .bind(client.0)
    .bind(upload.id)
    .bind(&upload.plugin)
    .bind(upload.size)
    .bind(upload.created_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn touch(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<()> {
    sqlx::query("UPDATE plugin_upload SET seen_at = now() WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn end(
    db: &mut PgConnection,
    client: ClientId,
    id: Uuid,
    ended: std::result::Result<i32, &RefusedUpload>,
) -> Result<()> {
    sqlx::query("UPDATE plugin_upload SET state = $3, version = $4, refused = $5, seen_at = now() WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id)
        .bind(if ended.is_ok() { "READY" } else { "REFUSED" })
        .bind(ended.ok())
        .bind(ended.err().map(column_values::write))
        .execute(db)
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    plugin: String,
    size: i64,
    version: Option<i32>,
    refused: Option<UnreadJson>,
    is_silent: bool,
    created_at: DateTime<Utc>,
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<Option<Upload>> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT plugin, size, version, refused, seen_at < now() - make_interval(secs => $3) AS is_silent, created_at
         FROM plugin_upload WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id)
    .bind(f64::from(SILENT_SECONDS))
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let state = match (row.version, &row.refused) {
        (Some(version), _) => UploadState::Ready(version),
        (None, Some(refused)) => UploadState::Refused(column_values::read("plugin_upload", "refused", refused)?),
        (None, None) if row.is_silent => UploadState::Abandoned,
        (None, None) => UploadState::Compiling,
    };
    Ok(Some(Upload { id, plugin: row.plugin, size: row.size, state, created_at: row.created_at }))
}
