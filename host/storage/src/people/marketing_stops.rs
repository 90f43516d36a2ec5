use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, CustomerId},
};

use crate::{PgConnection, Result};

pub async fn stop(db: &mut PgConnection, client: ClientId, customer: CustomerId, at: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO marketing_stop (client_id, customer_id, stopped_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn resume(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<()> {
    sqlx::query("DELETE FROM marketing_stop WHERE client_id = $1 AND customer_id = $2")
        .bind(client.0)
        .bind(customer.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn has_stopped(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<bool> {
    let found: Option<bool> =
        sqlx::query_scalar("SELECT true FROM marketing_stop WHERE client_id = $1 AND customer_id = $2")
            .bind(client.0)
            .bind(customer.0)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

pub async fn find_stopped(db: &mut PgConnection, client: ClientId, asked: &[&Address]) -> Result<HashSet<Address>> {
    if asked.is_empty() {
        return Ok(HashSet::new());
    }
    let found: Vec<i64> = sqlx::query_scalar(
        "SELECT wanted.at
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS one (kind, value, at) OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT customer_id FROM customer_address one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value OFFSET 0) address
         CROSS JOIN LATERAL (
             SELECT 1 FROM marketing_stop one
             WHERE one.client_id = wanted.client_id AND one.customer_id = address.customer_id OFFSET 0) stop",
    )
    .bind(client.0)
    .bind(asked.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(asked.iter().map(|address| address.value()).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let address = |at: i64| asked.get(usize::try_from(at - 1).ok()?).map(|address| (*address).clone());
    Ok(found.into_iter().filter_map(address).collect())
}

/// Merges the stops of two customers who are one: a stop of either stays.
pub async fn fold(db: &mut PgConnection, client: ClientId, survivor: CustomerId, absorbed: CustomerId) -> Result<()> {
    sqlx::query(
        "WITH gone AS (DELETE FROM marketing_stop WHERE client_id = $1 AND customer_id = $3 RETURNING stopped_at)
         INSERT INTO marketing_stop (client_id, customer_id, stopped_at) SELECT $1, $2, stopped_at FROM gone
         ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(survivor.0)
    .bind(absorbed.0)
    .execute(db)
    .await?;
    Ok(())
}
