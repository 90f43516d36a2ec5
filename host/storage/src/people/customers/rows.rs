use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId};

use crate::{PgConnection, Result};

pub async fn create(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query("INSERT INTO customer (client_id, id, created_at) SELECT $1, id, $3 FROM unnest($2::uuid[]) AS id")
        .bind(client.0)
        .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

/// Removes customers without an address, because another transaction was faster.
pub async fn remove_unused(db: &mut PgConnection, client: ClientId, customers: &[CustomerId]) -> Result<()> {
    sqlx::query(
        "DELETE FROM customer
         USING (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) new
         WHERE customer.client_id = new.client_id AND customer.id = new.id AND customer.merged_into IS NULL
           AND (SELECT count(*) FROM customer_address address
                WHERE address.client_id = new.client_id AND address.customer_id = new.id) = 0",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct CustomerNames<'a> {
    pub name: Option<&'a str>,
    pub username: Option<&'a str>,
    pub parent_user_id: Option<&'a str>,
}

pub async fn describe(
    db: &mut PgConnection,
    client: ClientId,
    customer: CustomerId,
    names: CustomerNames<'_>,
) -> Result<()> {
    let CustomerNames { name, username, parent_user_id } = names;
    if name.is_none() && username.is_none() && parent_user_id.is_none() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE customer SET full_name = COALESCE($3, full_name), username = COALESCE($4, username),
                             parent_user_id = COALESCE($5, parent_user_id)
         WHERE client_id = $1 AND id = $2
           AND (full_name, username, parent_user_id)
               IS DISTINCT FROM (COALESCE($3, full_name), COALESCE($4, username), COALESCE($5, parent_user_id))",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(name)
    .bind(username)
    .bind(parent_user_id)
    .execute(db)
    .await?;
    Ok(())
}
