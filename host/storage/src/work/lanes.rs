//! Leases of lanes. `migrations/0004_work.sql` defines a lane.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, NodeId};
use uuid::Uuid;

use super::{
    lane_gate::LaneGate,
    queues::{Queue, QueueFacts, kept_condition},
};
use crate::{PgConnection, Result};

const READY_AT_ONCE: u64 = 5000;

/// The first fence of a lane: the time in microseconds, because upkeep deletes idle lanes. If a lane is made again, its
/// fences are greater than those of an old holder that still runs: no lane is claimed once per microsecond.
const FIRST_FENCE: &str = "(extract(epoch FROM now()) * 1000000)::bigint";

/// Length of a lease without renewal: how long the work of a killed process waits.
pub const LEASE: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneState {
    Held,
    /// Nothing was due in it, so the write ended the lease.
    GivenBack,
}

/// Names a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaneKey {
    pub client: ClientId,
    pub queue: Queue,
    pub lane: Uuid,
}

impl Queue {
    /// Makes rows ready whose time has come. They are found by time and updated by physical address, so that no plan
    /// reads the whole table. The condition is tested again, because addresses are unique only within a partition.
    fn ready_statement(self) -> String {
        let QueueFacts { table, open, wakes_by: by, .. } = self.facts();
        let come = format!("{open} AND NOT ready AND {by} <= $1");
        format!(
            "UPDATE {table} SET ready = true
             WHERE ctid = ANY(ARRAY(
                 SELECT ctid FROM {table} WHERE {come} ORDER BY {by} LIMIT {READY_AT_ONCE} FOR UPDATE SKIP LOCKED))
               AND {come}"
        )
    }

    /// Finds lanes with a loose scan of the index of ready rows. The cost grows with the lanes that have work.
    fn due_statement(self) -> String {
        let QueueFacts { table, open, gates, .. } = self.facts();
        let waiting = format!("{open} AND ready");
        let gates: String = gates.iter().map(LaneGate::condition).collect();
        let enabled = self.enabled_condition("hop.client_id", "hop.lane_id");
        format!(
            "WITH RECURSIVE hop AS (
                 (SELECT client_id, lane_id FROM {table} WHERE {waiting} ORDER BY client_id, lane_id LIMIT 1)
                 UNION ALL
                 SELECT next.client_id, next.lane_id FROM hop CROSS JOIN LATERAL (
                     SELECT client_id, lane_id FROM {table}
                     WHERE {waiting} AND (client_id, lane_id) > (hop.client_id, hop.lane_id)
                     ORDER BY client_id, lane_id LIMIT 1) next
             )
             SELECT hop.client_id, hop.lane_id FROM hop
             LEFT JOIN lane ON lane.client_id = hop.client_id AND lane.queue = $2 AND lane.lane_id = hop.lane_id
             WHERE (lane.leased_until IS NULL OR lane.leased_until <= now())
               AND EXISTS (SELECT 1 FROM {table} waiting
                           WHERE waiting.client_id = hop.client_id AND waiting.lane_id = hop.lane_id
                             AND {waiting} AND waiting.due_at <= $1)
               AND {enabled} {gates}
             ORDER BY row_number() OVER (PARTITION BY hop.client_id ORDER BY hop.lane_id)
             LIMIT $3"
        )
    }

    fn renew_statement(self) -> String {
        let enabled = self.enabled_condition("$1", "$3");
        format!(
            "UPDATE lane SET leased_until = now() + make_interval(secs => $5)
             WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND fence = $4
             RETURNING {enabled}"
        )
    }

    /// Ends a lease unless a row of the lane is due, which the index of ready rows shows.
    fn give_back_statement(self) -> String {
        let QueueFacts { table, open, .. } = self.facts();
        format!(
            "UPDATE lane SET leased_until = now()
             WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND fence = $4
               AND NOT EXISTS (SELECT 1 FROM {table} waiting
                               WHERE waiting.client_id = $1 AND waiting.lane_id = $3
                                 AND {open} AND ready AND waiting.due_at <= $5)"
        )
    }
}

