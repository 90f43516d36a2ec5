use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, with_spellings},
    ids::{ClientId, CustomerId},
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values};

fn kinds(addresses: &[Address]) -> Vec<&'static str> {
    addresses.iter().map(|address| address.kind().as_str()).collect()
}

fn values(addresses: &[Address]) -> Vec<&str> {
    addresses.iter().map(Address::value).collect()
}

pub async fn find(
    db: &mut PgConnection,
    client: ClientId,
    addresses: &[Address],
) -> Result<HashMap<Address, CustomerId>> {
    Ok(find_used(db, client, addresses).await?.0)
}

pub async fn find_used(
    db: &mut PgConnection,
    client: ClientId,
    addresses: &[Address],
) -> Result<(HashMap<Address, CustomerId>, HashSet<Address>)> {
    let rows: Vec<(String, String, Uuid, bool)> = sqlx::query_as(
        "SELECT known.kind, known.value, known.customer_id, known.seen_at > 'epoch'
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::text[], $3::text[]) AS one (kind, value) OFFSET 0) wanted
         JOIN customer_address known
              ON known.client_id = wanted.client_id AND known.kind = wanted.kind AND known.value = wanted.value",
    )
    .bind(client.0)
    .bind(kinds(addresses))
    .bind(values(addresses))
    .fetch_all(db)
    .await?;
    let (mut known, mut unused) = (HashMap::new(), HashSet::new());
    for (kind, value, customer, is_used) in rows {
        let address = column_values::address("customer_address", ("kind", "value"), &kind, &value)?;
        if !is_used {
            unused.insert(address.clone());
        }
        known.insert(address, CustomerId(customer));
    }
    Ok((known, unused))
}

pub async fn of_customer(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<Vec<Address>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT kind, value FROM customer_address WHERE client_id = $1 AND customer_id = $2
         ORDER BY seen_at DESC, kind, value",
    )
    .bind(client.0)
    .bind(customer.0)
    .fetch_all(db)
    .await?;
    let columns = ("kind", "value");
    rows.iter().map(|(kind, value)| column_values::address("customer_address", columns, kind, value)).collect()
}

/// The addresses of several customers.
pub async fn of_customers(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
) -> Result<HashMap<Address, CustomerId>> {
    let rows: Vec<(String, String, Uuid)> = sqlx::query_as(
        "SELECT address.kind, address.value, address.customer_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN customer_address address
              ON address.client_id = wanted.client_id AND address.customer_id = wanted.id",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let columns = ("kind", "value");
    let owned = |(kind, value, customer): (String, String, Uuid)| {
        let address = column_values::address("customer_address", columns, &kind, &value)?;
        Ok((address, CustomerId(customer)))
    };
    rows.into_iter().map(owned).collect()
}

pub async fn with_bsuid(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
) -> Result<HashSet<CustomerId>> {
    let rows: Vec<Uuid> = sqlx::query_scalar(
        "SELECT address.customer_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN customer_address address
              ON address.client_id = wanted.client_id AND address.customer_id = wanted.id AND address.kind = 'BSUID'",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(CustomerId).collect())
}

/// Returns how many were free. Pass them sorted, so that two transactions do not deadlock.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    addresses: &[(Address, CustomerId)],
    seen_at: impl Fn(&Address) -> DateTime<Utc>,
) -> Result<usize> {
    let done = sqlx::query(
        "INSERT INTO customer_address (client_id, kind, value, customer_id, seen_at)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::uuid[], $5::timestamptz[]) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(addresses.iter().map(|(address, _)| address.kind().as_str()).collect::<Vec<_>>())
    .bind(addresses.iter().map(|(address, _)| address.value()).collect::<Vec<_>>())
    .bind(addresses.iter().map(|(_, customer)| customer.0).collect::<Vec<_>>())
    .bind(addresses.iter().map(|(address, _)| seen_at(address)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(usize::try_from(done.rows_affected()).unwrap_or(usize::MAX))
}

/// Makes addresses the shown ones, which messages are sent to. Writes only if another one is newer, which is rare.
pub async fn touch(db: &mut PgConnection, client: ClientId, addresses: &[Address], now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE customer_address address SET seen_at = $4
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::text[], $3::text[]) AS one (kind, value) OFFSET 0) named
         WHERE address.client_id = named.client_id AND address.kind = named.kind AND address.value = named.value
           AND EXISTS (SELECT 1 FROM customer_address other
                       WHERE other.client_id = $1 AND other.customer_id = address.customer_id
                         AND other.kind = address.kind AND other.value <> address.value
                         AND other.seen_at >= address.seen_at)",
    )
    .bind(client.0)
    .bind(kinds(addresses))
    .bind(values(addresses))
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes an address in all its spellings, because it will belong to another person.
pub async fn remove(db: &mut PgConnection, client: ClientId, address: &Address) -> Result<()> {
    for spelled in with_spellings([address]) {
        sqlx::query("DELETE FROM customer_address WHERE client_id = $1 AND kind = $2 AND value = $3")
            .bind(client.0)
            .bind(spelled.kind().as_str())
            .bind(spelled.value())
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}
