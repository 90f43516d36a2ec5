//! Customers who want no more marketing.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId};
use sqlx::PgConnection;

use crate::Result;

/// Marketing to a customer must cease.
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

/// A customer wants marketing again.
pub async fn resume(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<()> {
    sqlx::query("DELETE FROM marketing_stop WHERE client_id = $1 AND customer_id = $2")
        .bind(client.0)
        .bind(customer.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Two customers turned out to be one: a stop of either stays.
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
