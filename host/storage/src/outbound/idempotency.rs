//! Responses kept under the `Idempotency-Key` of their request (SPEC 4.1).

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use sqlx::PgConnection;

use crate::Result;

/// Stores `responses` under `keys` (same order) and answers, for each key that was taken before, the response stored
/// then. Waits for other transactions that are storing one of the keys. Keys go in sorted, so that two groups that share
/// keys cannot wait for each other.
pub async fn store(
    db: &mut PgConnection,
    client: ClientId,
    keyed: &mut [(String, Vec<u8>)],
    now: DateTime<Utc>,
) -> Result<HashMap<String, Vec<u8>>> {
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    let (keys, responses): (Vec<&str>, Vec<&[u8]>) =
        keyed.iter().map(|(key, response)| (key.as_str(), response.as_slice())).unzip();
    let stored: Vec<String> = sqlx::query_scalar(
        "INSERT INTO idempotency (client_id, key, response, created_at)
         SELECT $1, key, response, $4 FROM unnest($2::text[], $3::bytea[]) AS given (key, response)
         ON CONFLICT DO NOTHING
         RETURNING key",
    )
    .bind(client.0)
    .bind(&keys)
    .bind(&responses)
    .bind(now)
    .fetch_all(&mut *db)
    .await?;
    if stored.len() == keyed.len() {
        return Ok(HashMap::new());
    }
    let taken: Vec<&str> = keys.into_iter().filter(|key| !stored.iter().any(|new| new == key)).collect();
    stored_under(db, client, &taken).await
}

/// The stored responses of `keys`.
pub async fn find(db: &mut PgConnection, client: ClientId, keys: &[String]) -> Result<HashMap<String, Vec<u8>>> {
    stored_under(db, client, &keys.iter().map(String::as_str).collect::<Vec<_>>()).await
}

async fn stored_under(db: &mut PgConnection, client: ClientId, keys: &[&str]) -> Result<HashMap<String, Vec<u8>>> {
    let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(
        "SELECT stored.key, stored.response
         FROM (SELECT $1::uuid AS client_id, key FROM unnest($2::text[]) AS key OFFSET 0) wanted
         JOIN idempotency stored ON stored.client_id = wanted.client_id AND stored.key = wanted.key",
    )
    .bind(client.0)
    .bind(keys)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}
