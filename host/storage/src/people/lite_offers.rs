//! Numbered choices that a customer saw last (ADR 0024): of accepted messages, and of one whose call has begun.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, CustomerId, InboxId, MessageId},
    lite::NumberedChoice,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferMessage {
    /// A message that the provider accepted or reported, by the provider's id.
    Taken(String),
    /// A message whose call has begun and that has no provider's id yet, by our id.
    InFlight(MessageId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub by: OfferMessage,
    pub choices: Vec<NumberedChoice>,
    /// True if no message was sent since.
    pub is_last: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOffer {
    pub provider_id: String,
    pub choices: Vec<NumberedChoice>,
}

/// Records sent messages in order, of each customer the last one. `None`: a message without choices, so an earlier offer
/// is no longer the last message.
pub async fn record_sent(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    sent_in_order: &[(CustomerId, Option<NewOffer>)],
    now: DateTime<Utc>,
) -> Result<()> {
    let (mut offers, mut without_choices): (BTreeMap<CustomerId, (&NewOffer, bool)>, _) = (BTreeMap::new(), Vec::new());
    for (customer, offer) in sent_in_order {
        match offer {
            Some(offer) => {
                offers.insert(*customer, (offer, true));
            }
            None => match offers.get_mut(customer) {
                Some((_, is_last)) => *is_last = false,
                None => without_choices.push(customer.0),
            },
        }
    }
    if !without_choices.is_empty() {
        sqlx::query(
            "UPDATE lite_offer offer SET is_last = false
             FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::uuid[]) AS one (customer_id)
                   OFFSET 0) given
             WHERE offer.client_id = given.client_id AND offer.inbox_id = given.inbox_id
               AND offer.customer_id = given.customer_id AND offer.is_last",
        )
        .bind(client.0)
        .bind(inbox.0)
        .bind(&without_choices)
        .execute(&mut *db)
        .await?;
    }
    if offers.is_empty() {
        return Ok(());
    }
    let mut rows = OfferRows::default();
    for (customer, (NewOffer { provider_id, choices }, is_last)) in offers {
        rows.customers.push(customer.0);
        rows.provider_ids.push(provider_id);
        rows.choices.push(column_values::write_text(choices)?);
        rows.are_last.push(is_last);
    }
    sqlx::query(
        "INSERT INTO lite_offer (client_id, inbox_id, customer_id, provider_id, choices, is_last, offered_at)
         SELECT $1, $2, customer_id, provider_id, choices::jsonb, is_last, $7
         FROM unnest($3::uuid[], $4::text[], $5::text[], $6::boolean[]) AS one (customer_id, provider_id, choices, is_last)
         ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE
         SET provider_id = excluded.provider_id, choices = excluded.choices, is_last = excluded.is_last,
             offered_at = excluded.offered_at",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(rows.customers)
    .bind(rows.provider_ids)
    .bind(rows.choices)
    .bind(rows.are_last)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Default)]
struct OfferRows<'o> {
    customers: Vec<Uuid>,
    provider_ids: Vec<&'o str>,
    choices: Vec<String>,
    are_last: Vec<bool>,
}

/// A call that begins: its customer, and the choices of its message.
#[derive(Debug, Clone, Copy)]
pub struct OfferCall<'c> {
    pub message: MessageId,
    pub customer: CustomerId,
    pub choices: &'c [NumberedChoice],
}

/// Choices of messages whose calls begin now, in the transaction of their marks. The last one counts.
pub async fn begin(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    begun: &[OfferCall<'_>],
    now: DateTime<Utc>,
) -> Result<()> {
    // A map: a row may be written once per statement, and sorted rows do not deadlock.
    let last: BTreeMap<CustomerId, &OfferCall<'_>> = begun.iter().map(|one| (one.customer, one)).collect();
    if last.is_empty() {
        return Ok(());
    }
    let choices: Vec<String> =
        last.values().map(|one| column_values::write_text(one.choices)).collect::<Result<_>>()?;
    sqlx::query(
        "INSERT INTO offer_in_flight (client_id, inbox_id, customer_id, message_id, choices, is_last, offered_at)
         SELECT $1, $2, customer_id, message_id, choices::jsonb, true, $6
         FROM unnest($3::uuid[], $4::uuid[], $5::text[]) AS one (customer_id, message_id, choices)
         ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE
         SET message_id = excluded.message_id, choices = excluded.choices, is_last = true, offered_at = excluded.offered_at",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(last.keys().map(|customer| customer.0).collect::<Vec<_>>())
    .bind(last.values().map(|one| one.message.0).collect::<Vec<_>>())
    .bind(choices)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Records that calls without choices begin: earlier messages in flight to these addresses are no longer the last ones.
pub async fn retire_offers(db: &mut PgConnection, client: ClientId, inbox: InboxId, to: &[&Address]) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE offer_in_flight offer SET is_last = false
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::text[], $4::text[]) AS one (kind, value)
               OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM customer_address one
             WHERE one.client_id = given.client_id AND one.kind = given.kind AND one.value = given.value OFFSET 0) address
         WHERE offer.client_id = given.client_id AND offer.inbox_id = given.inbox_id
           AND offer.customer_id = address.customer_id AND offer.is_last",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(to.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(to.iter().map(|address| address.value()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Removes choices of messages whose calls have ended. [`record_sent`] records those that were shown.
pub async fn end(db: &mut PgConnection, client: ClientId, messages: &[MessageId]) -> Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "DELETE FROM offer_in_flight offer
         USING (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) ended
         WHERE offer.client_id = ended.client_id AND offer.message_id = ended.id",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct OfferRow {
    message_id: Option<Uuid>,
    provider_id: Option<String>,
    choices: UnreadJson,
    is_last: bool,
}

/// Returns the choices that a customer saw last, the latest first: of a message in flight, and of an accepted one.
pub async fn of(db: &mut PgConnection, client: ClientId, inbox: InboxId, customer: CustomerId) -> Result<Vec<Offer>> {
    let rows: Vec<OfferRow> = sqlx::query_as(
        "(SELECT offer.message_id, called.provider_id, offer.choices, offer.is_last
          FROM (SELECT * FROM offer_in_flight
                WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3 OFFSET 0) offer
          LEFT JOIN LATERAL (
              SELECT provider_id FROM outbound_leg one
              WHERE one.client_id = offer.client_id AND one.message_id = offer.message_id AND one.inbox_id = offer.inbox_id
              LIMIT 1) called ON true)
         UNION ALL
         (SELECT NULL, provider_id, choices, is_last FROM lite_offer
          WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3)",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .fetch_all(db)
    .await?;
    let offer = |row: OfferRow| {
        let by = match (row.message_id, row.provider_id) {
            (Some(message), None) => OfferMessage::InFlight(MessageId(message)),
            (_, provider_id) => OfferMessage::Taken(provider_id.unwrap_or_default()),
        };
        Ok(Offer { by, choices: column_values::read("lite_offer", "choices", &row.choices)?, is_last: row.is_last })
    };
    rows.into_iter().map(offer).collect()
}
