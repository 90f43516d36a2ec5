//! Phone numbers and BSUIDs, each pointing at one customer of the client.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::NewIdentity;
use crate::Result;

/// Kind and value of an identity.
pub(super) type Key = (&'static str, String);

/// A phone number.
pub(super) const PHONE: &str = "PHONE";
/// A business-scoped user id.
pub(super) const BSUID: &str = "BSUID";

/// What an event names, sorted and without repetitions.
pub(super) fn keys(identity: &NewIdentity) -> Vec<Key> {
    let phone = identity.phone.iter().map(|value| (PHONE, value.clone()));
    let bsuids = [&identity.bsuid, &identity.previous_bsuid];
    let bsuids = bsuids.into_iter().flatten().map(|value| (BSUID, value.clone()));
    let mut keys: Vec<Key> = phone.chain(bsuids).filter(|(_, value)| !value.is_empty()).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// Whom identities belong to, as far as known.
pub(super) async fn find(db: &mut PgConnection, client: ClientId, keys: &[Key]) -> Result<HashMap<Key, CustomerId>> {
    let rows: Vec<(String, String, Uuid)> = sqlx::query_as(
        "SELECT kind, value, customer_id FROM customer_identity
         JOIN unnest($2::text[], $3::text[]) AS wanted (kind, value) USING (kind, value)
         WHERE client_id = $1",
    )
    .bind(client.0)
    .bind(keys.iter().map(|key| key.0).collect::<Vec<_>>())
    .bind(keys.iter().map(|key| key.1.as_str()).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let pair = |(kind, value, customer): (String, String, Uuid)| {
        let kind = if kind == PHONE { PHONE } else { BSUID };
        ((kind, value), CustomerId(customer))
    };
    Ok(rows.into_iter().map(pair).collect())
}

/// Adds identities that nobody has yet, and answers how many were still free. Pass them sorted: two transactions that
/// add the same ones then wait for each other instead of deadlocking.
pub(super) async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    identities: &[(Key, CustomerId)],
    now: DateTime<Utc>,
) -> Result<usize> {
    let done = sqlx::query(
        "INSERT INTO customer_identity (client_id, kind, value, customer_id, seen_at)
         SELECT $1, *, $5 FROM unnest($2::text[], $3::text[], $4::uuid[]) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(identities.iter().map(|identity| identity.0.0).collect::<Vec<_>>())
    .bind(identities.iter().map(|identity| identity.0.1.as_str()).collect::<Vec<_>>())
    .bind(identities.iter().map(|identity| identity.1.0).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(usize::try_from(done.rows_affected()).unwrap_or(usize::MAX))
}

/// Makes identities the ones that are shown and written to. Writes only where another one is newer, which is rare.
pub(super) async fn touch(db: &mut PgConnection, client: ClientId, keys: &[Key], now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE customer_identity identity SET seen_at = $4
         FROM unnest($2::text[], $3::text[]) AS named (kind, value)
         WHERE identity.client_id = $1 AND identity.kind = named.kind AND identity.value = named.value
           AND EXISTS (SELECT 1 FROM customer_identity other
                       WHERE other.client_id = $1 AND other.customer_id = identity.customer_id
                         AND other.kind = identity.kind AND other.value <> identity.value
                         AND other.seen_at >= identity.seen_at)",
    )
    .bind(client.0)
    .bind(keys.iter().map(|key| key.0).collect::<Vec<_>>())
    .bind(keys.iter().map(|key| key.1.as_str()).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets an identity, because it will be somebody else's.
pub(super) async fn remove(db: &mut PgConnection, client: ClientId, key: &Key) -> Result<()> {
    sqlx::query("DELETE FROM customer_identity WHERE client_id = $1 AND kind = $2 AND value = $3")
        .bind(client.0)
        .bind(key.0)
        .bind(&key.1)
        .execute(db)
        .await?;
    Ok(())
}
