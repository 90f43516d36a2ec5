//! The state of the queues for `patchbay status` only: each statement reads all waiting rows.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, NodeId};
use uuid::Uuid;

use super::queues::{Queue, QueueFacts};
use crate::{PgConnection, Result};

const LANES: i64 = 10;

/// The rows of one client in a queue.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct Depth {
    #[sqlx(try_from = "Uuid")]
    pub client_id: ClientId,
    pub waiting: i64,
    pub due: i64,
    pub lanes: i64,
    pub oldest_due_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct WaitingLane {
    #[sqlx(try_from = "Uuid")]
    pub client_id: ClientId,
    pub client_ref: String,
    pub is_client_disabled: bool,
    pub lane_id: Uuid,
    pub waiting: i64,
    pub due: i64,
    pub first_due_at: DateTime<Utc>,
    pub is_leased: bool,
}

#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct WorkerNode {
    #[sqlx(try_from = "Uuid")]
    pub id: NodeId,
    pub started_at: DateTime<Utc>,
    pub lanes: i64,
}

/// Failed calls to providers with one outcome. Only failures are stored.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct FailedCalls {
    pub channel: String,
    pub outcome: String,
    pub error_code: Option<String>,
    pub calls: i64,
    pub last_at: DateTime<Utc>,
}

/// Returns the depth of a queue for each client with waiting rows.
pub async fn depths(db: &mut PgConnection, queue: Queue, now: DateTime<Utc>) -> Result<Vec<Depth>> {
    let QueueFacts { table, open, .. } = queue.facts();
    let statement = format!(
        "SELECT client_id, count(*) AS waiting, count(*) FILTER (WHERE due_at <= $1) AS due,
                count(DISTINCT lane_id) AS lanes, min(due_at) FILTER (WHERE due_at <= $1) AS oldest_due_at
         FROM {table} WHERE {open} GROUP BY client_id"
    );
    Ok(sqlx::query_as(&statement).bind(now).fetch_all(db).await?)
}

/// Returns the lanes with the earliest rows. `later`: also those without a due row.
pub async fn first_lanes(
    db: &mut PgConnection,
    queue: Queue,
    now: DateTime<Utc>,
    later: bool,
) -> Result<Vec<WaitingLane>> {
    let QueueFacts { table, open, .. } = queue.facts();
    let statement = format!(
        "SELECT waiting.client_id, client.client_ref, client.disabled_at IS NOT NULL AS is_client_disabled,
                waiting.lane_id, waiting.waiting, waiting.due, waiting.first_due_at,
                EXISTS (SELECT 1 FROM lane
                        WHERE lane.client_id = waiting.client_id AND lane.queue = $2
                          AND lane.lane_id = waiting.lane_id AND lane.leased_until > now()) AS is_leased
         FROM (SELECT client_id, lane_id, count(*) AS waiting, count(*) FILTER (WHERE due_at <= $1) AS due,
                      min(due_at) AS first_due_at
               FROM {table} WHERE {open}
               GROUP BY client_id, lane_id HAVING $3 OR min(due_at) <= $1
               ORDER BY min(due_at) LIMIT {LANES}) waiting
         JOIN client ON client.id = waiting.client_id
         ORDER BY waiting.first_due_at"
    );
    Ok(sqlx::query_as(&statement).bind(now).bind(queue.name()).bind(later).fetch_all(db).await?)
}

pub async fn nodes(db: &mut PgConnection) -> Result<Vec<WorkerNode>> {
    let nodes = sqlx::query_as(
        "SELECT node.id, node.started_at,
                (SELECT count(*) FROM lane WHERE lane.owner = node.id AND lane.leased_until > now()) AS lanes
         FROM node ORDER BY node.started_at, node.id",
    );
    Ok(nodes.fetch_all(db).await?)
}

pub async fn failed_calls(db: &mut PgConnection, since: DateTime<Utc>) -> Result<Vec<FailedCalls>> {
    let calls = sqlx::query_as(
        "SELECT leg.channel, call.outcome, call.error_code, count(*) AS calls, max(call.called_at) AS last_at
         FROM provider_call call
         JOIN outbound_leg leg ON leg.client_id = call.client_id AND leg.message_id = call.message_id
                              AND leg.ordinal = call.ordinal
         WHERE call.called_at >= $1
         GROUP BY leg.channel, call.outcome, call.error_code
         ORDER BY leg.channel, call.outcome, call.error_code NULLS FIRST",
    )
    .bind(since);
    Ok(calls.fetch_all(db).await?)
}
