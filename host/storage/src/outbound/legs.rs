//! Legs: a message goes over one channel after the other, and each try has a leg of its own. Its ordinal is only its order.
//!
//! Statements that join a list of legs also say `= ANY` of its messages; [`super::messages`] says why.

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    channel::Channel,
    content::{LegContent, OutboundContent},
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, InboxId, MessageId, PartId},
    recipient::Recipient,
    send::FallbackRequest,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Error, Result,
    stored::{self, Stored, known},
};

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
    pub channel: Channel,
    /// The inbox that the leg goes out from.
    pub leg_inbox: InboxId,
    /// Where the leg goes.
    pub leg_address: Address,
    /// Where the leg stands.
    pub leg_state: DeliveryState,
    /// Where the message stands, over all legs.
    pub state: DeliveryState,
    /// Highest ordinal of its legs.
    pub last_ordinal: i16,
    /// The sending inbox of the message.
    pub inbox: InboxId,
    /// Whom the message goes to.
    pub recipient: Recipient,
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
    pub fallback: Option<FallbackRequest>,
}

#[derive(sqlx::FromRow)]
struct MessageLegRow {
    id: Uuid,
    part_id: Uuid,
    ordinal: i16,
    channel: String,
    leg_inbox_id: Uuid,
    leg_kind: String,
    leg_value: String,
    leg_state: String,
    state: String,
    last_ordinal: i16,
    inbox_id: Uuid,
    address_kind: String,
    address_value: String,
    other_kind: Option<String>,
    other_value: Option<String>,
    ct_id: Option<String>,
    gst_id: String,
    order_key: i64,
    chat_message_id: Option<Uuid>,
    sent_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    read_at: Option<DateTime<Utc>>,
    played_at: Option<DateTime<Utc>>,
    fallback: Option<Stored>,
}

impl TryFrom<MessageLegRow> for MessageLeg {
    type Error = Error;

    fn try_from(row: MessageLegRow) -> Result<Self> {
        let address = (row.address_kind.as_str(), row.address_value.as_str());
        Ok(Self {
            id: MessageId(row.id),
            part: PartId(row.part_id),
            ordinal: row.ordinal,
            channel: channel(&row.channel)?,
            leg_inbox: InboxId(row.leg_inbox_id),
            leg_address: leg_address(&row.leg_kind, &row.leg_value)?,
            leg_state: state("outbound_leg", &row.leg_state)?,
            state: state("outbound_message", &row.state)?,
            last_ordinal: row.last_ordinal,
            inbox: InboxId(row.inbox_id),
            recipient: recipient(address, row.other_kind.as_deref().zip(row.other_value.as_deref()))?,
            ct_id: row.ct_id,
            gst_id: row.gst_id,
            order_key: row.order_key,
            chat_message: row.chat_message_id.map(ChatMessageId),
            times: [row.sent_at, row.delivered_at, row.read_at, row.played_at],
            fallback: stored::read_optional("outbound_part", "fallback", row.fallback.as_ref())?,
        })
    }
}

/// The channel of a stored leg.
pub(super) fn channel(name: &str) -> Result<Channel> {
    known("outbound_leg", "channel", name, |name| name.parse().ok())
}

/// Where a stored leg goes.
pub(super) fn leg_address(kind: &str, value: &str) -> Result<Address> {
    stored::address("outbound_leg", ("address_kind", "address_value"), kind, value)
}

/// Whom a stored message goes to: kind and value of its address, and of the other one.
pub(super) fn recipient(address: (&str, &str), other: Option<(&str, &str)>) -> Result<Recipient> {
    let (kind, value) = address;
    let address = stored::address("outbound_message", ("address_kind", "address_value"), kind, value)?;
    Ok(Recipient::new(address, other.map(|(kind, value)| other_address(kind, value)).transpose()?))
}

/// The address that a stored message keeps should the first one fail.
pub(super) fn other_address(kind: &str, value: &str) -> Result<Address> {
    stored::address("outbound_message", ("other_kind", "other_value"), kind, value)
}

