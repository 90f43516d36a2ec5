//! Facts of a customer on one inbox before any chat: window, reached, last template (DESIGN 7).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    chat::SentTemplate,
    conversation::ConversationRef,
    ids::{ClientId, ConversationId, ConversationParticipantId, CustomerId, InboxId},
};
use uuid::Uuid;

use super::customers::Customer;
use crate::{PgConnection, Result, column_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCustomerFacts {
    pub customer: CustomerId,
    /// When the customer last wrote; opens the 24-hour window (SPEC 4.1).
    pub last_inbound_at: Option<DateTime<Utc>>,
    /// True after a delivery, a read receipt or an inbound message (PROVIDERS A.12).
    pub reached: bool,
    /// Set while the last outbound message was a template (SPEC 6.5).
    pub last_template: Option<SentTemplate>,
}

#[derive(sqlx::FromRow)]
struct FactsRow {
    kind: String,
    value: String,
    customer_id: Uuid,
    last_inbound_at: Option<DateTime<Utc>>,
    reached: bool,
    last_template_id: Option<String>,
    last_template_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerHistory {
    pub last_template: Option<SentTemplate>,
    pub conversation: Option<ConversationRef>,
    /// Cost of a message from the customer's country, with the currency; `None` without a rate.
    pub cost: Option<String>,
}

#[derive(sqlx::FromRow)]
struct WroteRow {
    last_template_id: Option<String>,
    last_template_name: Option<String>,
    conversation_id: Option<Uuid>,
    participant_id: Option<Uuid>,
    ct_id: Option<String>,
    cost: Option<String>,
}

/// The customer wrote at `at` (the provider's time). Returns the facts before. A repetition never moves the window
/// back.
pub async fn record_inbound(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: &Customer,
    at: DateTime<Utc>,
) -> Result<CustomerHistory> {
    let row: WroteRow = sqlx::query_as(
        "WITH wrote AS (
             INSERT INTO inbox_customer AS known (client_id, inbox_id, customer_id, last_inbound_at, reached)
             VALUES ($1, $2, $3, $4, true)
             ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE
             SET last_inbound_at = GREATEST(known.last_inbound_at, excluded.last_inbound_at), reached = true
             RETURNING last_template_id, last_template_name)
         SELECT wrote.last_template_id, wrote.last_template_name, active.id AS conversation_id, active.participant_id,
                active.ct_id,
                CASE WHEN EXISTS (SELECT FROM rate WHERE rate.client_id = $1 AND rate.category = 'INCOMING') THEN
                (SELECT rate.amount || ' ' || rate.currency FROM rate
                 WHERE rate.client_id = $1 AND rate.category = 'INCOMING' AND $5::text IS NOT NULL
                   AND rate.country = ANY (ARRAY['', left($5, 1), left($5, 2), left($5, 3), left($5, 4)])
                 ORDER BY length(rate.country) DESC LIMIT 1) END AS cost
         FROM wrote
         LEFT JOIN LATERAL (
             SELECT * FROM conversation one
             WHERE one.client_id = $1 AND one.inbox_id = $2 AND one.customer_id = $3 AND one.closed_at IS NULL
               AND one.expires_at > $4 OFFSET 0) active ON true",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.id.0)
    .bind(at)
    .bind(customer.phone().or(customer.bsuid()))
    .fetch_one(db)
    .await?;
    let ids = row.conversation_id.zip(row.participant_id);
    let conversation = ids.map(|(id, participant)| ConversationRef {
        id: ConversationId(id),
        participant: ConversationParticipantId(participant),
        ct_id: row.ct_id,
    });
    Ok(CustomerHistory {
        last_template: last_template(row.last_template_id, row.last_template_name),
        conversation,
        cost: row.cost,
    })
}

/// Messages sent at `at`, each with its template or `None`. Of several to one customer the last counts.
pub async fn record_outbound(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    sent: &[(CustomerId, Option<SentTemplate>)],
    at: DateTime<Utc>,
) -> Result<()> {
    // A map: a row may be written once per statement, and sorted rows do not deadlock.
    let last: BTreeMap<CustomerId, Option<&SentTemplate>> =
        sent.iter().map(|(customer, template)| (*customer, template.as_ref())).collect();
    sqlx::query(
        "INSERT INTO inbox_customer AS known (client_id, inbox_id, customer_id, last_outbound_at, last_template_id,
                                               last_template_name)
         SELECT $1, $2, customer_id, $6, template_id, template_name
         FROM unnest($3::uuid[], $4::text[], $5::text[]) AS t (customer_id, template_id, template_name)
         ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE
         SET last_outbound_at = GREATEST(known.last_outbound_at, excluded.last_outbound_at),
             last_template_id = excluded.last_template_id, last_template_name = excluded.last_template_name",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(last.keys().map(|customer| customer.0).collect::<Vec<_>>())
    .bind(last.values().map(|template| template.map(|template| template.id.as_str())).collect::<Vec<_>>())
    .bind(last.values().map(|template| template.map(|template| template.name.as_str())).collect::<Vec<_>>())
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateMessage {
    pub at: DateTime<Utc>,
    pub template: Option<SentTemplate>,
}

/// As [`record_outbound`], for calls without an answer: later messages count. Providers report whole seconds.
pub async fn record_late_outbound(
    db: &mut PgConnection,
    client: ClientId,
    sent: &BTreeMap<(InboxId, CustomerId), LateMessage>,
) -> Result<()> {
    let templates = || sent.values().map(|outbound| outbound.template.as_ref());
    sqlx::query(
        "INSERT INTO inbox_customer AS known (client_id, inbox_id, customer_id, last_outbound_at, last_template_id,
                                               last_template_name)
         SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[])
         ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE
         SET last_outbound_at = GREATEST(known.last_outbound_at, excluded.last_outbound_at),
             last_template_id = excluded.last_template_id, last_template_name = excluded.last_template_name
         WHERE known.last_outbound_at IS NULL OR date_trunc('second', known.last_outbound_at) <= excluded.last_outbound_at",
    )
    .bind(client.0)
    .bind(sent.keys().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
    .bind(sent.keys().map(|(_, customer)| customer.0).collect::<Vec<_>>())
    .bind(sent.values().map(|outbound| outbound.at).collect::<Vec<_>>())
    .bind(templates().map(|template| template.map(|template| template.id.as_str())).collect::<Vec<_>>())
    .bind(templates().map(|template| template.map(|template| template.name.as_str())).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Records the proof that channels of inboxes reach customers. Writes, and locks, only the first time.
pub async fn mark_reached(
    db: &mut PgConnection,
    client: ClientId,
    reached: &BTreeSet<(InboxId, CustomerId)>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO inbox_customer AS known (client_id, inbox_id, customer_id, reached)
         SELECT client_id, inbox_id, customer_id, true
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::uuid[]) AS one (inbox_id, customer_id) OFFSET 0) given
         WHERE NOT EXISTS (SELECT FROM inbox_customer before
                           WHERE before.client_id = given.client_id AND before.inbox_id = given.inbox_id
                             AND before.customer_id = given.customer_id AND before.reached OFFSET 0)
         ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE SET reached = true
         WHERE NOT known.reached",
    )
    .bind(client.0)
    .bind(reached.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
    .bind(reached.iter().map(|(_, customer)| customer.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn facts(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    addresses: &[&Address],
) -> Result<HashMap<Address, InboxCustomerFacts>> {
    let rows: Vec<FactsRow> = sqlx::query_as(
        "SELECT address.kind, address.value, known.customer_id, known.last_inbound_at, known.reached,
                known.last_template_id, known.last_template_name
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::text[], $4::text[]) AS one (kind, value)
               OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT * FROM customer_address one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value OFFSET 0) address
         CROSS JOIN LATERAL (
             SELECT * FROM inbox_customer one
             WHERE one.client_id = wanted.client_id AND one.inbox_id = wanted.inbox_id
               AND one.customer_id = address.customer_id OFFSET 0) known",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(addresses.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(addresses.iter().map(|address| address.value()).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let facts = |row: FactsRow| {
        let address = column_values::address("customer_address", ("kind", "value"), &row.kind, &row.value)?;
        let facts = InboxCustomerFacts {
            customer: CustomerId(row.customer_id),
            last_inbound_at: row.last_inbound_at,
            reached: row.reached,
            last_template: last_template(row.last_template_id, row.last_template_name),
        };
        Ok((address, facts))
    };
    rows.into_iter().map(facts).collect()
}

/// Phone numbers of customers by user id, the last seen. Blocked numbers are absent.
pub async fn phones(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    user_ids: &[&Address],
) -> Result<HashMap<Address, Address>> {
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT named.kind, named.value, phone.value
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::text[], $4::text[]) AS one (kind, value)
               OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT * FROM customer_address one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value OFFSET 0) named
         CROSS JOIN LATERAL (
             SELECT 1 FROM inbox_customer one
             WHERE one.client_id = wanted.client_id AND one.inbox_id = wanted.inbox_id
               AND one.customer_id = named.customer_id OFFSET 0) known
         CROSS JOIN LATERAL (
             SELECT one.value FROM customer_address one
             WHERE one.client_id = wanted.client_id AND one.customer_id = named.customer_id AND one.kind = 'PHONE'
             ORDER BY one.seen_at DESC, one.value LIMIT 1) phone
         WHERE NOT EXISTS (SELECT FROM customer_address spelled
                           CROSS JOIN LATERAL (
                               SELECT 1 FROM blocked_recipient one
                               WHERE one.client_id = wanted.client_id AND one.kind = 'PHONE' AND one.value = spelled.value
                               OFFSET 0) blocked
                           WHERE spelled.client_id = wanted.client_id AND spelled.customer_id = named.customer_id
                             AND spelled.kind = 'PHONE' OFFSET 0)",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(user_ids.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(user_ids.iter().map(|address| address.value()).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let pair = |(kind, value, phone): (String, String, String)| {
        let columns = ("kind", "value");
        let named = column_values::address("customer_address", columns, &kind, &value)?;
        let phone = column_values::address("customer_address", columns, AddressKind::Phone.as_str(), &phone)?;
        Ok((named, phone))
    };
    rows.into_iter().map(pair).collect()
}

/// Returns the last template that an inbox sent to a customer, if no free-form message was sent since.
pub async fn last_template_of(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
) -> Result<Option<SentTemplate>> {
    let row: Option<(Option<String>, Option<String>)> = sqlx::query_as(
        "SELECT last_template_id, last_template_name FROM inbox_customer
         WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .fetch_optional(db)
    .await?;
    Ok(row.and_then(|(id, name)| last_template(id, name)))
}

fn last_template(id: Option<String>, name: Option<String>) -> Option<SentTemplate> {
    Some(SentTemplate { id: id?, name: name.unwrap_or_default() })
}

pub async fn last_inbound(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
) -> Result<Option<DateTime<Utc>>> {
    let wrote: Option<Option<DateTime<Utc>>> = sqlx::query_scalar(
        "SELECT last_inbound_at FROM inbox_customer WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .fetch_optional(db)
    .await?;
    Ok(wrote.flatten())
}
