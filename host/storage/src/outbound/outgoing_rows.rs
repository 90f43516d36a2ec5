//! Acceptance of messages: one statement, and so one transaction, stores all rows of a group (ADR 0047).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    delivery::DeliveryState,
    ids::{ClientId, InboxId, MessageId},
};
use sqlx::{Postgres, postgres::PgArguments, query::Query};
use uuid::Uuid;

use super::{count_changes::CountChanges, messages::NewMessage, parts::NewPart};
use crate::{Error, PgConnection, Result, column_values, sms::products::replies, violates};

/// A statement that gets its parameters group by group.
type Statement<'q> = Query<'q, Postgres, PgArguments>;

#[derive(Debug, Default)]
pub struct GroupRows<'a> {
    pub parts: Vec<&'a NewPart>,
    pub messages: Vec<&'a NewMessage>,
    /// The responses of their requests, with the idempotency key of each.
    pub responses: Vec<(&'a str, &'a [u8])>,
    /// The messages that replies of subscribers answer: source, subscriber and message. The latest send counts.
    pub answerable: Vec<(&'a str, &'a str, MessageId)>,
    pub counted: TierRecipients<'a>,
}

#[derive(Debug, Default)]
pub struct TierRecipients<'a> {
    /// Numbers with their recipients, in order and without repetitions.
    pub recipients: Vec<(InboxId, &'a str)>,
    pub quarter: DateTime<Utc>,
    /// A small number. Groups with different numbers do not wait for each other.
    pub shard: i16,
    /// Numbers close to the limit of their tier, with the version of the count that was read.
    pub close: Vec<(InboxId, i64)>,
}

/// True if another group was first and nothing was stored. The facts that were read before are then outdated.
pub fn is_overtaken(error: &Error) -> bool {
    violates(error, "idempotency_pk") || violates(error, "messaging_tier_not_overtaken")
}

/// Stores all rows of a group, or fails as a whole ([`is_overtaken`]). Waits for others that store one of the keys.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    outgoing: &GroupRows<'_>,
    priority: i16,
    now: DateTime<Utc>,
) -> Result<()> {
    let GroupRows { parts, messages, responses, answerable, counted } = outgoing;
    let mut changes = CountChanges::default();
    for message in messages {
        changes.add(message.id, message.channel, Some(message.origin), DeliveryState::Queued);
    }
    // Rows that two groups may both write are sorted, so that the groups do not deadlock.
    let responses: BTreeMap<&str, &[u8]> = responses.iter().copied().collect();
    let answerable: BTreeMap<(&str, &str), Uuid> = answerable
        .iter()
        .map(|(source, subscriber, message)| ((replies::bare(source), *subscriber), message.0))
        .collect();
    let statement = sqlx::query(
        "WITH response AS (
             INSERT INTO idempotency (client_id, key, response, created_at)
             SELECT $1, key, response, $3 FROM unnest($4::text[], $5::bytea[]) AS given (key, response)
         ), part AS (
             INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content, fallback,
                                        quoted_provider_id, request_id, category, quick_replies, accepted, rejected,
                                        last_part_id, first_message_id, last_message_id)
             SELECT $1, * FROM unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::text[], $10::jsonb[], $11::jsonb[],
                                      $12::text[], $13::uuid[], $14::text[], $15::boolean[], $16::integer[],
                                      $17::integer[], $18::uuid[], $19::uuid[], $20::uuid[])
         ), given AS (
             SELECT * FROM unnest($21::uuid[], $22::uuid[], $23::uuid[], $24::text[], $25::text[], $26::text[],
                                  $27::text[], $28::text[], $29::text[], $30::text[], $31::bigint[], $32::uuid[],
                                  $33::uuid[], $34::uuid[])
                 AS t (id, part_id, inbox_id, channel, address_kind, address_value, other_kind, other_value, ct_id, gst_id,
                       order_key, participant_id, chat_message_id, conversation_id)
         ), message AS (
             INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, other_kind,
                                           other_value, ct_id, gst_id, order_key, participant_id, chat_message_id,
                                           conversation_id)
             SELECT $1, id, part_id, inbox_id, address_kind, address_value, other_kind, other_value, ct_id, gst_id,
                    order_key, participant_id, chat_message_id, conversation_id FROM given
         ), leg AS (
             INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value,
                                       updated_at)
             SELECT $1, id, 0, channel, inbox_id, address_kind, address_value, $3 FROM given
         ), change AS (
             INSERT INTO message_count_change (client_id, at, message_type, submitted, sent, delivered, read, failed)
             SELECT $1, *, 0, 0, 0, 0 FROM unnest($35::timestamptz[], $36::text[], $37::integer[])
         ), answerable AS (
             INSERT INTO sms_correspondent AS known (source, subscriber, client_id, message_id, at)
             SELECT source, subscriber, $1, message_id, $3
             FROM unnest($38::text[], $39::text[], $40::uuid[]) AS sent (source, subscriber, message_id)
             ON CONFLICT (source, subscriber) DO UPDATE
             SET client_id = excluded.client_id, message_id = excluded.message_id, at = excluded.at
             WHERE known.message_id < excluded.message_id OR known.client_id <> excluded.client_id
         ), recipient AS (
             SELECT * FROM unnest($41::uuid[], $42::text[]) AS one (inbox_id, recipient)
         ), counted AS (
             INSERT INTO tier_recipient (client_id, inbox_id, recipient, counted_at)
             SELECT $1, inbox_id, recipient, $43 FROM recipient
             ON CONFLICT (client_id, inbox_id, recipient) DO UPDATE SET counted_at = excluded.counted_at
         ), used AS (
             INSERT INTO tier_count AS known (client_id, inbox_id, counted_at, shard, recipients)
             SELECT $1, inbox_id, $43, $44, count(*) FROM recipient GROUP BY inbox_id ORDER BY inbox_id
             ON CONFLICT (client_id, inbox_id, counted_at, shard) DO UPDATE
             SET recipients = known.recipients + excluded.recipients
         ), tier AS (
             UPDATE messaging_tier tier SET version = CASE tier.version WHEN given.version THEN tier.version + 1 ELSE -1 END
             FROM (SELECT $1::uuid AS client_id, * FROM unnest($45::uuid[], $46::bigint[]) AS one (inbox_id, version)
                   OFFSET 0) given
             WHERE tier.client_id = given.client_id AND tier.inbox_id = given.inbox_id
         )
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at)
         SELECT $1, id, 0, inbox_id, address_value, $2, $3 FROM given",
    )
    .bind(client.0)
    .bind(priority)
    .bind(now)
    .bind(responses.keys().copied().collect::<Vec<_>>())
    .bind(responses.values().copied().collect::<Vec<_>>());
    let statement = bind_messages(bind_parts(statement, parts), messages)
        .bind(changes.at())
        .bind(changes.types())
        .bind(changes.counts(|counts| counts.submitted))
        .bind(answerable.keys().map(|key| key.0).collect::<Vec<_>>())
        .bind(answerable.keys().map(|key| key.1).collect::<Vec<_>>())
        .bind(answerable.values().copied().collect::<Vec<_>>());
    bind_counted(statement, counted).execute(db).await?;
    Ok(())
}

