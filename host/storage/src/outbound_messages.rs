//! Outbound messages with their parts and legs: stored in bulk, moved forward one step at a time.
//!
//! Statements that join a list of messages also say `= ANY` of that list. A kept plan is the one for tables that were nearly
//! empty, when it seemed fine to walk through all messages of a client and look each up in the list.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{
    delivery::{DeliveryState, LegChannel},
    ids::{BatchId, ChatMessageId, ClientId, CustomerId, InboxId, MessageId, PartId, ParticipantId},
};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{Error, Result};

/// Leg 0 of every message.
pub const WHATSAPP_LEG: i16 = 0;
/// The leg of an SMS fallback.
pub const SMS_LEG: i16 = 1;

/// What the recipients of one `messages` element share.
pub struct NewPart {
    /// Its id.
    pub id: PartId,
    /// The request it came with; its own id for chat replies.
    pub batch: BatchId,
    /// The sending number.
    pub number: InboxId,
    /// `NOTIFICATION`, `CHAT` or `REPLY`.
    pub message_type: &'static str,
    /// `domain::content::OutboundContent` as JSON.
    pub content: Value,
    /// The request's fallback object.
    pub fallback: Option<Value>,
    /// Provider id of the quoted message.
    pub quoted_provider_id: Option<String>,
}

/// One message to one recipient.
pub struct NewMessage {
    /// Its id, and its `gstId` unless the request named one.
    pub id: MessageId,
    /// What it says.
    pub part: PartId,
    /// The sending number, and so the lane.
    pub number: InboxId,
    /// Digits.
    pub to_phone: Option<String>,
    /// BSUID.
    pub to_bsuid: Option<String>,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The system's tracking id.
    pub gst_id: String,
    /// Webhook order within a conversation.
    pub order_key: i64,
    /// The chat it belongs to, with the chat message.
    pub chat: Option<(ParticipantId, ChatMessageId)>,
    /// Known for chat replies; found at dispatch for the rest.
    pub customer: Option<CustomerId>,
}

/// Stores parts, in one statement.
pub async fn insert_parts(db: &mut PgConnection, client: ClientId, parts: &[&NewPart]) -> Result<()> {
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, number_id, message_type, content, fallback, quoted_provider_id)
         SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::jsonb[], $7::jsonb[], $8::text[])",
    )
    .bind(client.0)
    .bind(parts.iter().map(|part| part.id.0).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.batch.0).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.number.0).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.message_type).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| &part.content).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.fallback.as_ref()).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.quoted_provider_id.as_deref()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Stores messages, their WhatsApp legs and the work that follows, in one statement.
pub async fn insert_messages(
    db: &mut PgConnection,
    client: ClientId,
    messages: &[&NewMessage],
    priority: i16,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "WITH given AS (
             SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
                                  $9::bigint[], $10::uuid[], $11::uuid[], $12::uuid[])
                 AS t (id, part_id, number_id, to_phone, to_bsuid, ct_id, gst_id, order_key, participant_id,
                       chat_message_id, customer_id)
         ), message AS (
             INSERT INTO outbound_message (client_id, id, part_id, number_id, to_phone, to_bsuid, ct_id, gst_id, order_key,
                                           participant_id, chat_message_id, customer_id)
             SELECT $1, * FROM given
         ), leg AS (
             INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, updated_at)
             SELECT $1, id, 0, 'WHATSAPP', $14 FROM given
         )
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, priority, due_at)
         SELECT $1, id, 0, number_id, $13, $14 FROM given",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.id.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.part.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.number.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.to_phone.as_deref()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.to_bsuid.as_deref()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.ct_id.as_deref()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.gst_id.as_str()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.order_key).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.chat.map(|chat| chat.0.0)).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.chat.map(|chat| chat.1.0)).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.customer.map(|customer| customer.0)).collect::<Vec<_>>())
    .bind(priority)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// A message with one of its legs, locked.
#[derive(Debug, Clone)]
pub struct MessageLeg {
    /// The message.
    pub id: MessageId,
    /// What it says.
    pub part: PartId,
    /// Which leg.
    pub ordinal: i16,
    /// Channel of the leg.
    pub channel: LegChannel,
    /// Where the leg stands.
    pub leg_state: DeliveryState,
    /// Where the message stands, over all legs.
    pub state: DeliveryState,
    /// Highest ordinal of its legs.
    pub last_ordinal: i16,
    /// The sending number.
    pub number: InboxId,
    /// Recipient's phone number in digits.
    pub to_phone: Option<String>,
    /// Recipient's BSUID.
    pub to_bsuid: Option<String>,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The system's tracking id.
    pub gst_id: String,
    /// Webhook order within a conversation.
    pub order_key: i64,
    /// The chat message it carries.
    pub chat_message: Option<ChatMessageId>,
    /// When it was sent, delivered, read, played, as far as known.
    pub times: [Option<DateTime<Utc>>; 4],
    /// The request's fallback object.
    pub fallback: Option<Value>,
}