/// Claims a lane if it is free and this condition holds. `$1` is the client, `$3` the lane.
fn claim_statement(enabled: &str) -> String {
    format!(
        "WITH free AS (
             SELECT 1 FROM lane
             WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND leased_until <= now() AND {enabled}
             FOR UPDATE SKIP LOCKED
         ), taken AS (
             UPDATE lane SET owner = $4, leased_until = now() + make_interval(secs => $5), fence = fence + 1
             WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND EXISTS (SELECT 1 FROM free)
             RETURNING fence
         ), made AS (
             INSERT INTO lane (client_id, queue, lane_id, owner, leased_until, fence)
             SELECT $1, $2, $3, $4, now() + make_interval(secs => $5), {FIRST_FENCE}
             WHERE CASE WHEN EXISTS (SELECT 1 FROM lane WHERE client_id = $1 AND queue = $2 AND lane_id = $3)
                        THEN false
                        ELSE {enabled} AND pg_try_advisory_xact_lock(hashtextextended(
                            concat_ws(' ', 'lane', $1::uuid, $2::text, $3::uuid), 0)) END
             ON CONFLICT DO NOTHING
             RETURNING fence
         )
         SELECT fence FROM taken UNION ALL SELECT fence FROM made"
    )
}

/// Free lanes with due work: one of each client, then the second of each, so that clients are served fairly.
pub async fn due(db: &mut PgConnection, queue: Queue, now: DateTime<Utc>, limit: i64) -> Result<Vec<(ClientId, Uuid)>> {
    make_ready(db, queue, now).await?;
    let rows: Vec<(Uuid, Uuid)> =
        sqlx::query_as(&queue.due_statement()).bind(now).bind(queue.name()).bind(limit).fetch_all(db).await?;
    Ok(rows.into_iter().map(|(client, lane)| (ClientId(client), lane)).collect())
}

async fn make_ready(db: &mut PgConnection, queue: Queue, now: DateTime<Utc>) -> Result<()> {
    loop {
        let made = sqlx::query(&queue.ready_statement()).bind(now).execute(&mut *db).await?;
        if made.rows_affected() < READY_AT_ONCE {
            return Ok(());
        }
    }
}

/// Takes a free lane and returns its fence; `None` if another process has it, or it is disabled. Never waits: a locked
/// row is not free. A statement cannot skip an uncommitted row, so each transaction that makes one takes a lock named by
/// the lane.
pub async fn claim(db: &mut PgConnection, lane: LaneKey, owner: NodeId, lease: Duration) -> Result<Option<i64>> {
    claim_if(db, lane, &lane.queue.enabled_condition("$1", "$3"), owner, lease).await
}

/// Like [`claim`], also if the client is disabled, for removals of data. `None` if the removal of the client has begun.
pub async fn claim_although_disabled(
    db: &mut PgConnection,
    lane: LaneKey,
    owner: NodeId,
    lease: Duration,
) -> Result<Option<i64>> {
    claim_if(db, lane, &kept_condition("$1"), owner, lease).await
}

async fn claim_if(
    db: &mut PgConnection,
    lane: LaneKey,
    condition: &str,
    owner: NodeId,
    lease: Duration,
) -> Result<Option<i64>> {
    let fence = sqlx::query_scalar(&claim_statement(condition))
        .bind(lane.client.0)
        .bind(lane.queue.name())
        .bind(lane.lane)
        .bind(owner.0)
        .bind(lease.as_secs_f64())
        .fetch_optional(db)
        .await?;
    Ok(fence)
}

