//! Figures of the queues for metrics: at most [`ROWS`] rows or [`LANES`] lanes of a queue, over its indexes.

use chrono::{DateTime, Utc};

use super::{
    lane_gate::LaneGate,
    queues::{Queue, QueueFacts},
};
use crate::{PgConnection, Result};

/// Rows of one state that are counted at most.
const ROWS: i64 = 100_000;
/// Lanes with ready rows that are looked at, at most.
const LANES: i64 = 1_000;
/// Due rows of one lane that are looked at for the oldest one, in the order in which the lane is worked on.
const ROWS_OF_A_LANE: i64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct QueueFigures {
    /// Rows whose time has come, also those that are worked on.
    pub ready_rows: i64,
    pub later_rows: i64,
    pub held_lanes: i64,
    pub free_lanes: i64,
    /// Lanes that are closed: their Lite number is disconnected, its day has not begun, their account is refused, or they
    /// are disabled.
    pub closed_lanes: i64,
    /// Lanes that no process holds, and whose rows wait for a report or for the end of a pause.
    pub later_lanes: i64,
    pub oldest_due_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct LiteFigures {
    pub connected: i64,
    pub connecting: i64,
    pub disconnected: i64,
}

pub async fn of_queue(db: &mut PgConnection, queue: Queue, now: DateTime<Utc>) -> Result<QueueFigures> {
    Ok(sqlx::query_as(&statement(queue)).bind(now).bind(queue.name()).fetch_one(db).await?)
}

pub async fn of_lite(db: &mut PgConnection) -> Result<LiteFigures> {
    let figures = sqlx::query_as(
        "SELECT count(*) FILTER (WHERE status_type = 'success') AS connected,
                count(*) FILTER (WHERE status_type = 'connecting') AS connecting,
                count(*) FILTER (WHERE status_type IS NULL OR status_type = 'disconnected') AS disconnected
         FROM lite_session WHERE wanted = 'CONNECTED'",
    );
    Ok(figures.fetch_one(db).await?)
}

pub async fn worker_processes(db: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM node").fetch_one(db).await?)
}

/// The order of the index makes each part read only the beginning of that index.
fn statement(queue: Queue) -> String {
    let QueueFacts { table, open, wakes_by: by, gates, .. } = queue.facts();
    let (waiting, order) = (format!("{open} AND ready"), queue.order_in_lane());
    let gate: String = gates.iter().map(LaneGate::condition).collect();
    let enabled = queue.enabled_condition("hop.client_id", "hop.lane_id");
    format!(
        "WITH RECURSIVE hop AS (
             (SELECT client_id, lane_id FROM {table} WHERE {waiting} ORDER BY client_id, lane_id LIMIT 1)
             UNION ALL
             SELECT next.client_id, next.lane_id FROM hop CROSS JOIN LATERAL (
                 SELECT client_id, lane_id FROM {table}
                 WHERE {waiting} AND (client_id, lane_id) > (hop.client_id, hop.lane_id)
                 ORDER BY client_id, lane_id LIMIT 1) next
         ), seen AS (
             SELECT EXISTS (SELECT 1 FROM lane
                            WHERE lane.client_id = hop.client_id AND lane.queue = $2 AND lane.lane_id = hop.lane_id
                              AND lane.leased_until > now()) AS is_held,
                    ({enabled} {gate}) AS is_open,
                    (SELECT min(early.due_at) FROM (
                         SELECT due_at FROM {table}
                         WHERE client_id = hop.client_id AND lane_id = hop.lane_id AND {waiting} AND due_at <= $1
                         ORDER BY {order} LIMIT {ROWS_OF_A_LANE}) early) AS due_at
             FROM (SELECT client_id, lane_id FROM hop LIMIT {LANES}) hop
         )
         SELECT (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {waiting}
                                       ORDER BY client_id, lane_id LIMIT {ROWS}) counted) AS ready_rows,
                (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {open} AND NOT ready AND {by} IS NOT NULL
                                       ORDER BY {by} LIMIT {ROWS}) counted) AS later_rows,
                count(*) FILTER (WHERE is_held) AS held_lanes,
                count(*) FILTER (WHERE NOT is_held AND is_open AND due_at IS NOT NULL) AS free_lanes,
                count(*) FILTER (WHERE NOT is_held AND NOT is_open) AS closed_lanes,
                count(*) FILTER (WHERE NOT is_held AND is_open AND due_at IS NULL) AS later_lanes,
                min(due_at) FILTER (WHERE is_open) AS oldest_due_at
         FROM seen"
    )
}
