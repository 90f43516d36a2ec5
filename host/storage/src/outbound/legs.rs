//! Legs: a message is sent over one channel after the other, and each try is a leg. The ordinal is only the order.
//!
//! Statements that join a list of legs also say `= ANY` of its messages; [`super::messages`] says why.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    channel::Channel,
    content::{LegContent, OutboundContent},
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, ConversationId, CustomerId, InboxId, MessageId, PartId, RequestId},
    recipient::Recipient,
    send::FallbackRequest,
    sms_route::SmsRoute,
};
use uuid::Uuid;

use super::{keys::LegKeys, parts::PartOrigin, steps::LegTimes};
use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, read_value},
};

#[derive(Debug, Clone)]
pub struct MessageLeg {
    pub id: MessageId,
    pub part: PartId,
    pub ordinal: i16,
    pub channel: Channel,
    pub leg_inbox: InboxId,
    pub leg_address: Address,
    pub leg_state: DeliveryState,
    pub provider_id: Option<String>,
    pub last_ordinal: i16,
    pub inbox: InboxId,
    pub recipient: Recipient,
    pub ct_id: Option<String>,
    pub gst_id: String,
    /// Webhook order within a conversation.
    pub order_key: i64,
    pub chat_message: Option<ChatMessageId>,
    pub conversation: Option<ConversationId>,
    pub times: LegTimes,
    pub fallback: Option<FallbackRequest>,
    pub request: Option<RequestId>,
    pub quick_replies: bool,
    /// Billing category: the category of its template. Absent after its part is removed.
    pub category: Option<String>,
    /// Cost of the leg by the client's rates, if one is set.
    pub cost: Option<String>,
    /// True if the provider may have got it twice.
    pub ambiguous: bool,
    pub origin: Option<PartOrigin>,
    pub template_of_chat: bool,
    /// The customer at the address of the leg, if requested and known ([`lock_with_customers`]).
    pub customer: Option<LegCustomer>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegCustomer {
    pub id: CustomerId,
    pub is_reached: bool,
    pub addresses: HashSet<Address>,
}

#[derive(sqlx::FromRow)]
struct MessageLegRow {
    message_id: Uuid,
    part_id: Uuid,
    ordinal: i16,
    channel: String,
    leg_inbox_id: Uuid,
    leg_kind: String,
    leg_value: String,
    leg_state: String,
    provider_id: Option<String>,
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
    conversation_id: Option<Uuid>,
    sent_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    read_at: Option<DateTime<Utc>>,
    played_at: Option<DateTime<Utc>>,
    fallback: Option<UnreadJson>,
    request_id: Option<Uuid>,
    quick_replies: Option<bool>,
    category: Option<String>,
    cost: Option<String>,
    ambiguous: bool,
    message_type: Option<String>,
    template_of_chat: Option<bool>,
    customer_id: Option<Uuid>,
    is_reached: Option<bool>,
    used_kinds: Option<Vec<String>>,
    used_values: Option<Vec<String>>,
}

impl MessageLegRow {
    fn customer(&self) -> Result<Option<LegCustomer>> {
        let Some(id) = self.customer_id else { return Ok(None) };
        let used = self.used_kinds.iter().flatten().zip(self.used_values.iter().flatten());
        let address = |(kind, value): (&String, &String)| {
            column_values::address("customer_address", ("kind", "value"), kind, value)
        };
        let addresses = used.map(address).collect::<Result<_>>()?;
        Ok(Some(LegCustomer { id: CustomerId(id), is_reached: self.is_reached.unwrap_or(false), addresses }))
    }
}

impl TryFrom<MessageLegRow> for MessageLeg {
    type Error = Error;