#[derive(sqlx::FromRow)]
struct MessageLegRow {
    id: Uuid,
    part_id: Uuid,
    ordinal: i16,
    channel: String,
    leg_state: String,
    state: String,
    last_ordinal: i16,
    number_id: Uuid,
    to_phone: Option<String>,
    to_bsuid: Option<String>,
    ct_id: Option<String>,
    gst_id: String,
    order_key: i64,
    chat_message_id: Option<Uuid>,
    sent_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    read_at: Option<DateTime<Utc>>,
    played_at: Option<DateTime<Utc>>,
    fallback: Option<Value>,
}

impl TryFrom<MessageLegRow> for MessageLeg {
    type Error = Error;

    fn try_from(row: MessageLegRow) -> Result<Self> {
        Ok(Self {
            id: MessageId(row.id),
            part: PartId(row.part_id),
            ordinal: row.ordinal,
            channel: if row.channel == "SMS" { LegChannel::Sms } else { LegChannel::Whatsapp },
            leg_state: parse_state("outbound_leg", row.leg_state)?,
            state: parse_state("outbound_message", row.state)?,
            last_ordinal: row.last_ordinal,
            number: InboxId(row.number_id),
            to_phone: row.to_phone,
            to_bsuid: row.to_bsuid,
            ct_id: row.ct_id,
            gst_id: row.gst_id,
            order_key: row.order_key,
            chat_message: row.chat_message_id.map(ChatMessageId),
            times: [row.sent_at, row.delivered_at, row.read_at, row.played_at],
            fallback: row.fallback,
        })
    }
}

fn parse_state(table: &'static str, value: String) -> Result<DeliveryState> {
    value.parse().map_err(|_| Error::Inconsistent { table, column: "state", value })
}

/// Locks messages in the order of their ids and answers them with the legs asked for (`legs` = message and ordinal).
pub async fn lock_legs(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<Vec<MessageLeg>> {
    // A statement of its own: one that waits for a lock reads everything else as it was before it waited.
    sqlx::query("SELECT 1 FROM outbound_message WHERE client_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE")
        .bind(client.0)
        .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
        .execute(&mut *db)
        .await?;
    let rows: Vec<MessageLegRow> = sqlx::query_as(
        "SELECT message.id, message.part_id, leg.ordinal, leg.channel, leg.state AS leg_state, message.state,
                (SELECT max(other.ordinal) FROM outbound_leg other
                 WHERE other.client_id = $1 AND other.message_id = message.id) AS last_ordinal,
                message.number_id, message.to_phone, message.to_bsuid, message.ct_id, message.gst_id, message.order_key,
                message.chat_message_id, message.sent_at, message.delivered_at, message.read_at, message.played_at,
                (SELECT fallback FROM outbound_part part WHERE part.client_id = $1 AND part.id = message.part_id) AS fallback
         FROM unnest($2::uuid[], $3::smallint[]) AS wanted (message_id, ordinal)
         JOIN outbound_message message ON message.client_id = $1 AND message.id = wanted.message_id
         JOIN outbound_leg leg ON leg.client_id = $1 AND leg.message_id = message.id AND leg.ordinal = wanted.ordinal
         WHERE message.id = ANY($2) AND leg.message_id = ANY($2)",
    )
    .persistent(false)
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(MessageLeg::try_from).collect()
}

/// A leg's new state, with the error when it failed.
pub struct LegMove {
    /// The message.
    pub message: MessageId,
    /// Which leg.
    pub ordinal: i16,
    /// The state it has reached.
    pub state: DeliveryState,
    /// The provider's id, when this move brought it.
    pub provider_id: Option<String>,
    /// Code and text of a failure.
    pub error: Option<(String, String)>,
}

/// Writes new states of legs, in one statement.
pub async fn move_legs(db: &mut PgConnection, client: ClientId, moves: &[LegMove], now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE outbound_leg leg
         SET state = move.state, provider_id = COALESCE(move.provider_id, leg.provider_id),
             error_code = move.error_code, error_text = move.error_text, updated_at = $8
         FROM unnest($2::uuid[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::text[])
             AS move (message_id, ordinal, state, provider_id, error_code, error_text)
         WHERE leg.client_id = $1 AND leg.message_id = ANY($2)
           AND leg.message_id = move.message_id AND leg.ordinal = move.ordinal",
    )
    .persistent(false)
    .bind(client.0)
    .bind(moves.iter().map(|step| step.message.0).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.ordinal).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.state.as_str()).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.provider_id.as_deref()).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.error.as_ref().map(|error| error.0.as_str())).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.error.as_ref().map(|error| error.1.as_str())).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// A message's new state over all its legs.
