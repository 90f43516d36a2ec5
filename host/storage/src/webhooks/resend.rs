//! Deliveries that a client has sent again. Their schedule starts again; attempts are counted on.

use chrono::{DateTime, Utc};
use domain::{
    clock::first_id_at,
    ids::{ClientId, DeliveryId, EndpointId},
};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Makes a delivery due now. `false` if there is none, or if it was dropped.
pub async fn one(db: &mut PgConnection, client: ClientId, id: DeliveryId, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE webhook_delivery
         SET schedule_from = CASE WHEN state = 'PENDING' THEN schedule_from ELSE attempts END,
             state = 'PENDING', due_at = $3, ready = true
         WHERE client_id = $1 AND id = $2 AND state IN ('PENDING', 'DELIVERED', 'EXHAUSTED')
           AND (event IS NOT NULL OR body IS NOT NULL)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The failed deliveries of an endpoint in a period.
#[derive(Debug, Clone, Copy)]
pub struct FailedDeliveries {
    pub endpoint: EndpointId,
    pub since: DateTime<Utc>,
    /// Excluded. `None`: no end.
    pub until: Option<DateTime<Utc>>,
}

/// Makes the oldest `limit` of these deliveries due now. Returns their number.
pub async fn resend_failed(
    db: &mut PgConnection,
    client: ClientId,
    FailedDeliveries { endpoint, since, until }: FailedDeliveries,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let done = sqlx::query(
        "UPDATE webhook_delivery SET schedule_from = attempts, state = 'PENDING', due_at = $4, ready = true
         FROM (SELECT client_id, id FROM webhook_delivery
               WHERE client_id = $1 AND lane_id = $2 AND state = 'EXHAUSTED' AND id >= $3 AND id < $6
                 AND (event IS NOT NULL OR body IS NOT NULL)
               ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED) failed
         WHERE webhook_delivery.client_id = failed.client_id AND webhook_delivery.id = failed.id",
    )
    .bind(client.0)
    .bind(endpoint.0)
    .bind(first_id_at(since))
    .bind(now)
    .bind(limit)
    .bind(until.map_or(Uuid::max(), first_id_at))
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}
