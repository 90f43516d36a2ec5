//! The audit trail: every administrative change leaves a row. The rows of a client are a chain of hashes; the database
//! adds a row to it at the commit (`migrations/0015_audit_chain.sql`).

use chrono::{DateTime, Utc};
use domain::{clock::first_id_at, ids::ClientId, page::PageRequest};
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

/// Most entries that are counted and listed.
pub const COUNTED: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AuditRow {
    pub id: Uuid,
    pub happened_at: DateTime<Utc>,
    pub actor: String,
    pub action: String,
    pub object_kind: String,
    pub object_id: String,
    /// Place in the chain of the client, from 1.
    pub number: i64,
    pub hash: Vec<u8>,
}

/// An entry is found if it has all given values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFilter {
    /// The first and the last id: a period.
    pub ids: (Uuid, Uuid),
    pub actor: Option<String>,
    pub action: Option<String>,
    pub object_kind: Option<String>,
    pub object_id: Option<String>,
}

impl AuditFilter {
    /// All entries of a period, without its end.
    pub fn period(from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>) -> Self {
        let ids = (from.map_or(Uuid::nil(), first_id_at), to.map_or(Uuid::max(), first_id_at));
        Self { ids, actor: None, action: None, object_kind: None, object_id: None }
    }
}

/// Returns a page of entries, newest first, and the total, at most [`COUNTED`].
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    filter: &AuditFilter,
    page: PageRequest,
) -> Result<(Vec<AuditRow>, i64)> {
    let listed = sqlx::query_as(
        "SELECT id, happened_at, actor, action, object_kind, object_id, number, hash FROM audit
         WHERE client_id = $1 AND id >= $2 AND id <= $3 AND ($4::text IS NULL OR actor = $4)
           AND ($5::text IS NULL OR action = $5) AND ($6::text IS NULL OR object_kind = $6)
           AND ($7::text IS NULL OR object_id = $7) AND number IS NOT NULL
         ORDER BY id DESC LIMIT $8 OFFSET $9",
    )
    .bind(client.0)
    .bind(filter.ids.0)
    .bind(filter.ids.1)
    .bind(filter.actor.as_deref())
    .bind(filter.action.as_deref())
    .bind(filter.object_kind.as_deref())
    .bind(filter.object_id.as_deref())
    .bind(page.limit().min(COUNTED.saturating_sub(page.offset())).max(0))
    .bind(page.offset())
    .fetch_all(&mut *db)
    .await?;
    let total = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT 1 FROM audit
             WHERE client_id = $1 AND id >= $2 AND id <= $3 AND ($4::text IS NULL OR actor = $4)
               AND ($5::text IS NULL OR action = $5) AND ($6::text IS NULL OR object_kind = $6)
               AND ($7::text IS NULL OR object_id = $7) AND number IS NOT NULL
             LIMIT $8) found",
    )
    .bind(client.0)
    .bind(filter.ids.0)
    .bind(filter.ids.1)
    .bind(filter.actor.as_deref())
    .bind(filter.action.as_deref())
    .bind(filter.object_kind.as_deref())
    .bind(filter.object_id.as_deref())
    .bind(COUNTED)
    .fetch_one(db)
    .await?;
    Ok((listed, total))
}

/// Returns the entries with a number above `after`, in the order of the chain.
pub async fn following(
    db: &mut PgConnection,
    client: ClientId,
    filter: &AuditFilter,
    after: i64,
    limit: i64,
) -> Result<Vec<AuditRow>> {
    let rows = sqlx::query_as(
        "SELECT id, happened_at, actor, action, object_kind, object_id, number, hash FROM audit
         WHERE client_id = $1 AND id >= $2 AND id <= $3 AND ($4::text IS NULL OR actor = $4)
           AND ($5::text IS NULL OR action = $5) AND ($6::text IS NULL OR object_kind = $6)
           AND ($7::text IS NULL OR object_id = $7) AND number > $8
         ORDER BY number LIMIT $9",
    )
    .bind(client.0)
    .bind(filter.ids.0)
    .bind(filter.ids.1)
    .bind(filter.actor.as_deref())
    .bind(filter.action.as_deref())
    .bind(filter.object_kind.as_deref())
    .bind(filter.object_id.as_deref())
    .bind(after)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows)
}