pub struct MessageMove {
    /// The message.
    pub message: MessageId,
    /// The state it has reached.
    pub state: DeliveryState,
    /// When it was sent, delivered, read, played, as far as known.
    pub times: [Option<DateTime<Utc>>; 4],
    /// Code and text of a failure.
    pub error: Option<(String, String)>,
}

/// Writes new states of messages, in one statement.
pub async fn move_messages(db: &mut PgConnection, client: ClientId, moves: &[MessageMove]) -> Result<()> {
    let time = |index: usize| {
        moves.iter().map(|step| step.times.get(index).copied().flatten()).collect::<Vec<Option<DateTime<Utc>>>>()
    };
    sqlx::query(
        "UPDATE outbound_message message
         SET state = move.state, sent_at = move.sent_at, delivered_at = move.delivered_at, read_at = move.read_at,
             played_at = move.played_at, error_code = move.error_code, error_text = move.error_text
         FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[],
                     $7::timestamptz[], $8::text[], $9::text[])
             AS move (id, state, sent_at, delivered_at, read_at, played_at, error_code, error_text)
         WHERE message.client_id = $1 AND message.id = ANY($2) AND message.id = move.id",
    )
    .persistent(false)
    .bind(client.0)
    .bind(moves.iter().map(|step| step.message.0).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.state.as_str()).collect::<Vec<_>>())
    .bind(time(0))
    .bind(time(1))
    .bind(time(2))
    .bind(time(3))
    .bind(moves.iter().map(|step| step.error.as_ref().map(|error| error.0.as_str())).collect::<Vec<_>>())
    .bind(moves.iter().map(|step| step.error.as_ref().map(|error| error.1.as_str())).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Remembers which customers messages went to.
pub async fn set_customers(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[(MessageId, CustomerId)],
) -> Result<()> {
    sqlx::query(
        "UPDATE outbound_message message SET customer_id = given.customer_id
         FROM unnest($2::uuid[], $3::uuid[]) AS given (id, customer_id)
         WHERE message.client_id = $1 AND message.id = ANY($2) AND message.id = given.id",
    )
    .persistent(false)
    .bind(client.0)
    .bind(customers.iter().map(|row| row.0.0).collect::<Vec<_>>())
    .bind(customers.iter().map(|row| row.1.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Binds provider ids to the messages they were given to; a repeated answer changes nothing.
pub async fn insert_provider_ids(
    db: &mut PgConnection,
    client: ClientId,
    ids: &[(String, MessageId, Option<ChatMessageId>)],
) -> Result<()> {
    sqlx::query(
        "INSERT INTO provider_message (client_id, provider_id, outbound_message_id, chat_message_id)
         SELECT $1, * FROM unnest($2::text[], $3::uuid[], $4::uuid[]) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0.as_str()).collect::<Vec<_>>())
    .bind(ids.iter().map(|id| id.1.0).collect::<Vec<_>>())
    .bind(ids.iter().map(|id| id.2.map(|chat| chat.0)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// The outbound message with this provider id.
pub async fn find_by_provider_id(
    db: &mut PgConnection,
    client: ClientId,
    provider_id: &str,
) -> Result<Option<MessageId>> {
    let id: Option<Option<Uuid>> = sqlx::query_scalar(
        "SELECT outbound_message_id FROM provider_message WHERE client_id = $1 AND provider_id = $2",
    )
    .bind(client.0)
    .bind(provider_id)
    .fetch_optional(db)
    .await?;
    Ok(id.flatten().map(MessageId))
}

/// Which of these messages exist.
pub async fn existing(db: &mut PgConnection, client: ClientId, messages: &[MessageId]) -> Result<HashSet<MessageId>> {
    let found: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM outbound_message WHERE client_id = $1 AND id = ANY($2)")
        .bind(client.0)
        .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
        .fetch_all(db)
        .await?;
    Ok(found.into_iter().map(MessageId).collect())
}

/// Adds the SMS leg of a fallback. `sms` says what it says.
pub async fn insert_sms_leg(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    sms: &Value,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, sms, updated_at) VALUES ($1, $2, 1, 'SMS', $3, $4)",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(sms)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Records that the provider may have got these legs twice.
pub async fn mark_ambiguous(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE outbound_leg leg SET ambiguous = true
         FROM unnest($2::uuid[], $3::smallint[]) AS given (message_id, ordinal)
         WHERE leg.client_id = $1 AND leg.message_id = ANY($2)
           AND leg.message_id = given.message_id AND leg.ordinal = given.ordinal",
    )
    .persistent(false)
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// What the SMS leg of a message says.
pub async fn sms_content(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Option<Value>> {
    let content: Option<Option<Value>> =
        sqlx::query_scalar("SELECT sms FROM outbound_leg WHERE client_id = $1 AND message_id = $2 AND ordinal = 1")
            .bind(client.0)
            .bind(message.0)
            .fetch_optional(db)
            .await?;
    Ok(content.flatten())
}
