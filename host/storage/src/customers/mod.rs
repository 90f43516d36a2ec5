//! Customers and what is known of them. A customer is one row for ever; phone numbers and BSUIDs are identities that
//! point at it, unique per client (SPEC 1, PROVIDERS 0.1, DESIGN 7).

mod bulk;
mod identities;
mod merge;
mod resolve;

use domain::ids::{ClientId, CustomerId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

pub use bulk::resolve_many;
pub use resolve::{change_number, resolve};

/// What an event says about a customer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewIdentity {
    /// Phone number in digits.
    pub phone: Option<String>,
    /// BSUID.
    pub bsuid: Option<String>,
    /// The BSUID that `bsuid` replaced, when the event says so.
    pub previous_bsuid: Option<String>,
    /// Display name; absent leaves what is known.
    pub name: Option<String>,
    /// Display-only username; absent leaves what is known.
    pub username: Option<String>,
}

/// A customer with its newest identities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    /// Its id.
    pub id: CustomerId,
    /// Display name.
    pub name: Option<String>,
    /// Display-only username.
    pub username: Option<String>,
    /// Phone number in digits; absent when it is withheld.
    pub phone: Option<String>,
    /// BSUID.
    pub bsuid: Option<String>,
}

impl Customer {
    /// What the order of a conversation's webhooks is keyed by: the phone number when known, else the BSUID.
    pub fn address(&self) -> &str {
        self.phone.as_deref().or(self.bsuid.as_deref()).unwrap_or_default()
    }
}

#[derive(sqlx::FromRow)]
struct CustomerRow {
    id: Uuid,
    full_name: Option<String>,
    username: Option<String>,
    phone: Option<String>,
    bsuid: Option<String>,
}

/// A customer; an id that was merged away answers the customer it became.
pub async fn find(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<Option<Customer>> {
    let row: Option<CustomerRow> = sqlx::query_as(
        "SELECT customer.id, customer.full_name, customer.username,
                (SELECT value FROM customer_identity i WHERE i.client_id = $1 AND i.customer_id = customer.id
                 AND i.kind = 'PHONE' ORDER BY seen_at DESC LIMIT 1) AS phone,
                (SELECT value FROM customer_identity i WHERE i.client_id = $1 AND i.customer_id = customer.id
                 AND i.kind = 'BSUID' ORDER BY seen_at DESC LIMIT 1) AS bsuid
         FROM customer asked
         JOIN customer ON customer.client_id = $1 AND customer.id = COALESCE(asked.merged_into, asked.id)
         WHERE asked.client_id = $1 AND asked.id = $2",
    )
    .bind(client.0)
    .bind(customer.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| Customer {
        id: CustomerId(row.id),
        name: row.full_name,
        username: row.username,
        phone: row.phone,
        bsuid: row.bsuid,
    }))
}
