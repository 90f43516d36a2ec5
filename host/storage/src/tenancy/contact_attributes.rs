//! Attributes that a client defines for its contacts, and their values (ADR 0071). Values belong to customers. A contact
//! shows those of all its customers, the newest one of each name.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    contact_attribute::{AttributeChange, AttributeDefinition, AttributeName, AttributeType, AttributeValue},
    ids::{ClientId, CustomerId},
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values};

/// The values of a contact, by name.
pub type AttributeValues = Vec<(AttributeName, AttributeValue)>;

const DEFINITIONS: &str = "contact_attribute";
const VALUES: &str = "contact_attribute_value";

#[derive(sqlx::FromRow)]
struct DefinitionRow {
    name: String,
    label: String,
    #[sqlx(rename = "type")]
    kind: String,
    choices: Vec<String>,
}

impl TryFrom<DefinitionRow> for AttributeDefinition {
    type Error = crate::Error;

    fn try_from(row: DefinitionRow) -> Result<Self> {
        let DefinitionRow { name, label, kind, choices } = row;
        let name = column_values::read_value(DEFINITIONS, "name", &name, AttributeName::parse)?;
        let kind =
            column_values::read_value(DEFINITIONS, "type", &kind, |kind| AttributeType::from_name(kind, choices))?;
        Ok(Self { name, label, kind })
    }
}

