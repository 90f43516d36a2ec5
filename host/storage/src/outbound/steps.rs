//! The changes by a group of steps, in one statement: states, finished work, ids, counts, webhooks.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, CustomerId, DeliveryId, EndpointId, InboxId, MessageId},
};
use serde::Serialize;
use sqlx::{Postgres, postgres::PgArguments, query::QueryScalar};
use uuid::Uuid;

use super::{count_changes::CountChanges, keys::LegKeys};
use crate::{PgConnection, Result, column_values};

pub type LegTimes = [Option<DateTime<Utc>>; 4];

#[derive(Debug, Clone)]
pub struct LegMove {
    pub message: MessageId,
    pub ordinal: i16,
    pub state: DeliveryState,
    /// When it reached this and the earlier states.
    pub times: LegTimes,
    pub provider_id: Option<String>,
    pub error: Option<(String, String)>,
    /// True if it leaves the queue, because the provider has it or never will.
    pub leaves_queue: bool,
}

#[derive(Debug, Clone)]
pub struct NewReceipt {
    /// UUIDv7 of the moment it was stored.
    pub id: Uuid,
    pub message: MessageId,
    pub channel: Channel,
    pub state: DeliveryState,
    pub happened_at: DateTime<Utc>,
    pub error: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderId {
    pub id: String,
    pub message: MessageId,
    pub chat_message: Option<ChatMessageId>,
}

/// The webhook of a step. It goes to the status address of its inbox, otherwise of its client
/// (`domain::webhook::in_force`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepWebhook {
    id: DeliveryId,
    inbox: InboxId,
    order_key: i64,
    event: String,
}

impl StepWebhook {
    /// `event` is the content. Webhooks with the same `order_key` are sent in order.
    pub fn new(id: DeliveryId, inbox: InboxId, order_key: i64, event: &impl Serialize) -> Result<Self> {
        Ok(Self { id, inbox, order_key, event: column_values::write_text(event)? })
    }
}

type Statement<'q> = QueryScalar<'q, Postgres, Uuid, PgArguments>;

#[derive(Debug, Default)]
pub struct Steps {
    pub legs: Vec<LegMove>,
    pub receipts: Vec<NewReceipt>,
    /// New provider ids. A repeated one changes nothing.
    pub provider_ids: Vec<ProviderId>,
    pub counts: CountChanges,
    pub reached: BTreeSet<(InboxId, CustomerId)>,
    pub told: Vec<StepWebhook>,
}

