//! Customers of many recipients at once, for dispatch.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    clock::IdSource,
    ids::{ClientId, CustomerId},
};
use sqlx::PgConnection;

use super::{
    NewIdentity,
    identities::{self, BSUID, Key, PHONE},
    resolve,
};
use crate::Result;

/// The customers of recipients, in the order of `recipients`; unknown ones are created, all in a handful of statements.
/// A recipient is looked up by the address that is used (the phone number when there is one): a BSUID that a client
/// wrote beside a phone number is a claim, not evidence, and neither merges nor names anybody.
pub async fn resolve_many(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    recipients: &[NewIdentity],
    now: DateTime<Utc>,
) -> Result<Vec<CustomerId>> {
    let addresses: Vec<Option<Key>> = recipients.iter().map(address).collect();
    let mut keys: Vec<Key> = addresses.iter().flatten().cloned().collect();
    keys.sort();
    keys.dedup();
    let mut known = identities::find(db, client, &keys).await?;
    keys.retain(|key| !known.contains_key(key));
    if !keys.is_empty() {
        known.extend(create_missing(db, client, ids, &keys, now).await?);
    }
    let mut customers = Vec::with_capacity(recipients.len());
    for (recipient, address) in recipients.iter().zip(addresses) {
        let customer = match address.and_then(|address| known.get(&address).copied()) {
            Some(customer) => customer,
            // Without an address there is nothing to share: a customer of its own.
            None => resolve::resolve(db, client, ids, recipient.clone(), now).await?,
        };
        customers.push(customer);
    }
    Ok(customers)
}

fn address(recipient: &NewIdentity) -> Option<Key> {
    let phone = recipient.phone.as_ref().map(|phone| (PHONE, phone.clone()));
    phone.or_else(|| recipient.bsuid.as_ref().map(|bsuid| (BSUID, bsuid.clone())))
}

/// Creates a customer for each of `keys`, which are sorted; where another transaction was faster, its customer counts.
async fn create_missing(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    keys: &[Key],
    now: DateTime<Utc>,
) -> Result<HashMap<Key, CustomerId>> {
    let created: BTreeMap<Key, CustomerId> = keys.iter().map(|key| (key.clone(), CustomerId(ids.mint(now)))).collect();
    let customers: Vec<CustomerId> = created.values().copied().collect();
    resolve::create(db, client, &customers, now).await?;
    let identities: Vec<(Key, CustomerId)> = created.into_iter().collect();
    if identities::insert(db, client, &identities, now).await? == identities.len() {
        return Ok(identities.into_iter().collect());
    }
    resolve::remove_unused(db, client, &customers).await?;
    identities::find(db, client, keys).await
}
