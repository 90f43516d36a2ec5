//! Processes with background work. The lanes of a dead one are free at once (`migrations/0004_work.sql`).

use domain::ids::NodeId;
use uuid::Uuid;

use crate::{PgConnection, Result, read_only_session::TrustedSince};

/// Takes a lock with the id of the process for as long as this connection, and inserts a row. Keep the connection.
pub async fn announce(db: &mut PgConnection, node: NodeId) -> Result<()> {
    sqlx::query("SELECT pg_advisory_lock(hashtextextended('node ' || $1::uuid::text, 0))")
        .bind(node.0)
        .execute(&mut *db)
        .await?;
    sqlx::query("INSERT INTO node (id, started_at) VALUES ($1, now()) ON CONFLICT DO NOTHING")
        .bind(node.0)
        .execute(db)
        .await?;
    Ok(())
}

/// True while PostgreSQL still has this connection and its lock, and no other server has taken its place.
pub async fn is_present(db: &mut PgConnection, trusted: &mut TrustedSince) -> bool {
    sqlx::query("SELECT 1").execute(&mut *db).await.is_ok() && trusted.holds(db).await.unwrap_or(false)
}

pub async fn retire(db: &mut PgConnection, node: NodeId) -> Result<()> {
    sqlx::query("DELETE FROM node WHERE id = $1").bind(node.0).execute(db).await?;
    Ok(())
}

/// Removes the dead processes and ends their leases, in a transaction. A live process that lost its connection loses
/// only time, because every write checks the fence. Never waits for a held lane.
pub async fn delete_dead(db: &mut PgConnection, me: NodeId) -> Result<Vec<NodeId>> {
    let dead: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM node
         WHERE id <> $1 AND pg_try_advisory_xact_lock(hashtextextended('node ' || id::text, 0))",
    )
    .bind(me.0)
    .fetch_all(&mut *db)
    .await?;
    if dead.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query(
        "WITH held AS (
             SELECT client_id, queue, lane_id FROM lane WHERE owner = ANY($1) AND leased_until > now()
             FOR UPDATE SKIP LOCKED
         )
         UPDATE lane SET leased_until = now() FROM held
         WHERE lane.client_id = held.client_id AND lane.queue = held.queue AND lane.lane_id = held.lane_id",
    )
    .bind(&dead)
    .execute(&mut *db)
    .await?;
    let buried: Vec<Uuid> = sqlx::query_scalar(
        "DELETE FROM node
         WHERE id = ANY($1) AND NOT EXISTS (SELECT 1 FROM lane WHERE owner = node.id AND leased_until > now())
         RETURNING id",
    )
    .bind(&dead)
    .fetch_all(db)
    .await?;
    Ok(buried.into_iter().map(NodeId).collect())
}
