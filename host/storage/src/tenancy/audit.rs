//! The audit trail: every administrative change leaves a row.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone)]
pub struct AuditEntry<'a> {
    pub id: Uuid,
    pub happened_at: DateTime<Utc>,
    /// Id of the user, `operator` for the command line, or `platform` for a rule that the client set.
    pub actor: &'a str,
    /// A verb: `create`, `update`, `rotate`.
    pub action: &'a str,
    /// Kind of the object: `client`, `user`, `webhook`.
    pub object_kind: &'a str,
    pub object_id: &'a str,
}

/// Stores an entry. Call it in the transaction of the change.
pub async fn insert(db: &mut PgConnection, client: ClientId, entry: &AuditEntry<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO audit (client_id, id, happened_at, actor, action, object_kind, object_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(client.0)
    .bind(entry.id)
    .bind(entry.happened_at)
    .bind(entry.actor)
    .bind(entry.action)
    .bind(entry.object_kind)
    .bind(entry.object_id)
    .execute(db)
    .await?;
    Ok(())
}
