//! What must be known of a customer on one business number before any chat exists: the 24-hour window, whether the
//! number is on WhatsApp, and what was sent last (DESIGN 7).

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId, InboxId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// A template that was sent last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastTemplate {
    /// The provider's template id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// What is known of a customer on one number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberCustomerFacts {
    /// Who it is.
    pub customer: CustomerId,
    /// When the customer last wrote; opens the 24-hour window (SPEC 4.1).
    pub last_inbound_at: Option<DateTime<Utc>>,
    /// A delivery, a read receipt or an inbound message proved it (PROVIDERS A.12).
    pub seen_on_whatsapp: bool,
    /// Set while the last outbound message was a template (SPEC 6.5).
    pub last_template: Option<LastTemplate>,
}

#[derive(sqlx::FromRow)]
struct FactsRow {
    address: String,
    customer_id: Uuid,
    last_inbound_at: Option<DateTime<Utc>>,
    seen_on_whatsapp: bool,
    last_template_id: Option<String>,
    last_template_name: Option<String>,
}

/// Records that the customer wrote at `at` (the provider's time of the message), and answers the template that the
/// customer had been sent last, if nothing free-form was sent since. A late repetition never moves the window back.
pub async fn record_inbound(
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<Option<LastTemplate>> {
    let (id, name): (Option<String>, Option<String>) = sqlx::query_as(
        "INSERT INTO number_customer AS known (client_id, number_id, customer_id, last_inbound_at, seen_on_whatsapp)
         VALUES ($1, $2, $3, $4, true)
         ON CONFLICT (client_id, number_id, customer_id) DO UPDATE
         SET last_inbound_at = GREATEST(known.last_inbound_at, excluded.last_inbound_at), seen_on_whatsapp = true
         RETURNING last_template_id, last_template_name",
    )
    .bind(client.0)
    .bind(number.0)
    .bind(customer.0)
    .bind(at)
    .fetch_one(db)
    .await?;
    Ok(last_template(id, name))
}

/// Records that messages went out at `at`, with the template of each (id and name) or `None` for free-form ones. One
/// statement; of several messages to one customer the last counts.
pub async fn record_outbound(
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    sent: &[(CustomerId, Option<(String, String)>)],
    at: DateTime<Utc>,
) -> Result<()> {
    // A map: a row may be written once per statement, and sorted rows do not deadlock.
    let last: BTreeMap<CustomerId, Option<&(String, String)>> =
        sent.iter().map(|(customer, template)| (*customer, template.as_ref())).collect();
    sqlx::query(
        "INSERT INTO number_customer AS known (client_id, number_id, customer_id, last_outbound_at, last_template_id,
                                               last_template_name)
         SELECT $1, $2, customer_id, $6, template_id, template_name
         FROM unnest($3::uuid[], $4::text[], $5::text[]) AS t (customer_id, template_id, template_name)
         ON CONFLICT (client_id, number_id, customer_id) DO UPDATE
         SET last_outbound_at = GREATEST(known.last_outbound_at, excluded.last_outbound_at),
             last_template_id = excluded.last_template_id, last_template_name = excluded.last_template_name",
    )
    .bind(client.0)
    .bind(number.0)
    .bind(last.keys().map(|customer| customer.0).collect::<Vec<_>>())
    .bind(last.values().map(|template| template.map(|template| template.0.as_str())).collect::<Vec<_>>())
    .bind(last.values().map(|template| template.map(|template| template.1.as_str())).collect::<Vec<_>>())
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Records the proof that the customer is on WhatsApp. Writes only the first time.
pub async fn mark_seen(db: &mut PgConnection, client: ClientId, number: InboxId, customer: CustomerId) -> Result<()> {
    sqlx::query(
        "INSERT INTO number_customer AS known (client_id, number_id, customer_id, seen_on_whatsapp)
         VALUES ($1, $2, $3, true)
         ON CONFLICT (client_id, number_id, customer_id) DO UPDATE SET seen_on_whatsapp = true
         WHERE NOT known.seen_on_whatsapp",
    )
    .bind(client.0)
    .bind(number.0)
    .bind(customer.0)
    .execute(db)
    .await?;
    Ok(())
}

/// What is known of the customers with these phone numbers and BSUIDs on one number, by phone number or BSUID. Those
/// that were never heard of on it are absent.
pub async fn facts(
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    phones: &[String],
    bsuids: &[String],
) -> Result<HashMap<String, NumberCustomerFacts>> {
    let rows: Vec<FactsRow> = sqlx::query_as(
        "SELECT identity.value AS address, known.customer_id, known.last_inbound_at, known.seen_on_whatsapp,
                known.last_template_id, known.last_template_name
         FROM customer_identity identity
         JOIN number_customer known ON known.client_id = $1 AND known.number_id = $2
              AND known.customer_id = identity.customer_id
         WHERE identity.client_id = $1
           AND (identity.kind = 'PHONE' AND identity.value = ANY($3) OR identity.kind = 'BSUID' AND identity.value = ANY($4))",
    )
    .bind(client.0)
    .bind(number.0)
    .bind(phones)
    .bind(bsuids)
    .fetch_all(db)
    .await?;
    let facts = |row: FactsRow| {
        let facts = NumberCustomerFacts {
            customer: CustomerId(row.customer_id),
            last_inbound_at: row.last_inbound_at,
            seen_on_whatsapp: row.seen_on_whatsapp,
            last_template: last_template(row.last_template_id, row.last_template_name),
        };
        (row.address, facts)
    };
    Ok(rows.into_iter().map(facts).collect())
}

/// The template that a customer was sent last on a number, if nothing free-form was sent since.
pub async fn last_template_of(
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    customer: CustomerId,
) -> Result<Option<LastTemplate>> {
    let row: Option<(Option<String>, Option<String>)> = sqlx::query_as(
        "SELECT last_template_id, last_template_name FROM number_customer
         WHERE client_id = $1 AND number_id = $2 AND customer_id = $3",
    )
    .bind(client.0)
    .bind(number.0)
    .bind(customer.0)
    .fetch_optional(db)
    .await?;
    Ok(row.and_then(|(id, name)| last_template(id, name)))
}

fn last_template(id: Option<String>, name: Option<String>) -> Option<LastTemplate> {
    Some(LastTemplate { id: id?, name: name.unwrap_or_default() })
}
