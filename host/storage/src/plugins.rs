//! Which plugin serves which world of a client, and what its calls did.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, NumberId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// A plugin that serves a world of a client, on one of its numbers or on all.
#[derive(Debug, Clone, PartialEq)]
pub struct Activation {
    /// `chatbot`, `sms-fallback` or `webhook-shaper`.
    pub world: String,
    /// `None` = all numbers that have none of their own.
    pub number: Option<NumberId>,
    /// Name of the plugin.
    pub plugin: String,
    /// What the plugin reads as its configuration.
    pub config: Value,
    /// Since when.
    pub activated_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct ActivationRow {
    world: String,
    number_id: Uuid,
    plugin: String,
    config: Value,
    activated_at: DateTime<Utc>,
}

impl From<ActivationRow> for Activation {
    fn from(row: ActivationRow) -> Self {
        Self {
            world: row.world,
            number: Some(NumberId(row.number_id)).filter(|number| !number.0.is_nil()),
            plugin: row.plugin,
            config: row.config,
            activated_at: row.activated_at,
        }
    }
}

/// The plugin that serves `world` on a number: the number's own, else the client's.
pub async fn activation(
    db: &mut PgConnection,
    client: ClientId,
    world: &str,
    number: NumberId,
) -> Result<Option<Activation>> {
    let row: Option<ActivationRow> = sqlx::query_as(
        "SELECT world, number_id, plugin, config, activated_at FROM plugin_activation
         WHERE client_id = $1 AND world = $2 AND number_id IN ($3, '00000000-0000-0000-0000-000000000000')
         ORDER BY number_id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(world)
    .bind(number.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(Activation::from))
}

/// Puts a plugin in charge of `activation.world` on its number, in place of the one that was.
pub async fn activate(db: &mut PgConnection, client: ClientId, activation: &Activation) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_activation (client_id, world, number_id, plugin, config, activated_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (client_id, world, number_id)
         DO UPDATE SET plugin = excluded.plugin, config = excluded.config, activated_at = excluded.activated_at",
    )
    .bind(client.0)
    .bind(&activation.world)
    .bind(activation.number.map_or(Uuid::nil(), |number| number.0))
    .bind(&activation.plugin)
    .bind(&activation.config)
    .bind(activation.activated_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Ends an activation of exactly this scope; `false` when this plugin was not active there.
pub async fn deactivate(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    number: Option<NumberId>,
) -> Result<bool> {
    let done = sqlx::query("DELETE FROM plugin_activation WHERE client_id = $1 AND plugin = $2 AND number_id = $3")
        .bind(client.0)
        .bind(plugin)
        .bind(number.map_or(Uuid::nil(), |number| number.0))
        .execute(db)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// All activations of a client.
pub async fn list(db: &mut PgConnection, client: ClientId) -> Result<Vec<Activation>> {
    let rows: Vec<ActivationRow> = sqlx::query_as(
        "SELECT world, number_id, plugin, config, activated_at FROM plugin_activation
         WHERE client_id = $1 ORDER BY world, number_id",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Activation::from).collect())
}

/// What one call of a plugin did.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// Its id.
    pub id: Uuid,
    /// Name of the plugin.
    pub plugin: String,
    /// Version that was called.
    pub version: String,
    /// World that it was called in.
    pub world: String,
    /// `answered`, `trapped` and others.
    pub outcome: String,
    /// How long the call took.
    pub duration_micros: i64,
    /// Largest memory it had.
    pub peak_memory_bytes: i64,
    /// What it logged, one line each.
    pub logs: String,
    /// Why it failed.
    pub error: Option<String>,
    /// What it was about: a participant, a message, a delivery.
    pub subject: Option<Uuid>,
}

#[derive(sqlx::FromRow)]
struct InvocationRow {
    id: Uuid,
    plugin: String,
    version: String,
    world: String,
    outcome: String,
    duration_micros: i64,
    peak_memory_bytes: i64,
    logs: String,
    error: Option<String>,
    subject_id: Option<Uuid>,
}

impl From<InvocationRow> for Invocation {
    fn from(row: InvocationRow) -> Self {
        Self {
            id: row.id,
            plugin: row.plugin,
            version: row.version,
            world: row.world,
            outcome: row.outcome,
            duration_micros: row.duration_micros,
            peak_memory_bytes: row.peak_memory_bytes,
            logs: row.logs,
            error: row.error,
            subject: row.subject_id,
        }
    }
}

/// Keeps what calls did, in one statement.
pub async fn record_invocations(db: &mut PgConnection, client: ClientId, invocations: &[Invocation]) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_invocation (client_id, id, plugin, version, world, outcome, duration_micros, peak_memory_bytes,
                                        logs, error, subject_id)
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
                                  $9::text[], $10::text[], $11::uuid[])",
    )
    .bind(client.0)
    .bind(invocations.iter().map(|call| call.id).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.plugin.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.version.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.world.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.outcome.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.duration_micros).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.peak_memory_bytes).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.logs.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.error.as_deref()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.subject).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// A page of calls, newest first, and how many there are in all. `outcome` keeps only those.
pub async fn invocations(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    outcome: Option<&str>,
    (offset, limit): (i64, i64),
) -> Result<(Vec<Invocation>, i64)> {
    let rows: Vec<InvocationRow> = sqlx::query_as(
        "SELECT id, plugin, version, world, outcome, duration_micros, peak_memory_bytes, logs, error, subject_id
         FROM plugin_invocation WHERE client_id = $1 AND plugin = $2 AND ($3::text IS NULL OR outcome = $3)
         ORDER BY id DESC OFFSET $4 LIMIT $5",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(outcome)
    .bind(offset)
    .bind(limit)
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM plugin_invocation
         WHERE client_id = $1 AND plugin = $2 AND ($3::text IS NULL OR outcome = $3)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(outcome)
    .fetch_one(db)
    .await?;
    Ok((rows.into_iter().map(Invocation::from).collect(), total))
}