    fn try_from(row: MessageLegRow) -> Result<Self> {
        let customer = row.customer()?;
        let address = (row.address_kind.as_str(), row.address_value.as_str());
        Ok(Self {
            id: MessageId(row.message_id),
            part: PartId(row.part_id),
            ordinal: row.ordinal,
            channel: channel(&row.channel)?,
            leg_inbox: InboxId(row.leg_inbox_id),
            leg_address: leg_address(&row.leg_kind, &row.leg_value)?,
            leg_state: state(&row.leg_state)?,
            provider_id: row.provider_id,
            last_ordinal: row.last_ordinal,
            inbox: InboxId(row.inbox_id),
            recipient: recipient(address, row.other_kind.as_deref().zip(row.other_value.as_deref()))?,
            ct_id: row.ct_id,
            gst_id: row.gst_id,
            order_key: row.order_key,
            chat_message: row.chat_message_id.map(ChatMessageId),
            conversation: row.conversation_id.map(ConversationId),
            times: [row.sent_at, row.delivered_at, row.read_at, row.played_at],
            fallback: column_values::read_optional("outbound_part", "fallback", row.fallback.as_ref())?,
            request: row.request_id.map(RequestId),
            quick_replies: row.quick_replies.unwrap_or(false),
            category: row.category,
            cost: row.cost,
            ambiguous: row.ambiguous,
            origin: row.message_type.as_deref().map(origin).transpose()?,
            template_of_chat: row.template_of_chat.unwrap_or(false),
            customer,
        })
    }
}

pub(super) fn channel(name: &str) -> Result<Channel> {
    read_value("outbound_leg", "channel", name, |name| name.parse().ok())
}

fn origin(name: &str) -> Result<PartOrigin> {
    read_value("outbound_part", "message_type", name, |name| {
        PartOrigin::ALL.into_iter().find(|one| one.as_str() == name)
    })
}

pub(super) fn leg_address(kind: &str, value: &str) -> Result<Address> {
    column_values::address("outbound_leg", ("address_kind", "address_value"), kind, value)
}

pub(super) fn recipient(address: (&str, &str), other: Option<(&str, &str)>) -> Result<Recipient> {
    let (kind, value) = address;
    let address = column_values::address("outbound_message", ("address_kind", "address_value"), kind, value)?;
    Ok(Recipient::new(address, other.map(|(kind, value)| other_address(kind, value)).transpose()?))
}

pub(super) fn other_address(kind: &str, value: &str) -> Result<Address> {
    column_values::address("outbound_message", ("other_kind", "other_value"), kind, value)
}

fn state(name: &str) -> Result<DeliveryState> {
    read_value("outbound_leg", "state", name, |name| name.parse().ok())
}

/// The behaviour for a leg that another transaction has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockPolicy {
    Wait,
    Skip,
}

impl LockPolicy {
    fn sql(self) -> &'static str {
        match self {
            Self::Wait => "",
            Self::Skip => "SKIP LOCKED",
        }
    }
}

/// Locks legs (message and ordinal) in the order of their keys and returns them. Legs that do not exist are absent.
pub async fn lock(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
    when_locked: LockPolicy,
) -> Result<Vec<MessageLeg>> {
    lock_legs(db, client, legs, when_locked, false).await
}

/// As [`lock`], with the customers of legs that have no state after acceptance.
pub async fn lock_with_customers(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
    when_locked: LockPolicy,
) -> Result<Vec<MessageLeg>> {
    lock_legs(db, client, legs, when_locked, true).await
}

async fn lock_legs(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
    when_locked: LockPolicy,
    with_customers: bool,
) -> Result<Vec<MessageLeg>> {
    if legs.is_empty() {
        return Ok(Vec::new());
    }
    let keys: LegKeys = BTreeSet::from_iter(legs.iter().copied()).into_iter().collect();
    // In the order of the keys, which is that of `unnest`, so that two transactions do not deadlock. A transaction that
    // waited for a lock sees the new state of the leg and the old state of everything else; of that, only the number of
    // legs may have changed. One subquery asks if the client has rates, not one per leg. The content of a part is read
    // only for chats.
    let statement = format!(
        "SELECT leg.message_id, message.part_id, leg.ordinal, leg.channel, leg.inbox_id AS leg_inbox_id,
                leg.address_kind AS leg_kind, leg.address_value AS leg_value, leg.state AS leg_state,
                leg.provider_id, leg.ambiguous, leg.sent_at, leg.delivered_at, leg.read_at, leg.played_at,
                (SELECT max(other.ordinal) FROM outbound_leg other
                 WHERE other.client_id = $1 AND other.message_id = leg.message_id
                   AND other.message_id BETWEEN $4 AND $5) AS last_ordinal,
                message.inbox_id, message.address_kind, message.address_value, message.other_kind, message.other_value,
                message.ct_id, message.gst_id, message.order_key, message.chat_message_id,
                message.conversation_id,
                part.fallback, part.message_type, part.request_id, part.quick_replies, part.category,
                CASE WHEN message.chat_message_id IS NOT NULL
                     THEN part.content -> 'value' ->> 'kind' = 'template' END AS template_of_chat,
                CASE WHEN (SELECT EXISTS (SELECT FROM rate WHERE rate.client_id = $1 AND rate.category >= '')) THEN
                (SELECT rate.amount || ' ' || rate.currency FROM rate
                 WHERE rate.client_id = $1
                   AND rate.category = CASE leg.channel WHEN 'SMS' THEN 'SMS' ELSE part.category END
                   AND rate.country = ANY (ARRAY['', left(leg.address_value, 1), left(leg.address_value, 2),
                                                 left(leg.address_value, 3), left(leg.address_value, 4)])
                 ORDER BY length(rate.country) DESC LIMIT 1) END AS cost,
                customer.customer_id, customer.is_reached, customer.used_kinds, customer.used_values
         FROM unnest($2::uuid[], $3::smallint[]) AS wanted (message_id, ordinal)
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one
             WHERE one.client_id = $1 AND one.message_id = wanted.message_id AND one.ordinal = wanted.ordinal
               AND one.message_id BETWEEN $4 AND $5
             FOR UPDATE {}) leg
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_message one
             WHERE one.client_id = $1 AND one.id = wanted.message_id AND one.id BETWEEN $4 AND $5 OFFSET 0) message
         LEFT JOIN LATERAL (
             SELECT content, fallback, message_type, request_id, category, quick_replies FROM outbound_part one
             WHERE one.client_id = $1 AND one.id = message.part_id OFFSET 0) part ON true
         LEFT JOIN LATERAL (
             SELECT address.customer_id, used.kinds AS used_kinds, used.values AS used_values,
                    (SELECT one.reached FROM inbox_customer one
                     WHERE one.client_id = $1 AND one.inbox_id = message.inbox_id
                       AND one.customer_id = address.customer_id) AS is_reached
             FROM customer_address address
             CROSS JOIN LATERAL (
                 SELECT array_agg(other.kind ORDER BY other.kind, other.value) AS kinds,
                        array_agg(other.value ORDER BY other.kind, other.value) AS values
                 FROM customer_address other
                 WHERE other.client_id = $1 AND other.customer_id = address.customer_id AND other.seen_at > 'epoch') used
             WHERE $6 AND leg.state IN ('QUEUED', 'ACCEPTED') AND address.client_id = $1
               AND address.kind = leg.address_kind AND address.value = leg.address_value OFFSET 0) customer ON true",
        when_locked.sql()
    );
    let (first, last) = keys.range();
    let rows: Vec<MessageLegRow> = sqlx::query_as(&statement)
        .bind(client.0)
        .bind(keys.messages)
        .bind(keys.ordinals)
        .bind(first)
        .bind(last)
        .bind(with_customers)
        .fetch_all(db)
        .await?;
    rows.into_iter().map(MessageLeg::try_from).collect()
}

