//! Files of customers: known when the message comes, downloaded a little later.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId, MediaId};
use uuid::Uuid;

use crate::{Error, PgConnection, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaState {
    Pending,
    Ready,
    Failed,
}

#[derive(Debug, Clone)]
pub struct NewMedia {
    /// Its id, which is part of its address.
    pub id: MediaId,
    /// The inbox whose credentials download it.
    pub inbox: InboxId,
    pub provider_media_id: String,
    /// Direct address at the provider, if the callback had one.
    pub source_url: Option<String>,
    pub mime_type: String,
    /// File name extension without the dot.
    pub extension: String,
    pub filename: Option<String>,
    /// Digest from the provider, base64 or hexadecimal.
    pub sha256: Option<String>,
}

#[derive(Debug, Clone)]
pub struct MediaRecord {
    pub id: MediaId,
    pub inbox: InboxId,
    pub state: MediaState,
    pub provider_media_id: String,
    pub source_url: Option<String>,
    pub mime_type: String,
    pub extension: String,
    pub filename: Option<String>,
    /// Digest: that of the provider while pending, then ours in hexadecimal.
    pub sha256: Option<String>,
    /// Size in bytes. `None` until the file is stored.
    pub size: Option<u64>,
    pub attempts: i16,
}

#[derive(sqlx::FromRow)]
struct MediaRow {
    id: Uuid,
    lane_id: Uuid,
    state: String,
    provider_media_id: String,
    source_url: Option<String>,
    mime_type: String,
    extension: String,
    filename: Option<String>,
    sha256: Option<String>,
    size_bytes: Option<i64>,
    attempts: i16,
}

impl TryFrom<MediaRow> for MediaRecord {
    type Error = Error;

    fn try_from(row: MediaRow) -> Result<Self> {
        let state = match row.state.as_str() {
            "PENDING" => MediaState::Pending,
            "READY" => MediaState::Ready,
            "FAILED" => MediaState::Failed,
            _ => return Err(Error::Inconsistent { table: "media", column: "state", value: row.state }),
        };
        Ok(Self {
            id: MediaId(row.id),
            inbox: InboxId(row.lane_id),
            state,
            provider_media_id: row.provider_media_id,
            source_url: row.source_url,
            mime_type: row.mime_type,
            extension: row.extension,
            filename: row.filename,
            sha256: row.sha256,
            size: row.size_bytes.and_then(|bytes| u64::try_from(bytes).ok()),
            attempts: row.attempts,
        })
    }
}

const COLUMNS: &str =
    "id, lane_id, state, provider_media_id, source_url, mime_type, extension, filename, sha256, size_bytes, attempts";

/// The `provider_media_id` of a file that a visitor of a site uploaded.
pub fn uploaded_by(visitor: &str) -> String {
    format!("web:{visitor}")
}

pub async fn insert(db: &mut PgConnection, client: ClientId, media: &NewMedia, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO media (client_id, id, lane_id, provider_media_id, source_url, mime_type, extension, filename, sha256,
                            due_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)",
    )
    .bind(client.0)
    .bind(media.id.0)
    .bind(media.inbox.0)
    .bind(&media.provider_media_id)
    .bind(media.source_url.as_deref())
    .bind(&media.mime_type)
    .bind(&media.extension)
    .bind(media.filename.as_deref())
    .bind(media.sha256.as_deref())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct OwnMedia<'a> {
    pub id: MediaId,
    pub mime_type: &'a str,
    pub extension: &'a str,
    pub filename: Option<&'a str>,
    pub sha256: &'a str,
    pub bytes: i64,
}

