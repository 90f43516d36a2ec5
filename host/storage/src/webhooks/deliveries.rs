//! Webhook deliveries, one per event and endpoint, and their attempts.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, DeliveryId, EndpointId, InboxId};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result, column_values,
    work::lanes::{LaneKey, LaneState},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery<E> {
    /// Increases in the order of the events.
    pub id: DeliveryId,
    pub endpoint: EndpointId,
    pub inbox: InboxId,
    /// First attempts with the same key are made in order.
    pub order_key: i64,
    pub event: E,
    /// True if its endpoint is disabled. It is stored as given up: nothing is sent until the client has it sent again.
    pub is_disabled: bool,
}

/// Stores deliveries in the order given, all due at `due_at`, except those of disabled endpoints.
pub async fn insert_all<E: Serialize>(
    db: &mut PgConnection,
    client: ClientId,
    deliveries: &[NewDelivery<E>],
    due_at: DateTime<Utc>,
) -> Result<()> {
    let count = deliveries.len();
    let mut ids = Vec::with_capacity(count);
    let mut endpoints = Vec::with_capacity(count);
    let mut inboxes = Vec::with_capacity(count);
    let mut order_keys = Vec::with_capacity(count);
    let mut events = Vec::with_capacity(count);
    let mut states = Vec::with_capacity(count);
    for delivery in deliveries {
        ids.push(delivery.id.0);
        endpoints.push(delivery.endpoint.0);
        inboxes.push(delivery.inbox.0);
        order_keys.push(delivery.order_key);
        events.push(column_values::write_text(&delivery.event)?);
        states.push(if delivery.is_disabled { "EXHAUSTED" } else { "PENDING" });
    }
    sqlx::query(
        "INSERT INTO webhook_delivery (client_id, id, lane_id, inbox_id, order_key, event, due_at, state)
         SELECT $1, id, lane_id, inbox_id, order_key, event, $7, state
         FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[], $8::text[])
              AS new (id, lane_id, inbox_id, order_key, event, state)",
    )
    .bind(client.0)
    .bind(ids)
    .bind(endpoints)
    .bind(inboxes)
    .bind(order_keys)
    .bind(events)
    .bind(due_at)
    .bind(states)
    .execute(db)
    .await?;
    Ok(())
}

/// The end of a page of due deliveries; the next page begins after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub due_at: DateTime<Utc>,
    pub id: DeliveryId,
}

#[derive(Debug)]
pub enum DeliveryContent<E> {
    /// The event to be shaped. An error drops this delivery alone.
    Event(Result<E>),
    Body(Vec<u8>),
}

#[derive(Debug)]
pub struct DueDelivery<E> {
    pub id: DeliveryId,
    pub inbox: InboxId,
    pub order_key: i64,
    pub attempts: u16,
    /// Attempts before the client had it sent again: the schedule begins there.
    pub schedule_from: u16,
    pub due_at: DateTime<Utc>,
    pub content: DeliveryContent<E>,
}

impl<E> DueDelivery<E> {
    pub fn position(&self) -> Position {
        Position { due_at: self.due_at, id: self.id }
    }
}

#[derive(sqlx::FromRow)]
struct DueRow {
    id: Uuid,
    inbox_id: Uuid,
    order_key: i64,
    attempts: i16,
    schedule_from: i16,
    due_at: DateTime<Utc>,
    event: Option<String>,
    body: Option<Vec<u8>>,
}

impl<E: DeserializeOwned> From<DueRow> for DueDelivery<E> {
    fn from(row: DueRow) -> Self {
        let content = match row.body {
            Some(body) => DeliveryContent::Body(body),
            None => DeliveryContent::Event(event(row.event)),
        };
        Self {
            id: DeliveryId(row.id),
            inbox: InboxId(row.inbox_id),
            order_key: row.order_key,
            attempts: u16::try_from(row.attempts).unwrap_or(0),
            schedule_from: u16::try_from(row.schedule_from).unwrap_or(0),
            due_at: row.due_at,
            content,
        }
    }
}

fn event<E: DeserializeOwned>(stored: Option<String>) -> Result<E> {
    // One of the two is present: webhook_delivery_content_present.
    let missing = || Error::Inconsistent { table: "webhook_delivery", column: "event", value: "nothing".to_owned() };
    column_values::read_text("webhook_delivery", "event", &stored.ok_or_else(missing)?)
}

#[derive(Debug, Clone, Copy)]
pub struct DeliveryQuery<'a> {
    pub after: Option<Position>,
    /// Deliveries that the caller has already; they are not read again.
    pub held: &'a [DeliveryId],
    pub limit: usize,
}

