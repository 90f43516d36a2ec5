//! Tags of contacts, and the contacts of many customers. The id of a merged contact finds the one in its place.

use std::collections::HashMap;

use domain::ids::{ClientId, ContactId, CustomerId};
use uuid::Uuid;

use crate::{PgConnection, Result};

pub async fn get(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<Option<Vec<String>>> {
    let tags = sqlx::query_scalar(
        "SELECT tags FROM contact WHERE client_id = $1 AND id = COALESCE(
             (SELECT merge.kept_id FROM contact_merge merge WHERE merge.client_id = $1 AND merge.contact_id = $2), $2)",
    )
    .bind(client.0)
    .bind(contact.0)
    .fetch_optional(db)
    .await?;
    Ok(tags)
}

/// Replaces the tags. Returns false if there is no such contact.
pub async fn set(db: &mut PgConnection, client: ClientId, contact: ContactId, tags: &[String]) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE contact SET tags = $3 WHERE client_id = $1 AND id = COALESCE(
             (SELECT merge.kept_id FROM contact_merge merge WHERE merge.client_id = $1 AND merge.contact_id = $2), $2)",
    )
    .bind(client.0)
    .bind(contact.0)
    .bind(tags)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedContact {
    pub id: ContactId,
    pub name: String,
    pub tags: Vec<String>,
}

/// The contacts of customers. Customers without one are absent.
pub async fn of_customers(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
) -> Result<HashMap<CustomerId, TaggedContact>> {
    let rows: Vec<(Uuid, Uuid, String, Vec<String>)> = sqlx::query_as(
        "SELECT wanted.id, shown.id, shown.full_name, shown.tags
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN contact ON contact.client_id = wanted.client_id AND contact.customer_id = wanted.id
         CROSS JOIN LATERAL (
             SELECT * FROM contact one
             WHERE one.client_id = wanted.client_id AND one.id = COALESCE(
                 (SELECT merge.kept_id FROM contact_merge merge
                  WHERE merge.client_id = wanted.client_id AND merge.contact_id = contact.id), contact.id) OFFSET 0) shown",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let contact = |(customer, id, name, tags)| (CustomerId(customer), TaggedContact { id: ContactId(id), name, tags });
    Ok(rows.into_iter().map(contact).collect())
}
