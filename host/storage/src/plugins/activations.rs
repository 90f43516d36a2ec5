//! Activations in force (`plugin_activation`) and all past ones (`plugin_activation_history`), which a rollback needs.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    opaque_json::OpaqueJson,
};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// The mode in which the answers of a plugin take effect.
pub const LIVE: &str = "live";

#[derive(Debug, Clone, PartialEq)]
pub struct Activation {
    pub id: Uuid,
    /// `chatbot`, `sms-fallback`, `webhook-shaper` or `router`.
    pub world: String,
    /// `None` = all inboxes that have none of their own.
    pub inbox: Option<InboxId>,
    /// `live`, `shadow` or `canary`.
    pub mode: String,
    pub plugin: String,
    /// The upload of that name; `None`: shipped with the program, or a file of the plugins directory.
    pub upload: Option<ActivatedUpload>,
    /// Configuration of the plugin, in the form of its author. Its secrets are sealed.
    pub config: OpaqueJson,
    pub allowed_hosts: Vec<String>,
    pub http_limits: ActivatedHttpLimits,
    /// Share of subjects that a canary answers for, 1 to 100.
    pub percent: i16,
    pub error_threshold: i16,
    /// Calls of a canary before its failure rate is judged.
    pub minimum_calls: i32,
    pub previous: Option<Uuid>,
    pub recording: Option<RecordingTerms>,
    pub activated_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivatedUpload {
    pub version: i32,
    /// Hash of the bytes, in hexadecimal.
    pub sha256: String,
}

/// `None` = the limit of the operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActivatedHttpLimits {
    pub timeout_ms: Option<i32>,
    pub response_bytes: Option<i64>,
    pub requests: Option<i32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RecordingTerms {
    /// Share of calls, above 0 and up to 1.
    pub sample: f64,
    pub max_calls: i32,
    pub max_bytes: i64,
    /// Recordings with ids from this one count.
    pub first: Uuid,
    pub until: DateTime<Utc>,
    /// The reason why the recording ended, in words; `None` if it continues.
    pub stopped: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PastActivation {
    pub activation: Activation,
    pub ended_at: Option<DateTime<Utc>>,
    /// `replaced`, `promoted`, `rolled-back`, `deactivated` or `canary-failed`.
    pub end_reason: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    world: String,
    inbox_id: Uuid,
    mode: String,
    plugin: String,
    version: Option<i32>,
    sha256: Option<String>,
    config: Json<OpaqueJson>,
    allowed_hosts: Vec<String>,
    http_timeout_ms: Option<i32>,
    http_response_bytes: Option<i64>,
    http_requests: Option<i32>,
    percent: i16,
    error_threshold: i16,
    minimum_calls: i32,
    previous_id: Option<Uuid>,
    recording_sample: Option<f64>,
    recording_max_calls: Option<i32>,
    recording_max_bytes: i64,
    recording_first: Option<Uuid>,
    recording_until: Option<DateTime<Utc>>,
    recording_stopped: Option<String>,
    activated_at: DateTime<Utc>,
}

impl From<Row> for Activation {
    fn from(row: Row) -> Self {
        let recording = match (row.recording_sample, row.recording_max_calls, row.recording_first, row.recording_until)
        {
            (Some(sample), Some(max_calls), Some(first), Some(until)) => {
                let (max_bytes, stopped) = (row.recording_max_bytes, row.recording_stopped);
                Some(RecordingTerms { sample, max_calls, max_bytes, first, until, stopped })
            }
            _ => None,
        };
        Self {
            id: row.id,
            world: row.world,
            inbox: Some(InboxId(row.inbox_id)).filter(|inbox| !inbox.0.is_nil()),
            mode: row.mode,
            plugin: row.plugin,
            upload: row.version.zip(row.sha256).map(|(version, sha256)| ActivatedUpload { version, sha256 }),
            config: row.config.0,
            allowed_hosts: row.allowed_hosts,
            http_limits: ActivatedHttpLimits {
                timeout_ms: row.http_timeout_ms,
                response_bytes: row.http_response_bytes,
                requests: row.http_requests,
            },
            percent: row.percent,
            error_threshold: row.error_threshold,
            minimum_calls: row.minimum_calls,
            previous: row.previous_id,
            recording,
            activated_at: row.activated_at,
        }
    }
}

#[derive(sqlx::FromRow)]
struct PastRow {
    #[sqlx(flatten)]
    row: Row,
    ended_at: Option<DateTime<Utc>>,
    end_reason: Option<String>,
}

impl From<PastRow> for PastActivation {
    fn from(past: PastRow) -> Self {
        Self { activation: past.row.into(), ended_at: past.ended_at, end_reason: past.end_reason }
    }
}

fn scope(inbox: Option<InboxId>) -> Uuid {
    inbox.map_or(Uuid::nil(), |inbox| inbox.0)
}

pub async fn lock(db: &mut PgConnection, client: ClientId) -> Result<()> {
    sqlx::query("SELECT 1 FROM client WHERE id = $1 FOR NO KEY UPDATE").bind(client.0).execute(db).await?;
    Ok(())
}

/// Returns the activations of these worlds in force on an inbox: of the inbox first, then of the whole client.
pub async fn in_force(
    db: &mut PgConnection,
    client: ClientId,
    worlds: &[&str],
    inbox: InboxId,
) -> Result<Vec<Activation>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, http_timeout_ms,
                http_response_bytes, http_requests, percent, error_threshold, minimum_calls, previous_id, recording_sample, recording_max_calls, recording_max_bytes, recording_first,
                recording_until, recording_stopped, activated_at
         FROM plugin_activation
         WHERE client_id = $1 AND world = ANY($2) AND inbox_id IN ($3, '00000000-0000-0000-0000-000000000000')
         ORDER BY inbox_id DESC, mode",
    )
    .bind(client.0)
    .bind(worlds)
    .bind(inbox.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Activation::from).collect())
}

