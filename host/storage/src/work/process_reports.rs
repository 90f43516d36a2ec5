//! The reports that processes write about themselves (`migrations/0018_process_report.sql`).

use chrono::{DateTime, Utc};
use domain::ids::NodeId;
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

#[derive(Debug)]
pub struct StoredReport<R> {
    pub node: NodeId,
    pub reported_at: DateTime<Utc>,
    pub age_seconds: f64,
    /// An error if a process of another version wrote it.
    pub report: Result<R>,
}

/// Replaces the report of a process, and removes those of processes that were killed.
pub async fn write<R: Serialize>(db: &mut PgConnection, node: NodeId, report: &R) -> Result<()> {
    sqlx::query(
        "WITH gone AS (DELETE FROM process_report WHERE reported_at < now() - interval '1 hour' AND node_id <> $1)
         INSERT INTO process_report (node_id, reported_at, report) VALUES ($1, now(), $2)
         ON CONFLICT (node_id) DO UPDATE SET reported_at = excluded.reported_at, report = excluded.report",
    )
    .bind(node.0)
    .bind(column_values::write(report))
    .execute(db)
    .await?;
    Ok(())
}

pub async fn remove(db: &mut PgConnection, node: NodeId) -> Result<()> {
    sqlx::query("DELETE FROM process_report WHERE node_id = $1").bind(node.0).execute(db).await?;
    Ok(())
}

/// Returns all reports, the oldest process first.
pub async fn all<R: DeserializeOwned>(db: &mut PgConnection) -> Result<Vec<StoredReport<R>>> {
    let rows: Vec<(Uuid, DateTime<Utc>, f64, UnreadJson)> = sqlx::query_as(
        "SELECT node_id, reported_at, extract(epoch FROM now() - reported_at)::float8, report
         FROM process_report ORDER BY node_id",
    )
    .fetch_all(db)
    .await?;
    let read = |(node, reported_at, age_seconds, report)| StoredReport {
        node: NodeId(node),
        reported_at,
        age_seconds,
        report: column_values::read("process_report", "report", &report),
    };
    Ok(rows.into_iter().map(read).collect())
}