#[derive(Debug, Clone)]
pub struct NewLeg {
    pub channel: Channel,
    pub inbox: InboxId,
    pub address: Address,
    /// Its content; `None`: that of its part.
    pub content: Option<LegContent>,
}

/// Appends a leg and queues it. The caller has locked the legs, or the message has at most one fallback.
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
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at)
         SELECT $1, $2, ordinal, $4, $6, $8, $9 FROM leg RETURNING ordinal",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(leg.channel.as_str())
    .bind(leg.inbox.0)
    .bind(leg.address.kind().as_str())
    .bind(leg.address.value())
    .bind(leg.content.as_ref().map(column_values::write))
    .bind(priority)
    .bind(now)
    .fetch_optional(db)
    .await?;
    Ok(ordinal)
}

pub async fn mark_ambiguous(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_leg leg SET ambiguous = true
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE leg.client_id = given.client_id AND leg.message_id = given.message_id AND leg.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct ContentRow {
    message_id: Uuid,
    ordinal: i16,
    own: Option<UnreadJson>,
    of_part: Option<UnreadJson>,
    sms_route: Option<UnreadJson>,
}

impl ContentRow {
    fn read(self) -> Result<Option<((MessageId, i16), LegContent)>> {
        let own = column_values::read_optional("outbound_leg", "content", self.own.as_ref())?;
        let of_part: Option<OutboundContent> =
            column_values::read_optional("outbound_part", "content", self.of_part.as_ref())?;
        let route: Option<SmsRoute> =
            column_values::read_optional("outbound_leg", "sms_route", self.sms_route.as_ref())?;
        let content = own.or_else(|| of_part.map(|content| LegContent::Message(Box::new(content))));
        let content = match route.and_then(|route| route.text) {
            Some(text) => content.map(|content| content.saying(text)),
            None => content,
        };
        Ok(content.map(|content| ((MessageId(self.message_id), self.ordinal), content)))
    }
}

/// Returns the contents of legs: their own, otherwise that of their part, with the text of a router.
pub async fn contents(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
) -> Result<HashMap<(MessageId, i16), LegContent>> {
    let keys = LegKeys::from(legs);
    let (first, last) = keys.range();
    let rows: Vec<ContentRow> = sqlx::query_as(
        "SELECT leg.message_id, leg.ordinal, leg.content AS own, part.content AS of_part, leg.sms_route
         FROM unnest($2::uuid[], $3::smallint[]) AS wanted (message_id, ordinal)
         CROSS JOIN LATERAL (
             SELECT message_id, ordinal, content, sms_route FROM outbound_leg one
             WHERE one.client_id = $1 AND one.message_id = wanted.message_id AND one.ordinal = wanted.ordinal
               AND one.message_id BETWEEN $4 AND $5 OFFSET 0) leg
         LEFT JOIN LATERAL (
             SELECT part_id FROM outbound_message one
             WHERE one.client_id = $1 AND one.id = wanted.message_id AND one.id BETWEEN $4 AND $5
               AND leg.content IS NULL OFFSET 0) message ON true
         LEFT JOIN LATERAL (
             SELECT content FROM outbound_part one
             WHERE one.client_id = $1 AND one.id = message.part_id OFFSET 0) part ON true",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(first)
    .bind(last)
    .fetch_all(db)
    .await?;
    rows.into_iter().filter_map(|row| row.read().transpose()).collect()
}
