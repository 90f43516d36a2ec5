//! From what an event says to the one customer it is about.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    clock::IdSource,
    ids::{ClientId, CustomerId},
};
use sqlx::PgConnection;

use super::{
    NewIdentity,
    identities::{self, Key, PHONE},
    merge,
};
use crate::Result;

/// How often an identity may turn out to have been taken meanwhile; each time, the next round sees it.
const ROUNDS: usize = 4;

/// Finds the customer by phone or BSUID, creates it, or merges two into one when the event shows that they are the same
/// person. Only for events of a provider: what a client claims in a request must not merge people ([`super::resolve_many`]).
/// Names replace what is known. An identity without phone and BSUID creates a customer that nothing will find again.
pub async fn resolve(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    identity: NewIdentity,
    now: DateTime<Utc>,
) -> Result<CustomerId> {
    let keys = identities::keys(&identity);
    let found = identities::find(db, client, &keys).await?;
    let customer = settle(db, client, ids, &keys, found, now).await?;
    // The replaced BSUID stays an alias: it must not become the one that is shown.
    let current: Vec<Key> =
        keys.into_iter().filter(|(_, value)| identity.previous_bsuid.as_deref() != Some(value.as_str())).collect();
    identities::touch(db, client, &current, now).await?;
    rename(db, client, customer, &identity).await?;
    Ok(customer)
}

/// A customer has another phone number (PROVIDERS A.10 `user_changed_number`): the new one and the new BSUID become its
/// identities, the old number is forgotten because it may be given to somebody else. `None` when the customer was never
/// heard of.
pub async fn change_number(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    old_phone: &str,
    identity: NewIdentity,
    now: DateTime<Utc>,
) -> Result<Option<CustomerId>> {
    let old: Key = (PHONE, old_phone.to_owned());
    let mut keys = identities::keys(&identity);
    keys.push(old.clone());
    keys.sort();
    keys.dedup();
    let found = identities::find(db, client, &keys).await?;
    if found.is_empty() {
        return Ok(None);
    }
    let customer = settle(db, client, ids, &keys, found, now).await?;
    if identity.phone.as_deref() != Some(old_phone) {
        identities::remove(db, client, &old).await?;
    }
    resolve(db, client, ids, identity, now).await.map(|same| {
        debug_assert_eq!(same, customer);
        Some(same)
    })
}

/// Makes all `keys` point at one customer. `found` is what is known of them.
async fn settle(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    keys: &[Key],
    mut found: HashMap<Key, CustomerId>,
    now: DateTime<Utc>,
) -> Result<CustomerId> {
    let mut created = None;
    for _ in 0..ROUNDS {
        let known: BTreeSet<CustomerId> = found.values().copied().collect();
        let mut known = known.into_iter();
        let customer = match (known.next(), created) {
            (Some(oldest), _) => oldest,
            (None, Some(created)) => created,
            (None, None) => {
                let id = CustomerId(ids.mint(now));
                create(db, client, &[id], now).await?;
                created = Some(id);
                id
            }
        };
        for other in known {
            merge::merge(db, client, customer, other).await?;
        }
        let missing = keys.iter().filter(|key| !found.contains_key(*key));
        let missing: Vec<(Key, CustomerId)> = missing.map(|key| (key.clone(), customer)).collect();
        if missing.is_empty() || identities::insert(db, client, &missing, now).await? == missing.len() {
            if let Some(unused) = created.filter(|created| *created != customer) {
                remove_unused(db, client, &[unused]).await?;
            }
            return Ok(customer);
        }
        // Somebody else took one of them in the meantime, and has committed: look again.
        found = identities::find(db, client, keys).await?;
    }
    // Only a stream of merges of the same people gets here; the caller's transaction is tried again.
    Err(crate::Error::Database(sqlx::Error::Protocol(
        "the identities of a customer keep changing; try again".to_owned(),
    )))
}

/// Adds customers of whom nothing is known yet.
pub(super) async fn create(
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

/// Removes those of `customers` that no identity points at: another transaction was faster.
pub(super) async fn remove_unused(db: &mut PgConnection, client: ClientId, customers: &[CustomerId]) -> Result<()> {
    sqlx::query(
        "DELETE FROM customer WHERE client_id = $1 AND id = ANY($2) AND merged_into IS NULL AND NOT EXISTS (
             SELECT 1 FROM customer_identity i WHERE i.client_id = $1 AND i.customer_id = customer.id)",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

async fn rename(db: &mut PgConnection, client: ClientId, customer: CustomerId, identity: &NewIdentity) -> Result<()> {
    if identity.name.is_none() && identity.username.is_none() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE customer SET full_name = COALESCE($3, full_name), username = COALESCE($4, username)
         WHERE client_id = $1 AND id = $2
           AND (full_name, username) IS DISTINCT FROM (COALESCE($3, full_name), COALESCE($4, username))",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(identity.name.as_deref())
    .bind(identity.username.as_deref())
    .execute(db)
    .await?;
    Ok(())
}