/// Returns deliveries of an endpoint that are due at `now`, in the order of due time and id.
pub async fn due_page<E: DeserializeOwned>(
    db: &mut PgConnection,
    client: ClientId,
    endpoint: EndpointId,
    now: DateTime<Utc>,
    DeliveryQuery { after, held, limit }: DeliveryQuery<'_>,
) -> Result<Vec<DueDelivery<E>>> {
    let rows: Vec<DueRow> = sqlx::query_as(
        "SELECT id, inbox_id, order_key, attempts, schedule_from, due_at,
                CASE WHEN body IS NULL THEN event END AS event, body
         FROM webhook_delivery
         WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING' AND ready AND due_at <= $3
           AND (due_at, id) > (COALESCE($4, '-infinity'::timestamptz), $5)
           AND id NOT IN (SELECT unnest($7::uuid[]))
         ORDER BY due_at, id
         LIMIT $6",
    )
    .bind(client.0)
    .bind(endpoint.0)
    .bind(now)
    .bind(after.map(|position| position.due_at))
    .bind(after.map_or(Uuid::nil(), |position| position.id.0))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(held.iter().map(|held| held.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(DueDelivery::from).collect())
}

#[derive(Debug, Clone, Copy)]
pub struct ClientShaperResult<'a> {
    pub id: DeliveryId,
    pub body: Option<&'a [u8]>,
    pub shaper: &'a str,
    pub version: Option<u32>,
    pub sha256: Option<&'a str>,
}

/// Stores the results of clients' own shapers. From now on the delivery has these bytes, if there is a body.
pub async fn store_shapes(db: &mut PgConnection, client: ClientId, shapes: &[ClientShaperResult<'_>]) -> Result<()> {
    sqlx::query(
        "UPDATE webhook_delivery
         SET body = shaped.body, event = CASE WHEN shaped.body IS NULL THEN webhook_delivery.event END,
             shaper = shaped.shaper, shaper_version = shaped.version, shaper_sha256 = shaped.sha256
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::uuid[], $3::bytea[], $4::text[], $5::integer[], $6::text[])
                    AS one (id, body, shaper, version, sha256) OFFSET 0) shaped
         WHERE webhook_delivery.client_id = shaped.client_id AND webhook_delivery.id = shaped.id
           AND webhook_delivery.state = 'PENDING'",
    )
    .bind(client.0)
    .bind(shapes.iter().map(|shape| shape.id.0).collect::<Vec<_>>())
    .bind(shapes.iter().map(|shape| shape.body).collect::<Vec<_>>())
    .bind(shapes.iter().map(|shape| shape.shaper).collect::<Vec<_>>())
    .bind(shapes.iter().map(|shape| shape.version.and_then(|version| i32::try_from(version).ok())).collect::<Vec<_>>())
    .bind(shapes.iter().map(|shape| shape.sha256).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryFate {
    Delivered,
    Dropped,
    /// Every attempt failed, or the endpoint is disabled.
    Exhausted,
    Retry(DateTime<Utc>),
}

impl DeliveryFate {
    fn state(self) -> &'static str {
        match self {
            Self::Delivered => "DELIVERED",
            Self::Dropped => "DROPPED",
            Self::Exhausted => "EXHAUSTED",
            Self::Retry(_) => "PENDING",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedDelivery<'a> {
    pub id: DeliveryId,
    pub attempts: u16,
    pub fate: DeliveryFate,
    /// The sent bytes, if they are not stored yet: every later attempt sends them too.
    pub body: Option<&'a [u8]>,
}

/// Deliveries whose fate is known, and the attempts.
#[derive(Debug, Clone, Copy)]
pub struct OutcomeRows<'a> {
    pub finished: &'a [FinishedDelivery<'a>],
    pub attempts: &'a [NewAttempt],
}