/// Contents: $6 to $20.
fn bind_parts<'q>(statement: Statement<'q>, parts: &'q [&'q NewPart]) -> Statement<'q> {
    let sends = || parts.iter().map(|part| part.send.as_ref());
    let heads = || sends().map(|send| send.and_then(|send| send.batch));
    statement
        .bind(parts.iter().map(|part| part.id.0).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.batch.0).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.inbox.0).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.origin.as_str()).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| column_values::write(&part.content)).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.fallback.as_ref().map(column_values::write)).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.quoted_provider_id.as_deref()).collect::<Vec<_>>())
        .bind(sends().map(|send| send.map(|send| send.request.0)).collect::<Vec<_>>())
        .bind(sends().map(|send| send.map(|send| send.category.as_str())).collect::<Vec<_>>())
        .bind(sends().map(|send| send.is_some_and(|send| send.quick_replies)).collect::<Vec<_>>())
        .bind(heads().map(|head| head.map(|head| head.accepted)).collect::<Vec<_>>())
        .bind(heads().map(|head| head.map(|head| head.rejected)).collect::<Vec<_>>())
        .bind(heads().map(|head| head.map(|head| head.last_part.0)).collect::<Vec<_>>())
        .bind(heads().map(|head| head.and_then(|head| Some(head.messages?.0.0))).collect::<Vec<_>>())
        .bind(heads().map(|head| head.and_then(|head| Some(head.messages?.1.0))).collect::<Vec<_>>())
}

/// Messages: $21 to $34.
fn bind_messages<'q>(statement: Statement<'q>, messages: &'q [&'q NewMessage]) -> Statement<'q> {
    let other = |of: fn(&Address) -> &str| {
        messages.iter().map(|message| message.recipient.other().map(of)).collect::<Vec<Option<&str>>>()
    };
    statement
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
        .bind(messages.iter().map(|message| message.conversation.map(|id| id.0)).collect::<Vec<_>>())
}

/// Recipients that count towards tiers: $41 to $46.
fn bind_counted<'q>(statement: Statement<'q>, counted: &'q TierRecipients<'_>) -> Statement<'q> {
    statement
        .bind(counted.recipients.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
        .bind(counted.recipients.iter().map(|(_, recipient)| *recipient).collect::<Vec<_>>())
        .bind(counted.quarter)
        .bind(counted.shard)
        .bind(counted.close.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
        .bind(counted.close.iter().map(|(_, version)| *version).collect::<Vec<_>>())
}
