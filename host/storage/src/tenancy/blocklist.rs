use chrono::{DateTime, Utc};
use domain::{address::Address, ids::ClientId, page::PageRequest, search::SearchText};

use crate::{PgConnection, Result, column_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedRecipient {
    pub address: Address,
    pub reason: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct BlockedRow {
    kind: String,
    value: String,
    reason: Option<String>,
    created_at: DateTime<Utc>,
}

/// Returns how many are new, in either spelling. Pass them sorted, so that two lists do not deadlock.
pub async fn add(
    db: &mut PgConnection,
    client: ClientId,
    addresses: &[Address],
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query(
        "INSERT INTO blocked_recipient (client_id, kind, value, reason, created_at)
         SELECT $1, given.kind, given.value, $4, $5
         FROM (SELECT * FROM unnest($2::text[], $3::text[], $6::text[]) AS one (kind, value, other) OFFSET 0) given
         WHERE NOT EXISTS (SELECT FROM blocked_recipient known
                           WHERE known.client_id = $1 AND known.kind = given.kind AND known.value = given.other OFFSET 0)
         ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(addresses.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(addresses.iter().map(Address::value).collect::<Vec<_>>())
    .bind(reason)
    .bind(now)
    .bind(addresses.iter().map(|address| address.other_spelling().map(|other| other.value().to_owned())).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, address: &Address) -> Result<bool> {
    let other = address.other_spelling();
    let mut removed = false;
    for spelled in std::iter::once(address).chain(&other) {
        let done = sqlx::query("DELETE FROM blocked_recipient WHERE client_id = $1 AND kind = $2 AND value = $3")
            .bind(client.0)
            .bind(spelled.kind().as_str())
            .bind(spelled.value())
            .execute(&mut *db)
            .await?;
        removed |= done.rows_affected() > 0;
    }
    Ok(removed)
}

/// Returns a page of the addresses that contain the search text (`None`: all), user ids before numbers, and the total.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    sought: Option<&SearchText>,
    page: PageRequest,
) -> Result<(Vec<BlockedRecipient>, i64)> {
    let words = sought.map_or("", |sought| sought.words.as_str());
    let spellings = sought.map(SearchText::spellings).unwrap_or_default();
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM blocked_recipient
         WHERE client_id = $1 AND ($2 = '' OR strpos(lower(value), $2) > 0
               OR (kind = 'PHONE' AND EXISTS (SELECT FROM unnest($3::text[]) AS number WHERE strpos(value, number) > 0)))",
    )
    .bind(client.0)
    .bind(words)
    .bind(&spellings)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<BlockedRow> = sqlx::query_as(
        "SELECT kind, value, reason, created_at FROM blocked_recipient
         WHERE client_id = $1 AND ($2 = '' OR strpos(lower(value), $2) > 0
               OR (kind = 'PHONE' AND EXISTS (SELECT FROM unnest($3::text[]) AS number WHERE strpos(value, number) > 0)))
         ORDER BY kind, value LIMIT $4 OFFSET $5",
    )
    .bind(client.0)
    .bind(words)
    .bind(&spellings)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    let blocked = |row: BlockedRow| {
        let address = column_values::address("blocked_recipient", ("kind", "value"), &row.kind, &row.value)?;
        Ok(BlockedRecipient { address, reason: row.reason, created_at: row.created_at })
    };
    Ok((rows.into_iter().map(blocked).collect::<Result<_>>()?, total))
}
