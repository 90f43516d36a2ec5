//! The load of clients, plugins and the storage, for reports about the whole service.

use std::ops::Range;

use chrono::{DateTime, Utc};
use domain::{clock::first_id_at, ids::ClientId};
use uuid::Uuid;

use super::partitions::{self, PARTITIONED};
use crate::{PgConnection, Result};

/// Clients that are shown, at most.
const CLIENTS: i64 = 50;
/// Plugins that are shown, at most.
const PLUGINS: i64 = 20;
/// The latest calls of a plugin that count, at most.
const CALLS: i64 = 1_000;

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ClientMessages {
    #[sqlx(try_from = "Uuid")]
    pub client_id: ClientId,
    pub client_ref: String,
    pub is_disabled: bool,
    pub submitted: i64,
    pub failed: i64,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct PluginCalls {
    #[sqlx(try_from = "Uuid")]
    pub client_id: ClientId,
    pub client_ref: String,
    pub plugin: String,
    pub calls: i64,
    pub failures: i64,
    pub mean_micros: Option<i64>,
    pub p95_micros: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    pub table: &'static str,
    pub partitions: usize,
    /// Begin of the first partition and end of the last one.
    pub period: Option<Range<DateTime<Utc>>>,
    pub bytes: i64,
}

/// Returns the messages of clients since the hour of `since`: of the clients in `always`, and of those with the most messages.
pub async fn messages(db: &mut PgConnection, always: &[ClientId], since: DateTime<Utc>) -> Result<Vec<ClientMessages>> {
    let always: Vec<Uuid> = always.iter().map(|client| client.0).collect();
    let statement = format!(
        "SELECT client.id AS client_id, client.client_ref, client.disabled_at IS NOT NULL AS is_disabled,
                counted.submitted, counted.failed
         FROM client CROSS JOIN LATERAL (
             SELECT COALESCE(sum(submitted), 0)::bigint AS submitted, COALESCE(sum(failed), 0)::bigint AS failed
             FROM message_count
             WHERE message_count.client_id = client.id AND grain = 'HOUR' AND at >= date_trunc('hour', $2, 'UTC')) counted
         WHERE counted.submitted > 0 OR client.id = ANY($1)
         ORDER BY client.id = ANY($1) DESC, counted.submitted DESC, client.id
         LIMIT {CLIENTS}"
    );
    Ok(sqlx::query_as(&statement).bind(always).bind(since).fetch_all(db).await?)
}

/// Returns the plugins with calls since `since`, the slowest first.
pub async fn slowest_plugins(db: &mut PgConnection, since: DateTime<Utc>) -> Result<Vec<PluginCalls>> {
    let statement = format!(
        "SELECT active.client_id, client.client_ref, active.plugin, latest.calls, latest.failures, latest.mean_micros,
                latest.p95_micros
         FROM (SELECT DISTINCT client_id, plugin FROM plugin_activation) active
         JOIN client ON client.id = active.client_id
         CROSS JOIN LATERAL (
             SELECT count(*) AS calls, count(*) FILTER (WHERE outcome <> 'answered') AS failures,
                    avg(duration_micros)::bigint AS mean_micros,
                    percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_micros) AS p95_micros
             FROM (SELECT outcome, duration_micros FROM plugin_invocation
                   WHERE client_id = active.client_id AND plugin = active.plugin AND id >= $1
                         AND (outcome <> 'not-started' OR error IS NOT NULL)
                   ORDER BY id DESC LIMIT {CALLS}) calls) latest
         WHERE latest.calls > 0
         ORDER BY latest.p95_micros DESC, active.client_id, active.plugin
         LIMIT {PLUGINS}"
    );
    Ok(sqlx::query_as(&statement).bind(first_id_at(since)).fetch_all(db).await?)
}

/// Returns the references of clients.
pub async fn client_refs(db: &mut PgConnection, clients: &[ClientId]) -> Result<Vec<(ClientId, String)>> {
    let ids: Vec<Uuid> = clients.iter().map(|client| client.0).collect();
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT wanted.id, client.client_ref FROM unnest($1::uuid[]) wanted (id)
         CROSS JOIN LATERAL (SELECT client_ref FROM client WHERE id = wanted.id OFFSET 0) client",
    )
    .bind(ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(id, client_ref)| (ClientId(id), client_ref)).collect())
}

pub async fn database_bytes(db: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT pg_database_size(current_database())").fetch_one(db).await?)
}

/// Returns the partitioned tables with their size, the largest first.
pub async fn tables(db: &mut PgConnection) -> Result<Vec<TableSize>> {
    // A partition that another process drops at this moment has no size.
    let rows: Vec<(String, Vec<String>, i64)> = sqlx::query_as(
        "SELECT parent.relname::text, array_remove(array_agg(pg_get_expr(child.relpartbound, child.oid)), NULL),
                COALESCE(sum(pg_total_relation_size(child.oid)), 0)::bigint
         FROM unnest($1::text[]) AS wanted (name)
         JOIN pg_class parent ON parent.oid = to_regclass(wanted.name)
         JOIN pg_inherits ON inhparent = parent.oid
         JOIN pg_class child ON child.oid = inhrelid
         GROUP BY parent.relname ORDER BY 3 DESC, 1",
    )
    .bind(&PARTITIONED[..])
    .fetch_all(db)
    .await?;
    let size = |(name, bounds, bytes): (String, Vec<String>, i64)| {
        let table = PARTITIONED.into_iter().find(|table| *table == name)?;
        let (partitions, period) = partitions::period(table, &bounds);
        Some(TableSize { table, partitions, period, bytes })
    };
    Ok(rows.into_iter().filter_map(size).collect())
}
