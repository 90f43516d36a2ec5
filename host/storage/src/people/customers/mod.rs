//! Customers. A customer is one row for ever; each address is unique per client (SPEC 1, PROVIDERS 0.1, DESIGN 7).

pub mod addresses;
pub mod merging;
mod rows;

use domain::{
    address::{Address, AddressKind, Addresses},
    ids::{ClientId, CustomerId},
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values};

pub use rows::{CustomerNames, create, describe, remove_unused};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    pub id: CustomerId,
    pub name: Option<String>,
    pub contact_name: Option<String>,
    pub username: Option<String>,
    /// The parent of its BSUID, if the provider named one (SPEC 2.6).
    pub parent_user_id: Option<String>,
    pub addresses: Addresses,
}

impl Customer {
    pub fn phone(&self) -> Option<&str> {
        self.addresses.phone()
    }

    pub fn bsuid(&self) -> Option<&str> {
        self.addresses.bsuid()
    }

    /// The key for the order of a conversation's webhooks: the first known address in the order of the kinds.
    pub fn address(&self) -> Option<&Address> {
        AddressKind::ALL.into_iter().find_map(|kind| self.addresses.shown(kind))
    }
}

#[derive(sqlx::FromRow)]
struct CustomerRow {
    id: Uuid,
    full_name: Option<String>,
    contact_name: Option<String>,
    username: Option<String>,
    parent_user_id: Option<String>,
    kinds: Vec<String>,
    values: Vec<String>,
}

pub async fn find(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<Option<Customer>> {
    read(db, client, Some(customer), None).await
}

/// Returns the customer of this address, shown or not.
pub async fn find_by_address(db: &mut PgConnection, client: ClientId, address: &Address) -> Result<Option<Customer>> {
    read(db, client, None, Some(address)).await
}

async fn read(
    db: &mut PgConnection,
    client: ClientId,
    id: Option<CustomerId>,
    address: Option<&Address>,
) -> Result<Option<Customer>> {
    let row: Option<CustomerRow> = sqlx::query_as(
        "SELECT customer.id, customer.full_name, customer.username, customer.parent_user_id,
                (SELECT COALESCE((SELECT kept.full_name FROM contact kept
                                  WHERE kept.client_id = contact.client_id AND kept.id = (
                                      SELECT merge.kept_id FROM contact_merge merge
                                      WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id)),
                                 contact.full_name)
                 FROM contact
                 WHERE contact.client_id = $1 AND contact.customer_id = customer.id) AS contact_name,
                COALESCE(known.kinds, '{}') AS kinds, COALESCE(known.values, '{}') AS values
         FROM customer asked
         CROSS JOIN LATERAL (
             SELECT * FROM customer one
             WHERE one.client_id = $1 AND one.id = COALESCE(asked.merged_into, asked.id) OFFSET 0) customer
         CROSS JOIN LATERAL (
             SELECT array_agg(kind ORDER BY seen_at DESC, kind, value) AS kinds,
                    array_agg(value ORDER BY seen_at DESC, kind, value) AS values
             FROM customer_address address
             WHERE address.client_id = $1 AND address.customer_id = customer.id) known
         WHERE asked.client_id = $1
           AND asked.id = COALESCE($2, (SELECT customer_id FROM customer_address
                                        WHERE client_id = $1 AND kind = $3 AND value = $4))",
    )
    .bind(client.0)
    .bind(id.map(|id| id.0))
    .bind(address.map(|address| address.kind().as_str()))
    .bind(address.map(Address::value))
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let columns = ("kind", "value");
    let addresses = row.kinds.iter().zip(&row.values);
    let addresses = addresses.map(|(kind, value)| column_values::address("customer_address", columns, kind, value));
    Ok(Some(Customer {
        id: CustomerId(row.id),
        name: row.full_name,
        contact_name: row.contact_name,
        username: row.username,
        parent_user_id: row.parent_user_id,
        addresses: Addresses::newest_first(addresses.collect::<Result<_>>()?),
    }))
}