/// Stores the changes and returns the endpoints with new webhooks to send. The caller has locked the legs.
pub async fn write(
    db: &mut PgConnection,
    client: ClientId,
    steps: &Steps,
    now: DateTime<Utc>,
) -> Result<Vec<EndpointId>> {
    let Steps { legs, receipts, provider_ids, counts, reached, told } = steps;
    if legs.is_empty() && receipts.is_empty() && provider_ids.is_empty() {
        return Ok(Vec::new());
    }
    let inboxes: BTreeSet<InboxId> = told.iter().map(|one| one.inbox).collect();
    let dequeued: LegKeys = legs.iter().filter(|leg| leg.leaves_queue).map(|leg| (leg.message, leg.ordinal)).collect();
    let statement = sqlx::query_scalar(
        "WITH leg AS (
             UPDATE outbound_leg leg
             SET state = move.state, provider_id = COALESCE(move.provider_id, leg.provider_id), sent_at = move.sent_at,
                 delivered_at = move.delivered_at, read_at = move.read_at, played_at = move.played_at,
                 error_code = move.error_code, error_text = move.error_text, updated_at = $12
             FROM (SELECT $1::uuid AS client_id, *
                   FROM unnest($2::uuid[], $3::smallint[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
                               $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[])
                       AS step (message_id, ordinal, state, provider_id, sent_at, delivered_at, read_at, played_at,
                                error_code, error_text)
                   OFFSET 0) move
             WHERE leg.client_id = move.client_id AND leg.message_id = move.message_id AND leg.ordinal = move.ordinal
         ), work AS (
             DELETE FROM outbound_work work
             USING (SELECT $1::uuid AS client_id, * FROM unnest($29::uuid[], $30::smallint[]) AS step (message_id, ordinal)
                    OFFSET 0) move
             WHERE work.client_id = move.client_id AND work.message_id = move.message_id AND work.ordinal = move.ordinal
             RETURNING work.client_id, work.lane_id, work.recipient, work.holds_until
         ), freed AS (
             -- A message that waited for one of these in its chat is due now, unless a process is looking at it: then it has its turn.
             UPDATE outbound_work work SET due_at = $12, ready = true
             FROM (SELECT one.client_id, one.message_id, one.ordinal FROM work held
                   JOIN outbound_work one ON one.client_id = held.client_id AND one.lane_id = held.lane_id
                        AND one.recipient = held.recipient AND one.holds_until IS NOT NULL AND NOT one.ready
                        AND one.phase = 'READY' AND one.attempts = 0
                   WHERE held.holds_until IS NOT NULL
                   FOR UPDATE OF one SKIP LOCKED) next
             WHERE work.client_id = next.client_id AND work.message_id = next.message_id AND work.ordinal = next.ordinal
         ), known AS (
             INSERT INTO provider_message (client_id, provider_id, outbound_message_id, chat_message_id)
             SELECT $1, * FROM unnest($13::text[], $14::uuid[], $15::uuid[]) ON CONFLICT DO NOTHING
         ), counted AS (
             INSERT INTO message_count_change (client_id, at, message_type, submitted, sent, delivered, read, failed)
             SELECT $1, at, message_type, 0, sent, delivered, read, failed
             FROM unnest($23::timestamptz[], $24::text[], $25::integer[], $26::integer[], $27::integer[], $28::integer[])
                 AS change (at, message_type, sent, delivered, read, failed)
         ), receipt AS (
             INSERT INTO delivery_receipt (client_id, id, message_id, channel, state, happened_at, error_code, error_text)
             SELECT $1, * FROM unnest($16::uuid[], $17::uuid[], $18::text[], $19::text[], $20::timestamptz[], $21::text[],
                                      $22::text[])
         ), reached AS (
             INSERT INTO inbox_customer AS known (client_id, inbox_id, customer_id, reached)
             SELECT $1, *, true FROM unnest($31::uuid[], $32::uuid[])
             ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE SET reached = true WHERE NOT known.reached
         ), route AS MATERIALIZED (
             SELECT inbox.id AS inbox_id, endpoint.id, endpoint.state
             FROM (SELECT $1::uuid AS client_id, id FROM unnest($33::uuid[]) AS id OFFSET 0) inbox
             CROSS JOIN LATERAL (
                 SELECT id FROM (
                     (SELECT id, false AS is_default FROM webhook_config own
                      WHERE own.client_id = inbox.client_id AND own.inbox_id = inbox.id OFFSET 0)
                     UNION ALL
                     (SELECT id, true FROM webhook_config of_client
                      WHERE of_client.client_id = inbox.client_id AND of_client.inbox_id IS NULL OFFSET 0)) config
                 ORDER BY is_default LIMIT 1) in_force
             CROSS JOIN LATERAL (
                 -- A delivery to a disabled endpoint is stored as given up, so that it can be sent again later.
                 SELECT id, CASE WHEN one.disabled_at IS NULL OR one.listened_until > now() THEN 'PENDING'
                                 ELSE 'EXHAUSTED' END AS state
                 FROM webhook_endpoint one
                 WHERE one.client_id = inbox.client_id AND one.config_id = in_force.id
                   AND one.webhook_type = 'STATUS_UPDATE'
                   AND (one.url <> '' OR one.listened_until > now()) OFFSET 0) endpoint
         ), told AS (
             INSERT INTO webhook_delivery (client_id, id, lane_id, inbox_id, order_key, event, due_at, state)
             SELECT $1, given.id, route.id, given.inbox_id, given.order_key, given.event, $12, route.state
             FROM unnest($34::uuid[], $35::uuid[], $36::bigint[], $37::text[]) AS given (id, inbox_id, order_key, event)
             JOIN route ON route.inbox_id = given.inbox_id
             RETURNING lane_id, state
         )
         SELECT DISTINCT lane_id FROM told WHERE state = 'PENDING'",
    )
    .bind(client.0);
    let statement = bind_legs(statement, legs)
        .bind(now)
        .bind(provider_ids.iter().map(|known| known.id.as_str()).collect::<Vec<_>>())
        .bind(provider_ids.iter().map(|known| known.message.0).collect::<Vec<_>>())
        .bind(provider_ids.iter().map(|known| known.chat_message.map(|chat| chat.0)).collect::<Vec<_>>());
    let statement = bind_receipts(statement, receipts)
        .bind(counts.at())
        .bind(counts.types())
        .bind(counts.counts(|counts| counts.sent))
        .bind(counts.counts(|counts| counts.delivered))
        .bind(counts.counts(|counts| counts.read))
        .bind(counts.counts(|counts| counts.failed))
        .bind(dequeued.messages)
        .bind(dequeued.ordinals)
        .bind(reached.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
        .bind(reached.iter().map(|(_, customer)| customer.0).collect::<Vec<_>>())
        .bind(inboxes.iter().map(|inbox| inbox.0).collect::<Vec<_>>());
    let endpoints: Vec<Uuid> = bind_told(statement, told).fetch_all(db).await?;
    Ok(endpoints.into_iter().map(EndpointId).collect())
}

/// New states of legs: $2 to $11.
fn bind_legs<'q>(statement: Statement<'q>, legs: &'q [LegMove]) -> Statement<'q> {
    let keys: LegKeys = legs.iter().map(|leg| (leg.message, leg.ordinal)).collect();
    let time = |at: usize| legs.iter().map(|leg| leg.times.get(at).copied().flatten()).collect::<Vec<_>>();
    statement
        .bind(keys.messages)
        .bind(keys.ordinals)
        .bind(legs.iter().map(|leg| leg.state.as_str()).collect::<Vec<_>>())
        .bind(legs.iter().map(|leg| leg.provider_id.as_deref()).collect::<Vec<_>>())
        .bind(time(0))
        .bind(time(1))
        .bind(time(2))
        .bind(time(3))
        .bind(legs.iter().map(|leg| leg.error.as_ref().map(|error| error.0.as_str())).collect::<Vec<_>>())
        .bind(legs.iter().map(|leg| leg.error.as_ref().map(|error| error.1.as_str())).collect::<Vec<_>>())
}

/// Steps: $16 to $22.
fn bind_receipts<'q>(statement: Statement<'q>, receipts: &'q [NewReceipt]) -> Statement<'q> {
    statement
        .bind(receipts.iter().map(|receipt| receipt.id).collect::<Vec<_>>())
        .bind(receipts.iter().map(|receipt| receipt.message.0).collect::<Vec<_>>())
        .bind(receipts.iter().map(|receipt| receipt.channel.as_str()).collect::<Vec<_>>())
        .bind(receipts.iter().map(|receipt| receipt.state.as_str()).collect::<Vec<_>>())
        .bind(receipts.iter().map(|receipt| receipt.happened_at).collect::<Vec<_>>())
        .bind(receipts.iter().map(|receipt| receipt.error.as_ref().map(|error| error.0.as_str())).collect::<Vec<_>>())
        .bind(receipts.iter().map(|receipt| receipt.error.as_ref().map(|error| error.1.as_str())).collect::<Vec<_>>())
}

/// Webhooks: $34 to $37.
fn bind_told<'q>(statement: Statement<'q>, told: &'q [StepWebhook]) -> Statement<'q> {
    statement
        .bind(told.iter().map(|one| one.id.0).collect::<Vec<_>>())
        .bind(told.iter().map(|one| one.inbox.0).collect::<Vec<_>>())
        .bind(told.iter().map(|one| one.order_key).collect::<Vec<_>>())
        .bind(told.iter().map(|one| one.event.as_str()).collect::<Vec<_>>())
}

pub async fn last_failure(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Option<Uuid>> {
    let found = sqlx::query_scalar(
        "SELECT id FROM (SELECT id FROM delivery_receipt WHERE client_id = $1 AND message_id = $2 AND state = 'FAILED'
                         OFFSET 0) failed
         ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_optional(db)
    .await?;
    Ok(found)
}
