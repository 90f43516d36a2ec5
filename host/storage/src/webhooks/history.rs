//! Webhooks as a client sees them: health of endpoints, attempts, and results of deliveries.

use chrono::{DateTime, Utc};
use domain::{
    clock::minted_at,
    ids::{ClientId, DeliveryId, EndpointId, WebhookConfigId},
    page::PageRequest,
    webhook::{DisabledReason, WebhookType},
};
use uuid::Uuid;

use super::configs::webhook_type;
use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointHealth {
    pub id: EndpointId,
    pub webhook: WebhookType,
    pub url: String,
    pub failing_since: Option<DateTime<Utc>>,
    pub disabled_at: Option<DateTime<Utc>>,
    pub disabled_reason: Option<DisabledReason>,
    pub failed: i64,
    /// Deliveries that wait for their first or next attempt.
    pub waiting: i64,
}

#[derive(sqlx::FromRow)]
struct HealthRow {
    id: Uuid,
    webhook_type: String,
    url: String,
    failing_since: Option<DateTime<Utc>>,
    disabled_at: Option<DateTime<Utc>>,
    disabled_reason: Option<String>,
    failed: i64,
    waiting: i64,
}

impl TryFrom<HealthRow> for EndpointHealth {
    type Error = crate::Error;

    fn try_from(row: HealthRow) -> Result<Self> {
        let reason = row.disabled_reason.as_deref();
        let reason =
            reason.map(|name| read_value("webhook_endpoint", "disabled_reason", name, DisabledReason::from_name));
        Ok(Self {
            id: EndpointId(row.id),
            webhook: webhook_type(&row.webhook_type)?,
            url: row.url,
            failing_since: row.failing_since,
            disabled_at: row.disabled_at,
            disabled_reason: reason.transpose()?,
            failed: row.failed,
            waiting: row.waiting,
        })
    }
}

pub async fn endpoints(
    db: &mut PgConnection,
    client: ClientId,
    config: WebhookConfigId,
) -> Result<Vec<EndpointHealth>> {
    let rows: Vec<HealthRow> = sqlx::query_as(
        "SELECT endpoint.id, endpoint.webhook_type, endpoint.url, endpoint.failing_since, endpoint.disabled_at,
                endpoint.disabled_reason,
                (SELECT count(*) FROM (
                     SELECT FROM webhook_delivery delivery
                     WHERE delivery.client_id = endpoint.client_id AND delivery.lane_id = endpoint.id
                       AND delivery.state = 'EXHAUSTED' LIMIT 10000) counted) AS failed,
                (SELECT count(*) FROM webhook_delivery delivery
                 WHERE delivery.client_id = endpoint.client_id AND delivery.lane_id = endpoint.id
                   AND delivery.state = 'PENDING') AS waiting
         FROM webhook_endpoint endpoint
         WHERE endpoint.client_id = $1 AND endpoint.config_id = $2",
    )
    .bind(client.0)
    .bind(config.0)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(EndpointHealth::try_from).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Attempt {
    pub id: Uuid,
    pub delivery_id: Uuid,
    /// Its endpoint; `None` for old attempts, which did not store it.
    pub endpoint_id: Option<Uuid>,
    pub attempt: i16,
    pub status_code: Option<i16>,
    pub error: Option<String>,
    pub response_start: Option<String>,
    pub duration_millis: i32,
    pub attempted_at: DateTime<Utc>,
}

/// A page of attempts, newest first, and the total. `failed`: only those without a 2xx answer.
pub async fn attempts(
    db: &mut PgConnection,
    client: ClientId,
    endpoints: &[EndpointId],
    failed: bool,
    page: PageRequest,
) -> Result<(Vec<Attempt>, i64)> {
    let endpoints: Vec<Uuid> = endpoints.iter().map(|endpoint| endpoint.0).collect();
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM webhook_attempt
         WHERE client_id = $1 AND endpoint_id = ANY($2)
           AND NOT ($3 AND status_code IS NOT NULL AND status_code BETWEEN 200 AND 299)",
    )
    .bind(client.0)
    .bind(&endpoints)
    .bind(failed)
    .fetch_one(&mut *db)
    .await?;
    // The newest of each endpoint, so that the cost of a page is its size.
    let rows: Vec<Attempt> = sqlx::query_as(
        "SELECT made.* FROM unnest($2::uuid[]) AS wanted (id)
         CROSS JOIN LATERAL (
             SELECT id, delivery_id, endpoint_id, attempt, status_code, error, response_start, duration_millis, attempted_at
             FROM webhook_attempt
             WHERE client_id = $1 AND endpoint_id = wanted.id
               AND NOT ($3 AND status_code IS NOT NULL AND status_code BETWEEN 200 AND 299)
             ORDER BY id DESC LIMIT $4::bigint + $5::bigint) made
         ORDER BY made.id DESC OFFSET $4 LIMIT $5",
    )
    .bind(client.0)
    .bind(&endpoints)
    .bind(failed)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(db)
    .await?;
    Ok((rows, total))
}

pub async fn attempts_of(db: &mut PgConnection, client: ClientId, delivery: DeliveryId) -> Result<Vec<Attempt>> {
    let rows = sqlx::query_as(
        "SELECT id, delivery_id, endpoint_id, attempt, status_code, error, response_start, duration_millis, attempted_at
         FROM webhook_attempt WHERE client_id = $1 AND delivery_id = $2 ORDER BY id",
    )
    .bind(client.0)
    .bind(delivery.0)
    .fetch_all(db)
    .await?;
    Ok(rows)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WebhookDeliveryState {
    Pending,
    Delivered,
    Dropped,
    Exhausted,
}

impl WebhookDeliveryState {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "PENDING" => Self::Pending,
            "DELIVERED" => Self::Delivered,
            "DROPPED" => Self::Dropped,
            "EXHAUSTED" => Self::Exhausted,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Also the header `webhook-id`.
    pub id: DeliveryId,
    pub webhook: WebhookType,
    pub inbox: Option<String>,
    pub state: WebhookDeliveryState,
    pub attempts: i16,
    pub created_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    pub body: Option<Vec<u8>>,
}

#[derive(sqlx::FromRow)]
struct DeliveryRow {
    id: Uuid,
    webhook_type: String,
    address: Option<String>,
    state: String,
    attempts: i16,
    due_at: DateTime<Utc>,
    body: Option<Vec<u8>>,
}

pub async fn delivery(
    db: &mut PgConnection,
    client: ClientId,
    config: WebhookConfigId,
    id: DeliveryId,
) -> Result<Option<Delivery>> {
    let row: Option<DeliveryRow> = sqlx::query_as(
        "SELECT delivery.id, endpoint.webhook_type, inbox.address, delivery.state, delivery.attempts, delivery.due_at,
                delivery.body
         FROM webhook_delivery delivery
         JOIN webhook_endpoint endpoint ON endpoint.client_id = delivery.client_id AND endpoint.id = delivery.lane_id
         LEFT JOIN inbox ON inbox.client_id = delivery.client_id AND inbox.id = delivery.inbox_id
         WHERE delivery.client_id = $1 AND delivery.id = $3 AND endpoint.config_id = $2",
    )
    .bind(client.0)
    .bind(config.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(|row| {
        Ok(Delivery {
            id: DeliveryId(row.id),
            webhook: webhook_type(&row.webhook_type)?,
            inbox: row.address,
            state: read_value("webhook_delivery", "state", &row.state, WebhookDeliveryState::from_name)?,
            attempts: row.attempts,
            created_at: minted_at(row.id),
            due_at: row.due_at,
            body: row.body,
        })
    })
    .transpose()
}
