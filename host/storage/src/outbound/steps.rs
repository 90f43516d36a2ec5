//! What a group of steps changes, written in one statement: where legs stand, which of them are done, the ids that providers
//! gave, each step once, and what they add to the counts.

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, MessageId},
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{count_changes::CountChanges, keys::LegKeys};
use crate::Result;

/// When a leg was sent, delivered, read, played, as far as known.
pub type Times = [Option<DateTime<Utc>>; 4];

/// A leg's new state, with the error when it failed.
#[derive(Debug, Clone)]
pub struct LegMove {
    /// The message.
    pub message: MessageId,
    /// Which leg.
    pub ordinal: i16,
    /// The state it has reached.
    pub state: DeliveryState,
    /// When it reached the states before, too.
    pub times: Times,
    /// The provider's id, when this move brought it.
    pub provider_id: Option<String>,
    /// Code and text of a failure.
    pub error: Option<(String, String)>,
    /// It was queued until now. The provider has it, or never will: it leaves the queue.
    pub leaves_queue: bool,
}

/// One step that a leg made.
#[derive(Debug, Clone)]
pub struct NewReceipt {
    /// UUIDv7 of the moment it was stored.
    pub id: Uuid,
    /// The message.
    pub message: MessageId,
    /// Channel of the leg.
    pub channel: Channel,
    /// The state reached.
    pub state: DeliveryState,
    /// When, by the provider.
    pub happened_at: DateTime<Utc>,
    /// Code and text of a failure.
    pub error: Option<(String, String)>,
}

/// A provider's id of a message, which stays known for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderId {
    /// The id.
    pub id: String,
    /// The message that it was given to.
    pub message: MessageId,
    /// The chat message that this carries.
    pub chat_message: Option<ChatMessageId>,
}

/// All that a group of steps changes.
#[derive(Debug, Default)]
pub struct Steps {
    /// Where legs stand now, each leg once.
    pub legs: Vec<LegMove>,
    /// What happened on the way.
    pub receipts: Vec<NewReceipt>,
    /// Ids that became known; a repeated one changes nothing.
    pub provider_ids: Vec<ProviderId>,
    /// What first legs add to the counts.
    pub counts: CountChanges,
}

/// Writes what steps changed. The legs are locked by the caller.
pub async fn write(db: &mut PgConnection, client: ClientId, steps: &Steps, now: DateTime<Utc>) -> Result<()> {
    let Steps { legs, receipts, provider_ids, counts } = steps;
    if legs.is_empty() && receipts.is_empty() && provider_ids.is_empty() {
        return Ok(());
    }
    let keys: LegKeys = legs.iter().map(|leg| (leg.message, leg.ordinal)).collect();
    let dequeued: LegKeys = legs.iter().filter(|leg| leg.leaves_queue).map(|leg| (leg.message, leg.ordinal)).collect();
    let time = |at: usize| legs.iter().map(|leg| leg.times.get(at).copied().flatten()).collect::<Vec<_>>();
    sqlx::query(
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
             -- What waited for one of these in its chat goes out now, unless a process is looking at it: then it has its turn.
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
         )
         INSERT INTO delivery_receipt (client_id, id, message_id, channel, state, happened_at, error_code, error_text)
         SELECT $1, * FROM unnest($16::uuid[], $17::uuid[], $18::text[], $19::text[], $20::timestamptz[], $21::text[],
                                  $22::text[])",
    )
    .bind(client.0)
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
    .bind(now)
    .bind(provider_ids.iter().map(|known| known.id.as_str()).collect::<Vec<_>>())
    .bind(provider_ids.iter().map(|known| known.message.0).collect::<Vec<_>>())
    .bind(provider_ids.iter().map(|known| known.chat_message.map(|chat| chat.0)).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.id).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.message.0).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.channel.as_str()).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.state.as_str()).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.happened_at).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.error.as_ref().map(|error| error.0.as_str())).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.error.as_ref().map(|error| error.1.as_str())).collect::<Vec<_>>())
    .bind(counts.at())
    .bind(counts.types())
    .bind(counts.counts(|counts| counts.sent))
    .bind(counts.counts(|counts| counts.delivered))
    .bind(counts.counts(|counts| counts.read))
    .bind(counts.counts(|counts| counts.failed))
    .bind(dequeued.messages)
    .bind(dequeued.ordinals)
    .execute(db)
    .await?;
    Ok(())
}

/// The step with which a leg of a message failed last.
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