/// Returns the definitions of a client by name.
pub async fn definitions(db: &mut PgConnection, client: ClientId) -> Result<Vec<AttributeDefinition>> {
    let rows: Vec<DefinitionRow> = sqlx::query_as(
        "SELECT name, label, type, choices FROM contact_attribute WHERE client_id = $1 ORDER BY client_id, name",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(AttributeDefinition::try_from).collect()
}

/// Stores a definition, or replaces label and choices of the one with this name and type.
pub async fn save(db: &mut PgConnection, client: ClientId, definition: &AttributeDefinition) -> Result<()> {
    sqlx::query(
        "INSERT INTO contact_attribute (client_id, name, label, type, choices) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (client_id, name) DO UPDATE SET label = excluded.label, choices = excluded.choices",
    )
    .bind(client.0)
    .bind(definition.name.as_str())
    .bind(&definition.label)
    .bind(definition.kind.as_str())
    .bind(definition.kind.choices())
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes at most `limit` values of an attribute. Fewer than `limit`: these were the last.
pub async fn delete_values(db: &mut PgConnection, client: ClientId, name: &AttributeName, limit: i64) -> Result<u64> {
    let done = sqlx::query(
        "DELETE FROM contact_attribute_value WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM contact_attribute_value WHERE client_id = $1 AND name = $2 LIMIT $3 FOR UPDATE))",
    )
    .bind(client.0)
    .bind(name.as_str())
    .bind(limit)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes a definition and the rest of its values. Returns false if there is none.
pub async fn delete(db: &mut PgConnection, client: ClientId, name: &AttributeName) -> Result<bool> {
    let done = sqlx::query("DELETE FROM contact_attribute WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name.as_str())
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns the values that customers show. If a customer has a contact, its values and those of all customers of the
/// contact count, the newest one of each name. Customers without values are absent.
pub async fn of_customers(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
) -> Result<HashMap<CustomerId, AttributeValues>> {
    let rows: Vec<(Uuid, String, String, String)> = sqlx::query_as(
        "SELECT DISTINCT ON (wanted.id, known.name) wanted.id, known.name, definition.type, known.value
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT wanted.id AS customer_id
             UNION
             SELECT one.customer_id
             FROM contact own
             CROSS JOIN LATERAL (
                 SELECT COALESCE((SELECT merge.kept_id FROM contact_merge merge
                                  WHERE merge.client_id = wanted.client_id AND merge.contact_id = own.id), own.id) AS id
                 OFFSET 0) shown
             CROSS JOIN LATERAL (
                 SELECT shown.id
                 UNION ALL
                 SELECT merge.contact_id FROM contact_merge merge
                 WHERE merge.client_id = wanted.client_id AND merge.kept_id = shown.id OFFSET 0) member
             CROSS JOIN LATERAL (
                 SELECT contact.customer_id FROM contact
                 WHERE contact.client_id = wanted.client_id AND contact.id = member.id OFFSET 0) one
             WHERE own.client_id = wanted.client_id AND own.customer_id = wanted.id) owner
         CROSS JOIN LATERAL (
             SELECT value.name, value.value, value.updated_at FROM contact_attribute_value value
             WHERE value.client_id = wanted.client_id AND value.customer_id = owner.customer_id OFFSET 0) known
         CROSS JOIN LATERAL (
             SELECT type FROM contact_attribute
             WHERE contact_attribute.client_id = wanted.client_id AND contact_attribute.name = known.name
             OFFSET 0) definition
         ORDER BY wanted.id, known.name, known.updated_at DESC, owner.customer_id",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let mut found: HashMap<CustomerId, AttributeValues> = HashMap::new();
    for (customer, name, kind, value) in rows {
        let name = column_values::read_value(VALUES, "name", &name, AttributeName::parse)?;
        // The value is personal data and stays out of the error.
        let value =
            column_values::read_value(VALUES, "value", name.as_str(), |_| AttributeValue::of_stored(&kind, value))?;
        found.entry(CustomerId(customer)).or_default().push((name, value));
    }
    Ok(found)
}

/// The same for one customer.
pub async fn of_customer(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<AttributeValues> {
    Ok(of_customers(db, client, &[customer]).await?.remove(&customer).unwrap_or_default())
}

/// Sets and removes values of a customer. A value is removed from all customers of its contact, so that none of them shows
/// through. Returns false if a definition was deleted or has another type by now: then the transaction must be rolled back.
pub async fn change(
    db: &mut PgConnection,
    client: ClientId,
    customer: CustomerId,
    changes: &[AttributeChange],
    now: DateTime<Utc>,
) -> Result<bool> {
    let removed: Vec<&str> =
        changes.iter().filter(|change| change.value.is_none()).map(|change| change.name.as_str()).collect();
    if !removed.is_empty() {
        remove(db, client, customer, &removed).await?;
    }
    let given: Vec<(&AttributeName, &AttributeValue)> =
        changes.iter().filter_map(|change| Some((&change.name, change.value.as_ref()?))).collect();
    if given.is_empty() {
        return Ok(true);
    }
    Ok(set(db, client, customer, &given, now).await? == given.len())
}

/// The locks keep the definitions, and let a merge of the customer finish first. Returns how many values were set.
async fn set(
    db: &mut PgConnection,
    client: ClientId,
    customer: CustomerId,
    given: &[(&AttributeName, &AttributeValue)],
    now: DateTime<Utc>,
) -> Result<usize> {
    let done = sqlx::query(
        "WITH owner AS MATERIALIZED (
             SELECT COALESCE(merged_into, id) AS id FROM customer WHERE client_id = $1 AND id = $2 FOR KEY SHARE),
         known AS MATERIALIZED (
             SELECT definition.name, wanted.value
             FROM (SELECT $1::uuid AS client_id, one.*
                   FROM unnest($3::text[], $4::text[], $5::text[]) AS one (name, type, value) OFFSET 0) wanted
             JOIN contact_attribute definition
                  ON definition.client_id = wanted.client_id AND definition.name = wanted.name
                     AND definition.type = wanted.type
             ORDER BY definition.name FOR KEY SHARE OF definition)
         INSERT INTO contact_attribute_value AS kept (client_id, customer_id, name, value, updated_at)
         SELECT $1, owner.id, known.name, known.value, $6 FROM owner CROSS JOIN known ORDER BY known.name
         ON CONFLICT (client_id, customer_id, name) DO UPDATE
             SET value = excluded.value, updated_at = excluded.updated_at",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(given.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())
    .bind(given.iter().map(|(_, value)| value.type_name()).collect::<Vec<_>>())
    .bind(given.iter().map(|(_, value)| value.stored()).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(usize::try_from(done.rows_affected()).unwrap_or(usize::MAX))
}

async fn remove(db: &mut PgConnection, client: ClientId, customer: CustomerId, names: &[&str]) -> Result<()> {
    sqlx::query(
        "DELETE FROM contact_attribute_value value
         USING (SELECT $1::uuid AS client_id, owner.customer_id, name
                FROM unnest($3::text[]) AS name
                CROSS JOIN (
                    SELECT COALESCE(merged_into, id) AS customer_id FROM customer WHERE client_id = $1 AND id = $2
                    UNION
                    SELECT one.customer_id
                    FROM contact own
                    CROSS JOIN LATERAL (
                        SELECT COALESCE((SELECT merge.kept_id FROM contact_merge merge
                                         WHERE merge.client_id = $1 AND merge.contact_id = own.id), own.id) AS id
                        OFFSET 0) shown
                    CROSS JOIN LATERAL (
                        SELECT shown.id
                        UNION ALL
                        SELECT merge.contact_id FROM contact_merge merge
                        WHERE merge.client_id = $1 AND merge.kept_id = shown.id OFFSET 0) member
                    CROSS JOIN LATERAL (
                        SELECT contact.customer_id FROM contact
                        WHERE contact.client_id = $1 AND contact.id = member.id OFFSET 0) one
                    WHERE own.client_id = $1 AND own.customer_id = $2) owner
                OFFSET 0) gone
         WHERE value.client_id = gone.client_id AND value.customer_id = gone.customer_id AND value.name = gone.name",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(names)
    .execute(db)
    .await?;
    Ok(())
}

/// Gives the values of `absorbed` to `survivor`, who is the same person. The newer value of a name stays.
pub async fn fold(db: &mut PgConnection, client: ClientId, survivor: CustomerId, absorbed: CustomerId) -> Result<()> {
    sqlx::query(
        "WITH gone AS (DELETE FROM contact_attribute_value WHERE client_id = $1 AND customer_id = $3 RETURNING *)
         INSERT INTO contact_attribute_value AS kept (client_id, customer_id, name, value, updated_at)
         SELECT client_id, $2, name, value, updated_at FROM gone
         ON CONFLICT (client_id, customer_id, name) DO UPDATE
             SET value = excluded.value, updated_at = excluded.updated_at
             WHERE kept.updated_at < excluded.updated_at",
    )
    .bind(client.0)
    .bind(survivor.0)
    .bind(absorbed.0)
    .execute(db)
    .await?;
    Ok(())
}
