//! Recipients that a client does not write to.

use chrono::{DateTime, Utc};
use domain::{address::Address, ids::ClientId};
use sqlx::PgConnection;

use crate::{Result, stored};

/// A recipient that is not written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Where it would be written to.
    pub address: Address,
    /// Why, in the client's words.
    pub reason: Option<String>,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct BlockedRow {
    kind: String,
    value: String,
    reason: Option<String>,
    created_at: DateTime<Utc>,
}

/// Adds recipients, and answers how many are new. Pass them sorted: two lists that share some then wait for each other
/// instead of deadlocking.
pub async fn add(
    db: &mut PgConnection,
    client: ClientId,
    addresses: &[Address],
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query(
        "INSERT INTO blocked_recipient (client_id, kind, value, reason, created_at)
         SELECT $1, *, $4, $5 FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(addresses.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(addresses.iter().map(Address::value).collect::<Vec<_>>())
    .bind(reason)
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Removes a recipient; `false` when it was not there.
pub async fn remove(db: &mut PgConnection, client: ClientId, address: &Address) -> Result<bool> {
    let done = sqlx::query("DELETE FROM blocked_recipient WHERE client_id = $1 AND kind = $2 AND value = $3")
        .bind(client.0)
        .bind(address.kind().as_str())
        .bind(address.value())
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// A page of the list whose addresses begin with `search` (`""` = all), user ids before numbers; and how many there are over all pages.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    search: &str,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Blocked>, i64)> {
    let total: i64 =
        sqlx::query_scalar("SELECT count(*) FROM blocked_recipient WHERE client_id = $1 AND starts_with(value, $2)")
            .bind(client.0)
            .bind(search)
            .fetch_one(&mut *db)
            .await?;
    let rows: Vec<BlockedRow> = sqlx::query_as(
        "SELECT kind, value, reason, created_at FROM blocked_recipient
         WHERE client_id = $1 AND starts_with(value, $2) ORDER BY kind, value LIMIT $3 OFFSET $4",
    )
    .bind(client.0)
    .bind(search)
    .bind(limit)
    .bind(offset)
    .fetch_all(db)
    .await?;
    let blocked = |row: BlockedRow| {
        let address = stored::address("blocked_recipient", ("kind", "value"), &row.kind, &row.value)?;
        Ok(Blocked { address, reason: row.reason, created_at: row.created_at })
    };
    Ok((rows.into_iter().map(blocked).collect::<Result<_>>()?, total))
}