/// Stores the fates of deliveries of one endpoint and the attempts, in one statement. Deliveries that are not pending
/// stay.
///
/// If `give_back_at` is a time and nothing else is due then, it also ends the lease. It raises the fence, so that a
/// renewal that waits for the row does not extend the lease.
///
/// `None`: the lane has gone to another process. Attempts are recorded all the same, and the state of a delivery unless
/// the other process has stored a later attempt.
pub async fn settle(
    db: &mut PgConnection,
    lane: LaneKey,
    fence: i64,
    OutcomeRows { finished, attempts }: OutcomeRows<'_>,
    give_back_at: Option<DateTime<Utc>>,
) -> Result<Option<LaneState>> {
    let due = |one: &FinishedDelivery<'_>| if let DeliveryFate::Retry(at) = one.fate { Some(at) } else { None };
    let millis = |one: &NewAttempt| i32::try_from(one.duration_millis).unwrap_or(i32::MAX);
    let given_back: Option<bool> = sqlx::query_scalar(
        "WITH held AS MATERIALIZED (
             SELECT 1 AS lane FROM lane WHERE client_id = $1 AND queue = $7 AND lane_id = $8 AND fence = $9 FOR SHARE
         ), finished AS (
             UPDATE webhook_delivery
             SET state = done.state, attempts = done.attempts, due_at = COALESCE(done.due_at, webhook_delivery.due_at),
                 ready = done.due_at IS NULL,
                 body = COALESCE(done.body, webhook_delivery.body),
                 event = CASE WHEN done.body IS NULL THEN webhook_delivery.event END
             FROM (SELECT $1::uuid AS client_id, *
                   FROM unnest($2::uuid[], $3::text[], $4::smallint[], $5::timestamptz[], $6::bytea[])
                       AS one (id, state, attempts, due_at, body)
                   OFFSET 0) done
             WHERE webhook_delivery.client_id = done.client_id AND webhook_delivery.id = done.id
               AND webhook_delivery.state = 'PENDING'
               AND (EXISTS (SELECT 1 FROM held)
                    OR (webhook_delivery.attempts = done.attempts - 1
                        AND webhook_delivery.id = ANY($11)))
         ), recorded AS (
             INSERT INTO webhook_attempt
                 (client_id, endpoint_id, id, delivery_id, attempt, status_code, error, response_start, duration_millis,
                  attempted_at)
             SELECT $1, $8, made.*
             FROM unnest($10::uuid[], $11::uuid[], $12::smallint[], $13::smallint[], $14::text[], $15::text[],
                         $16::integer[], $17::timestamptz[]) AS made
             -- The answer to a commit may have been lost: then it is all written again.
             ON CONFLICT DO NOTHING
         ), given_back AS (
             UPDATE lane SET leased_until = now(), fence = fence + 1
             WHERE $18::timestamptz IS NOT NULL AND EXISTS (SELECT 1 FROM held)
               AND client_id = $1 AND queue = $7 AND lane_id = $8 AND fence = $9
               AND NOT EXISTS (SELECT 1 FROM webhook_delivery waiting
                               WHERE waiting.client_id = $1 AND waiting.lane_id = $8 AND waiting.state = 'PENDING'
                                 AND waiting.ready AND waiting.due_at <= $18 AND waiting.id <> ALL($2))
             RETURNING 1
         )
         SELECT EXISTS (SELECT 1 FROM given_back) FROM held",
    )
    .bind(lane.client.0)
    .bind(finished.iter().map(|one| one.id.0).collect::<Vec<_>>())
    .bind(finished.iter().map(|one| one.fate.state()).collect::<Vec<_>>())
    .bind(finished.iter().map(|one| small(one.attempts)).collect::<Vec<_>>())
    .bind(finished.iter().map(due).collect::<Vec<_>>())
    .bind(finished.iter().map(|one| one.body).collect::<Vec<_>>())
    .bind(lane.queue.name())
    .bind(lane.lane)
    .bind(fence)
    .bind(attempts.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(attempts.iter().map(|one| one.delivery.0).collect::<Vec<_>>())
    .bind(attempts.iter().map(|one| small(one.attempt)).collect::<Vec<_>>())
    .bind(attempts.iter().map(|one| one.status_code.map(small)).collect::<Vec<_>>())
    .bind(attempts.iter().map(|one| one.error.as_deref()).collect::<Vec<_>>())
    .bind(attempts.iter().map(|one| one.response_start.as_deref()).collect::<Vec<_>>())
    .bind(attempts.iter().map(millis).collect::<Vec<_>>())
    .bind(attempts.iter().map(|one| one.attempted_at).collect::<Vec<_>>())
    .bind(give_back_at)
    .fetch_optional(db)
    .await?;
    Ok(given_back.map(|given_back| if given_back { LaneState::GivenBack } else { LaneState::Held }))
}

pub async fn abandon(db: &mut PgConnection, client: ClientId, endpoint: EndpointId, fate: DeliveryFate) -> Result<u64> {
    let done = sqlx::query(
        "UPDATE webhook_delivery SET state = $3 WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(endpoint.0)
    .bind(fate.state())
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttempt {
    pub id: Uuid,
    pub delivery: DeliveryId,
    pub attempt: u16,
    pub status_code: Option<u16>,
    pub error: Option<String>,
    pub response_start: Option<String>,
    pub duration_millis: u32,
    pub attempted_at: DateTime<Utc>,
}

/// PostgreSQL has no unsigned integers; attempts and HTTP statuses are far below the limit.
fn small(value: u16) -> i16 {
    i16::try_from(value).unwrap_or(i16::MAX)
}
