//! `patchbay listen`: copies of the bodies of webhooks for a developer, and the time until which webhooks are copied.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, DeliveryId, EndpointId},
    webhook::WebhookType,
};
use uuid::Uuid;

use super::configs::webhook_type;
use crate::{PgConnection, Result};

/// Seconds for which webhooks are copied after the last request of a listener.
const COPIED_SECONDS: f64 = 90.0;
/// The time is moved only if it ends within these seconds, so that most requests write nothing.
const RENEWED_SECONDS: f64 = 60.0;

/// Records that a program listens to the webhooks of a client. Returns the number of the last copy. `None`: the client
/// has no webhook configuration.
pub async fn listen(db: &mut PgConnection, client: ClientId) -> Result<Option<i64>> {
    sqlx::query(
        "UPDATE webhook_endpoint SET listened_until = now() + make_interval(secs => $2)
         WHERE client_id = $1 AND (listened_until IS NULL OR listened_until < now() + make_interval(secs => $3))",
    )
    .bind(client.0)
    .bind(COPIED_SECONDS)
    .bind(RENEWED_SECONDS)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "INSERT INTO webhook_listener (client_id)
         SELECT client_id FROM webhook_config WHERE client_id = $1 LIMIT 1 ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .execute(&mut *db)
    .await?;
    let last = sqlx::query_scalar(
        "SELECT last_number FROM webhook_listener listener
         WHERE client_id = $1 AND EXISTS (SELECT 1 FROM webhook_config config WHERE config.client_id = listener.client_id)",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    Ok(last)
}

#[derive(Debug, Clone, Copy)]
pub struct NewWebhookCopy<'a> {
    pub delivery: DeliveryId,
    pub body: &'a [u8],
}

/// Stores copies with the next numbers of the client, in the given order. A delivery that has a copy already is left
/// out, and its number stays unused. If no program ever listened, nothing is stored. Other transactions that copy for
/// the client wait until this one ends, so that a reader misses no number.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    endpoint: EndpointId,
    copies: &[NewWebhookCopy<'_>],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "WITH listener AS (
             UPDATE webhook_listener SET last_number = last_number + cardinality($3::uuid[]) WHERE client_id = $1
             RETURNING last_number - cardinality($3::uuid[]) AS before
         )
         INSERT INTO webhook_copy (client_id, number, endpoint_id, delivery_id, body, copied_at)
         SELECT $1, listener.before + one.place, $2, one.delivery_id, one.body, $5
         FROM listener, unnest($3::uuid[], $4::bytea[]) WITH ORDINALITY AS one (delivery_id, body, place)
         ON CONFLICT (client_id, delivery_id) DO NOTHING",
    )
    .bind(client.0)
    .bind(endpoint.0)
    .bind(copies.iter().map(|copy| copy.delivery.0).collect::<Vec<_>>())
    .bind(copies.iter().map(|copy| copy.body).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookCopy {
    /// `None` if there is no copy of it, but its body is stored with the delivery.
    pub number: Option<i64>,
    pub delivery: DeliveryId,
    pub endpoint: EndpointId,
    pub webhook: WebhookType,
    pub body: Vec<u8>,
}

#[derive(sqlx::FromRow)]
struct CopyRow {
    number: Option<i64>,
    delivery_id: Uuid,
    endpoint_id: Uuid,
    webhook_type: String,
    body: Vec<u8>,
}

impl TryFrom<CopyRow> for WebhookCopy {
    type Error = crate::Error;

    fn try_from(row: CopyRow) -> Result<Self> {
        Ok(Self {
            number: row.number,
            delivery: DeliveryId(row.delivery_id),
            endpoint: EndpointId(row.endpoint_id),
            webhook: webhook_type(&row.webhook_type)?,
            body: row.body,
        })
    }
}

/// Returns the first copies after a number. Copies of deleted configurations are left out.
pub async fn after(db: &mut PgConnection, client: ClientId, number: i64, limit: i64) -> Result<Vec<WebhookCopy>> {
    let rows: Vec<CopyRow> = sqlx::query_as(
        "SELECT copy.number, copy.delivery_id, copy.endpoint_id, endpoint.webhook_type, copy.body
         FROM webhook_copy copy
         JOIN webhook_endpoint endpoint ON endpoint.client_id = copy.client_id AND endpoint.id = copy.endpoint_id
         WHERE copy.client_id = $1 AND copy.number > $2
         ORDER BY copy.number LIMIT $3",
    )
    .bind(client.0)
    .bind(number)
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(WebhookCopy::try_from).collect()
}

pub async fn of_delivery(db: &mut PgConnection, client: ClientId, id: DeliveryId) -> Result<Option<WebhookCopy>> {
    let row: Option<CopyRow> = sqlx::query_as(
        "SELECT copy.number, delivery.id AS delivery_id, delivery.lane_id AS endpoint_id, endpoint.webhook_type,
                COALESCE(delivery.body, copy.body) AS body
         FROM webhook_delivery delivery
         JOIN webhook_endpoint endpoint ON endpoint.client_id = delivery.client_id AND endpoint.id = delivery.lane_id
         LEFT JOIN webhook_copy copy ON copy.client_id = delivery.client_id AND copy.delivery_id = delivery.id
         WHERE delivery.client_id = $1 AND delivery.id = $2 AND COALESCE(delivery.body, copy.body) IS NOT NULL",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(WebhookCopy::try_from).transpose()
}
