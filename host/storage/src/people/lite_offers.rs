//! The numbered choices that a customer of a Lite number was shown last (ADR 0024).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, CustomerId, InboxId},
    lite::Choice,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Result,
    stored::{self, Stored},
};

/// What a customer was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Provider id of the message that shows it.
    pub provider_id: String,
    /// Its choices, in the order of their numbers.
    pub choices: Vec<Choice>,
    /// Nothing went out since.
    pub is_last: bool,
}

/// What a message shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOffer {
    /// Provider id of the message.
    pub provider_id: String,
    /// Its choices, in the order of their numbers.
    pub choices: Vec<Choice>,
}

/// Notes what went out, in the order in which it did: offers, and for everybody else (`None`) that their last offer is no
/// longer the last message. Of several messages to one customer the last counts, and the last offer among them.
pub async fn note(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    sent: &[(CustomerId, Option<NewOffer>)],
    now: DateTime<Utc>,
) -> Result<()> {
    let (mut offers, mut plain): (BTreeMap<CustomerId, (&NewOffer, bool)>, _) = (BTreeMap::new(), Vec::new());
    for (customer, offer) in sent {
        match offer {
            Some(offer) => {
                offers.insert(*customer, (offer, true));
            }
            None => match offers.get_mut(customer) {
                Some((_, is_last)) => *is_last = false,
                None => plain.push(customer.0),
            },
        }
    }
    if !plain.is_empty() {
        sqlx::query(
            "UPDATE lite_offer offer SET is_last = false
             FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::uuid[]) AS one (customer_id)
                   OFFSET 0) given
             WHERE offer.client_id = given.client_id AND offer.inbox_id = given.inbox_id
               AND offer.customer_id = given.customer_id AND offer.is_last",
        )
        .bind(client.0)
        .bind(inbox.0)
        .bind(&plain)
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
        rows.choices.push(stored::write_text(choices)?);
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

/// What a customer of a number was shown last.
pub async fn of(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
) -> Result<Option<Offer>> {
    let row: Option<(String, Stored, bool)> = sqlx::query_as(
        "SELECT provider_id, choices, is_last FROM lite_offer
         WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .fetch_optional(db)
    .await?;
    let Some((provider_id, choices, is_last)) = row else { return Ok(None) };
    Ok(Some(Offer { provider_id, choices: stored::read("lite_offer", "choices", &choices)?, is_last }))
}