fn state(table: &'static str, name: &str) -> Result<DeliveryState> {
    known(table, "state", name, |name| name.parse().ok())
}

/// Locks messages in the order of their ids and answers them with the legs asked for (`legs` = message and ordinal).
pub async fn lock(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<Vec<MessageLeg>> {
    // A statement of its own: one that waits for a lock reads everything else as it was before it waited.
    sqlx::query("SELECT 1 FROM outbound_message WHERE client_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE")
        .bind(client.0)
        .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
        .execute(&mut *db)
        .await?;
    let rows: Vec<MessageLegRow> = sqlx::query_as(
        "SELECT message.id, message.part_id, leg.ordinal, leg.channel, leg.inbox_id AS leg_inbox_id,
                leg.address_kind AS leg_kind, leg.address_value AS leg_value, leg.state AS leg_state, message.state,
                (SELECT max(other.ordinal) FROM outbound_leg other
                 WHERE other.client_id = $1 AND other.message_id = message.id) AS last_ordinal,
                message.inbox_id, message.address_kind, message.address_value, message.other_kind, message.other_value,
                message.ct_id, message.gst_id, message.order_key, message.chat_message_id, message.sent_at,
                message.delivered_at, message.read_at, message.played_at,
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
#[derive(Debug, Clone)]
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
pub async fn advance(db: &mut PgConnection, client: ClientId, moves: &[LegMove], now: DateTime<Utc>) -> Result<()> {
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

/// One more leg of a message.
#[derive(Debug, Clone)]
pub struct NewLeg {
    /// What it travels over.
    pub channel: Channel,
    /// The inbox that it goes out from, and so its lane.
    pub inbox: InboxId,
    /// Where it goes.
    pub address: Address,
    /// What it says; `None` = what its part says.
    pub content: Option<LegContent>,
}

/// Adds a leg behind those that the message has, queues it in the lane of its inbox, and answers its ordinal. The message is
/// locked by the caller, or has one fallback at most. `None` when there is no such message.
pub async fn append(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    leg: &NewLeg,
    priority: i16,
    now: DateTime<Utc>,
) -> Result<Option<i16>> {
    let ordinal = sqlx::query_scalar(
        "WITH leg AS (
             INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value, content,
                                       updated_at)
             SELECT $1, $2, max(before.ordinal) + 1, $3, $4, $5, $6, $7, $9 FROM outbound_leg before
             WHERE before.client_id = $1 AND before.message_id = $2 HAVING max(before.ordinal) IS NOT NULL
             RETURNING ordinal)
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, priority, due_at)
         SELECT $1, $2, ordinal, $4, $8, $9 FROM leg RETURNING ordinal",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(leg.channel.as_str())
    .bind(leg.inbox.0)
    .bind(leg.address.kind().as_str())
    .bind(leg.address.value())
    .bind(leg.content.as_ref().map(stored::write))
    .bind(priority)
    .bind(now)
    .fetch_optional(db)
    .await?;
    Ok(ordinal)
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

/// What a leg says: its own content, else that of its part; `None` when there is no such leg.
pub async fn content(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    ordinal: i16,
) -> Result<Option<LegContent>> {
    let found: Option<(Option<Stored>, Option<Stored>)> = sqlx::query_as(
        "SELECT leg.content, CASE WHEN leg.content IS NULL THEN
                (SELECT part.content FROM outbound_message message
                 JOIN outbound_part part ON part.client_id = $1 AND part.id = message.part_id
                 WHERE message.client_id = $1 AND message.id = $2) END
         FROM outbound_leg leg WHERE leg.client_id = $1 AND leg.message_id = $2 AND leg.ordinal = $3",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(ordinal)
    .fetch_optional(db)
    .await?;
    let Some((own, of_part)) = found else { return Ok(None) };
    if let Some(own) = stored::read_optional("outbound_leg", "content", own.as_ref())? {
        return Ok(Some(own));
    }
    let content: Option<OutboundContent> = stored::read_optional("outbound_part", "content", of_part.as_ref())?;
    Ok(content.map(|content| LegContent::Message(Box::new(content))))
}