/// Extends a lease. False: the work must end, because another process has the lane or it was disabled. In the second case
/// the lease is extended too, so that the outcomes of calls in flight can be stored.
pub async fn renew(db: &mut PgConnection, lane: LaneKey, fence: i64, lease: Duration) -> Result<bool> {
    let goes_on: Option<bool> = sqlx::query_scalar(&lane.queue.renew_statement())
        .bind(lane.client.0)
        .bind(lane.queue.name())
        .bind(lane.lane)
        .bind(fence)
        .bind(lease.as_secs_f64())
        .fetch_optional(db)
        .await?;
    Ok(goes_on.unwrap_or(false))
}

pub async fn release(db: &mut PgConnection, lane: LaneKey, fence: i64) -> Result<()> {
    sqlx::query(
        "UPDATE lane SET leased_until = now() WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND fence = $4",
    )
    .bind(lane.client.0)
    .bind(lane.queue.name())
    .bind(lane.lane)
    .bind(fence)
    .execute(db)
    .await?;
    Ok(())
}

/// Gives back a lane without due rows; `false` if there is more work, or another process has the lane.
pub async fn give_back(db: &mut PgConnection, lane: LaneKey, fence: i64, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query(&lane.queue.give_back_statement())
        .bind(lane.client.0)
        .bind(lane.queue.name())
        .bind(lane.lane)
        .bind(fence)
        .bind(now)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// True if the lane is still ours; keeps it until the transaction ends. Every write of a worker begins with this.
pub async fn hold(db: &mut PgConnection, lane: LaneKey, fence: i64) -> Result<bool> {
    let held: Option<i32> = sqlx::query_scalar(
        "SELECT 1 FROM lane WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND fence = $4 FOR SHARE",
    )
    .bind(lane.client.0)
    .bind(lane.queue.name())
    .bind(lane.lane)
    .bind(fence)
    .fetch_optional(db)
    .await?;
    Ok(held.is_some())
}

/// As [`hold`] for an inbox. Also returns if a plugin answers for `world` on it; `None`: the lane is lost.
pub async fn hold_and_see(db: &mut PgConnection, lane: LaneKey, fence: i64, world: &str) -> Result<Option<bool>> {
    let held = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM plugin_activation
                        WHERE client_id = $1 AND world = $5
                          AND inbox_id IN ($3, '00000000-0000-0000-0000-000000000000') AND mode IN ('live', 'canary'))
         FROM lane WHERE client_id = $1 AND queue = $2 AND lane_id = $3 AND fence = $4 FOR SHARE OF lane",
    )
    .bind(lane.client.0)
    .bind(lane.queue.name())
    .bind(lane.lane)
    .bind(fence)
    .bind(world)
    .fetch_optional(db)
    .await?;
    Ok(held)
}

/// No worker of a lane writes until the transaction ends. The lease keeps its owner.
pub async fn block_lane(db: &mut PgConnection, lane: LaneKey) -> Result<()> {
    let statement = format!(
        "WITH alone AS MATERIALIZED (
             SELECT pg_advisory_xact_lock(hashtextextended(
                 concat_ws(' ', 'lane', $1::uuid, $2::text, $3::uuid), 0)) AS locked
         )
         INSERT INTO lane (client_id, queue, lane_id, owner, leased_until, fence)
         SELECT $1, $2, $3, $4, now(), {FIRST_FENCE} FROM alone
         ON CONFLICT (client_id, queue, lane_id) DO UPDATE SET fence = lane.fence",
    );
    sqlx::query(&statement)
        .bind(lane.client.0)
        .bind(lane.queue.name())
        .bind(lane.lane)
        .bind(Uuid::nil())
        .execute(db)
        .await?;
    Ok(())
}

/// Ends every lease, for a process that is the only one. A worker that lives after all has an old fence.
pub async fn end_all(db: &mut PgConnection) -> Result<u64> {
    let done = sqlx::query("UPDATE lane SET leased_until = now() WHERE leased_until > now()").execute(db).await?;
    Ok(done.rows_affected())
}