pub async fn in_scope(
    db: &mut PgConnection,
    client: ClientId,
    world: &str,
    inbox: Option<InboxId>,
) -> Result<Vec<Activation>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, http_timeout_ms,
                http_response_bytes, http_requests, percent, error_threshold, minimum_calls, previous_id, recording_sample, recording_max_calls, recording_max_bytes, recording_first,
                recording_until, recording_stopped, activated_at
         FROM plugin_activation WHERE client_id = $1 AND world = $2 AND inbox_id = $3 ORDER BY mode",
    )
    .bind(client.0)
    .bind(world)
    .bind(scope(inbox))
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Activation::from).collect())
}

pub async fn list(db: &mut PgConnection, client: ClientId, plugin: Option<&str>) -> Result<Vec<Activation>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, http_timeout_ms,
                http_response_bytes, http_requests, percent, error_threshold, minimum_calls, previous_id, recording_sample, recording_max_calls, recording_max_bytes, recording_first,
                recording_until, recording_stopped, activated_at
         FROM plugin_activation WHERE client_id = $1 AND ($2::text IS NULL OR plugin = $2)
         ORDER BY world, inbox_id, mode",
    )
    .bind(client.0)
    .bind(plugin)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Activation::from).collect())
}

/// Fills a slot, which must be empty, and begins its history.
pub async fn begin(db: &mut PgConnection, client: ClientId, activation: &Activation) -> Result<()> {
    let upload = activation.upload.as_ref();
    sqlx::query(
        "WITH begun AS (
             INSERT INTO plugin_activation
                 (client_id, id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, percent,
                  error_threshold, minimum_calls, previous_id, activated_at, http_timeout_ms, http_response_bytes,
                  http_requests)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18))
         INSERT INTO plugin_activation_history
             (client_id, id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, percent,
              error_threshold, minimum_calls, previous_id, activated_at, http_timeout_ms, http_response_bytes,
              http_requests)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(client.0)
    .bind(activation.id)
    .bind(&activation.world)
    .bind(scope(activation.inbox))
    .bind(&activation.mode)
    .bind(&activation.plugin)
    .bind(upload.map(|upload| upload.version))
    .bind(upload.map(|upload| upload.sha256.as_str()))
    .bind(Json(&activation.config))
    .bind(&activation.allowed_hosts)
    .bind(activation.percent)
    .bind(activation.error_threshold)
    .bind(activation.minimum_calls)
    .bind(activation.previous)
    .bind(activation.activated_at)
    .bind(activation.http_limits.timeout_ms)
    .bind(activation.http_limits.response_bytes)
    .bind(activation.http_limits.requests)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn end(
    db: &mut PgConnection,
    client: ClientId,
    activation: Uuid,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let gone = sqlx::query("DELETE FROM plugin_activation WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(activation)
        .execute(&mut *db)
        .await?;
    if gone.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("UPDATE plugin_activation_history SET ended_at = $3, end_reason = $4 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(activation)
        .bind(now)
        .bind(reason)
        .execute(db)
        .await?;
    Ok(true)
}

pub async fn past(db: &mut PgConnection, client: ClientId, activation: Uuid) -> Result<Option<PastActivation>> {
    let row: Option<PastRow> = sqlx::query_as(
        "SELECT id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, http_timeout_ms,
                http_response_bytes, http_requests, percent, error_threshold, minimum_calls, previous_id, NULL::float8 AS recording_sample, NULL::integer AS recording_max_calls,
                0::bigint AS recording_max_bytes, NULL::uuid AS recording_first, NULL::timestamptz AS recording_until,
                NULL::text AS recording_stopped, activated_at, ended_at, end_reason
         FROM plugin_activation_history WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(activation)
    .fetch_optional(db)
    .await?;
    Ok(row.map(PastActivation::from))
}

pub async fn latest_live(
    db: &mut PgConnection,
    client: ClientId,
    world: &str,
    inbox: Option<InboxId>,
) -> Result<Option<PastActivation>> {
    let row: Option<PastRow> = sqlx::query_as(
        "SELECT id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, http_timeout_ms,
                http_response_bytes, http_requests, percent, error_threshold, minimum_calls, previous_id, NULL::float8 AS recording_sample, NULL::integer AS recording_max_calls,
                0::bigint AS recording_max_bytes, NULL::uuid AS recording_first, NULL::timestamptz AS recording_until,
                NULL::text AS recording_stopped, activated_at, ended_at, end_reason
         FROM plugin_activation_history WHERE client_id = $1 AND world = $2 AND inbox_id = $3 AND mode = 'live'
         ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(world)
    .bind(scope(inbox))
    .fetch_optional(db)
    .await?;
    Ok(row.map(PastActivation::from))
}

pub async fn history(db: &mut PgConnection, client: ClientId, plugin: &str, limit: i64) -> Result<Vec<PastActivation>> {
    let rows: Vec<PastRow> = sqlx::query_as(
        "SELECT id, world, inbox_id, mode, plugin, version, sha256, config, allowed_hosts, http_timeout_ms,
                http_response_bytes, http_requests, percent, error_threshold, minimum_calls, previous_id, NULL::float8 AS recording_sample, NULL::integer AS recording_max_calls,
                0::bigint AS recording_max_bytes, NULL::uuid AS recording_first, NULL::timestamptz AS recording_until,
                NULL::text AS recording_stopped, activated_at, ended_at, end_reason
         FROM plugin_activation_history WHERE client_id = $1 AND plugin = $2 ORDER BY id DESC LIMIT $3",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(PastActivation::from).collect())
}

/// Sets the terms for recording an activation's calls; `None` ends it. `false` if the activation is not in force.
pub async fn set_recording(
    db: &mut PgConnection,
    client: ClientId,
    activation: Uuid,
    terms: Option<&RecordingTerms>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE plugin_activation SET recording_sample = $3, recording_max_calls = $4, recording_first = $5,
                recording_until = $6, recording_max_bytes = coalesce($7, recording_max_bytes), recording_stopped = $8
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(activation)
    .bind(terms.map(|terms| terms.sample))
    .bind(terms.map(|terms| terms.max_calls))
    .bind(terms.map(|terms| terms.first))
    .bind(terms.map(|terms| terms.until))
    .bind(terms.map(|terms| terms.max_bytes))
    .bind(terms.and_then(|terms| terms.stopped.as_deref()))
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a full recording for a reason in words; `false` if it ended or began again.
pub async fn stop_recording(
    db: &mut PgConnection,
    client: ClientId,
    activation: Uuid,
    terms: &RecordingTerms,
    reason: &str,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE plugin_activation SET recording_stopped = $4
         WHERE client_id = $1 AND id = $2 AND recording_first = $3 AND recording_stopped IS NULL",
    )
    .bind(client.0)
    .bind(activation)
    .bind(terms.first)
    .bind(reason)
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ActiveVersion {
    pub client_id: Uuid,
    pub plugin: String,
    pub version: i32,
    pub sha256: String,
}

/// Uploaded versions that were activated since a moment, newest first. Nodes load them before their first call.
pub async fn activated_since(db: &mut PgConnection, since: DateTime<Utc>, limit: i64) -> Result<Vec<ActiveVersion>> {
    Ok(sqlx::query_as(
        "SELECT client_id, plugin, version, sha256 FROM plugin_activation
         WHERE version IS NOT NULL AND activated_at >= $1 ORDER BY activated_at DESC LIMIT $2",
    )
    .bind(since)
    .bind(limit)
    .fetch_all(db)
    .await?)
}
