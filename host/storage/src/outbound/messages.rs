//! Outbound messages: stored in bulk, and the same ever after. Where a message stands is where its last leg stands.
//!
//! Statements that join a list of messages also say `= ANY` of that list. A kept plan is the one for tables that were nearly
//! empty, when it seemed fine to walk through all messages of a client and look each up in the list.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    channel::Channel,
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, ConversationId, InboxId, MessageId, PartId, ParticipantId},
    recipient::Recipient,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{count_changes::CountChanges, parts::PartOrigin};
use crate::Result;

/// One message to one recipient.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// Its id, and its `gstId` unless the request named one.
    pub id: MessageId,
    /// What it says.
    pub part: PartId,
    /// Where that comes from.
    pub origin: PartOrigin,
    /// The sending inbox, and so the lane.
    pub inbox: InboxId,
    /// The channel of that inbox.
    pub channel: Channel,
    /// Whom it goes to.
    pub recipient: Recipient,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The system's tracking id.
    pub gst_id: String,
    /// Webhook order within a conversation.
    pub order_key: i64,
    /// The chat it belongs to, with the chat message.
    pub chat: Option<(ParticipantId, ChatMessageId)>,
    /// The long-lived conversation it belongs to.
    pub conversation: Option<ConversationId>,
}

/// Stores messages, the first leg of each, the work that follows and what they add to the counts, in one statement.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    messages: &[&NewMessage],
    priority: i16,
    now: DateTime<Utc>,
) -> Result<()> {
    let other = |of: fn(&Address) -> &str| {
        messages.iter().map(|message| message.recipient.other().map(of)).collect::<Vec<Option<&str>>>()
    };
    let mut changes = CountChanges::default();
    for message in messages {
        changes.add(message.id, message.channel, Some(message.origin), DeliveryState::Queued);
    }
    sqlx::query(
        "WITH given AS (
             SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
                                  $9::text[], $10::text[], $11::text[], $12::bigint[], $13::uuid[], $14::uuid[],
                                  $17::uuid[])
                 AS t (id, part_id, inbox_id, channel, address_kind, address_value, other_kind, other_value, ct_id, gst_id,
                       order_key, participant_id, chat_message_id, conversation_id)
         ), message AS (
             INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, other_kind,
                                           other_value, ct_id, gst_id, order_key, participant_id, chat_message_id,
                                           conversation_id)
             SELECT $1, id, part_id, inbox_id, address_kind, address_value, other_kind, other_value, ct_id, gst_id, order_key,
                    participant_id, chat_message_id, conversation_id FROM given
         ), leg AS (
             INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value,
                                       updated_at)
             SELECT $1, id, 0, channel, inbox_id, address_kind, address_value, $16 FROM given
         ), counted AS (
             INSERT INTO message_count_change (client_id, at, message_type, submitted, sent, delivered, read, failed)
             SELECT $1, *, 0, 0, 0, 0 FROM unnest($18::timestamptz[], $19::text[], $20::integer[])
         )
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at)
         SELECT $1, id, 0, inbox_id, address_value, $15, $16 FROM given",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.id.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.part.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.inbox.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.channel.as_str()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.recipient.address().kind().as_str()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.recipient.address().value()).collect::<Vec<_>>())
    .bind(other(|address| address.kind().as_str()))
    .bind(other(Address::value))
    .bind(messages.iter().map(|message| message.ct_id.as_deref()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.gst_id.as_str()).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.order_key).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.chat.map(|chat| chat.0.0)).collect::<Vec<_>>())
    .bind(messages.iter().map(|message| message.chat.map(|chat| chat.1.0)).collect::<Vec<_>>())
    .bind(priority)
    .bind(now)
    .bind(messages.iter().map(|message| message.conversation.map(|id| id.0)).collect::<Vec<_>>())
    .bind(changes.at())
    .bind(changes.types())
    .bind(changes.counts(|counts| counts.submitted))
    .execute(db)
    .await?;
    Ok(())
}

/// Which of these messages exist.
pub async fn existing(db: &mut PgConnection, client: ClientId, messages: &[MessageId]) -> Result<HashSet<MessageId>> {
    let found: Vec<Uuid> = sqlx::query_scalar(
        "SELECT message.id FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN outbound_message message ON message.client_id = wanted.client_id AND message.id = wanted.id",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(MessageId).collect())
}
