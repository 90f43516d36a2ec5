//! The chain of a client's audit trail, for its verification.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// An entry with all values that its hash depends on.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AuditLink {
    pub number: i64,
    pub id: Uuid,
    pub happened_at: DateTime<Utc>,
    pub actor: String,
    pub action: String,
    pub object_kind: String,
    pub object_id: String,
    pub object_digest: Vec<u8>,
    /// `None` after the erasure of a person.
    pub object_salt: Option<Uuid>,
    pub hash: Vec<u8>,
}

/// Returns the number and the hash of the last entry.
pub async fn end(db: &mut PgConnection, client: ClientId) -> Result<Option<(i64, Vec<u8>)>> {
    let end = sqlx::query_as("SELECT last_number, last_hash FROM audit_chain WHERE client_id = $1");
    Ok(end.bind(client.0).fetch_optional(db).await?)
}

/// Returns the entries with a number above `after`, in the order of the chain.
pub async fn links(db: &mut PgConnection, client: ClientId, after: i64, limit: i64) -> Result<Vec<AuditLink>> {
    let links = sqlx::query_as(
        "SELECT number, id, happened_at, actor, action, object_kind, object_id, object_digest, object_salt, hash
         FROM audit WHERE client_id = $1 AND number > $2 ORDER BY number LIMIT $3",
    );
    Ok(links.bind(client.0).bind(after).bind(limit).fetch_all(db).await?)
}