/// The bytes of the files of the business, not of customers, whose ids are later than `after`. Leaves out `except`.
pub async fn own_bytes(db: &mut PgConnection, client: ClientId, after: Uuid, except: &[MediaId]) -> Result<i64> {
    let except: Vec<Uuid> = except.iter().map(|file| file.0).collect();
    let bytes = sqlx::query_scalar(
        "SELECT COALESCE(sum(size_bytes), 0)::bigint FROM media
         WHERE client_id = $1 AND id > $2 AND lane_id = $3 AND id <> ALL ($4::uuid[])",
    )
    .bind(client.0)
    .bind(after)
    .bind(Uuid::nil())
    .bind(except)
    .fetch_one(db)
    .await?;
    Ok(bytes)
}

pub async fn insert_own(
    db: &mut PgConnection,
    client: ClientId,
    media: &OwnMedia<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO media (client_id, id, lane_id, state, provider_media_id, mime_type, extension, filename, sha256,
                            size_bytes, ready, due_at, created_at)
         VALUES ($1, $2, $3, 'READY', '', $4, $5, $6, $7, $8, false, $9, $9)",
    )
    .bind(client.0)
    .bind(media.id.0)
    .bind(Uuid::nil())
    .bind(media.mime_type)
    .bind(media.extension)
    .bind(media.filename)
    .bind(media.sha256)
    .bind(media.bytes)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: MediaId) -> Result<Option<MediaRecord>> {
    let row: Option<MediaRow> =
        sqlx::query_as(&format!("SELECT {COLUMNS} FROM media WHERE client_id = $1 AND id = $2"))
            .bind(client.0)
            .bind(id.0)
            .fetch_optional(db)
            .await?;
    row.map(MediaRecord::try_from).transpose()
}

pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<MediaRecord>> {
    let rows: Vec<MediaRow> = sqlx::query_as(&format!(
        "SELECT {COLUMNS} FROM media WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING' AND ready AND due_at <= $3
         ORDER BY due_at LIMIT $4"
    ))
    .bind(client.0)
    .bind(inbox.0)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(MediaRecord::try_from).collect()
}

/// A file that is stored.
#[derive(Debug, Clone, Copy)]
pub struct ReadyMedia<'a> {
    pub id: MediaId,
    pub sha256: &'a str,
    pub bytes: i64,
    /// MIME type and extension if the bytes are of another type than declared.
    pub judged: Option<(&'a str, &'a str)>,
}

pub async fn mark_ready(
    db: &mut PgConnection,
    client: ClientId,
    ReadyMedia { id, sha256, bytes, judged }: ReadyMedia<'_>,
) -> Result<()> {
    sqlx::query(
        "UPDATE media SET state = 'READY', sha256 = $3, size_bytes = $4, source_url = NULL,
             mime_type = COALESCE($5, mime_type), extension = COALESCE($6, extension)
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(sha256)
    .bind(bytes)
    .bind(judged.map(|(mime_type, _)| mime_type))
    .bind(judged.map(|(_, extension)| extension))
    .execute(db)
    .await?;
    Ok(())
}

/// Counts a failure. The file is due again at `due_at`; `None` gives it up.
pub async fn mark_failed_attempt(
    db: &mut PgConnection,
    client: ClientId,
    id: MediaId,
    due_at: Option<DateTime<Utc>>,
) -> Result<()> {
    sqlx::query(
        "UPDATE media SET attempts = attempts + 1, due_at = COALESCE($3, due_at), ready = false,
             state = CASE WHEN $3 IS NULL THEN 'FAILED' ELSE state END
         WHERE client_id = $1 AND id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn older_than(db: &mut PgConnection, before: DateTime<Utc>, limit: i64) -> Result<Vec<(ClientId, MediaId)>> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as("SELECT client_id, id FROM media WHERE id < $1 ORDER BY id LIMIT $2")
        .bind(domain::clock::first_id_at(before))
        .bind(limit)
        .fetch_all(db)
        .await?;
    Ok(rows.into_iter().map(|(client, id)| (ClientId(client), MediaId(id))).collect())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, id: MediaId) -> Result<()> {
    sqlx::query("DELETE FROM media WHERE client_id = $1 AND id = $2").bind(client.0).bind(id.0).execute(db).await?;
    Ok(())
}
