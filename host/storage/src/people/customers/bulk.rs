//! Customers of many recipients at once, for dispatch.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    clock::IdSource,
    ids::{ClientId, CustomerId},
};
use sqlx::PgConnection;

use super::{addresses, resolve};
use crate::{Error, Result};

/// The customers of recipients, in the order of `recipients`; unknown ones are created, all in a handful of statements.
/// Pass the address that is written to: another one that a client wrote beside it is a claim, not evidence, and neither
/// merges nor names anybody.
pub async fn resolve_many(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    recipients: &[&Address],
    now: DateTime<Utc>,
) -> Result<Vec<CustomerId>> {
    let mut wanted: Vec<Address> = recipients.iter().map(|address| (*address).clone()).collect();
    wanted.sort();
    wanted.dedup();
    let mut known = addresses::find(db, client, &wanted).await?;
    wanted.retain(|address| !known.contains_key(address));
    if !wanted.is_empty() {
        known.extend(create_missing(db, client, ids, &wanted, now).await?);
    }
    let customer = |address: &&Address| known.get(*address).copied().ok_or_else(keep_changing);
    recipients.iter().map(customer).collect()
}

/// Addresses were taken and given away again between two statements; the caller's transaction is tried again.
pub(super) fn keep_changing() -> Error {
    Error::Database(sqlx::Error::Protocol("the addresses of a customer keep changing; try again".to_owned()))
}

/// Creates a customer for each of `wanted`, which are sorted; where another transaction was faster, its customer counts.
async fn create_missing(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    wanted: &[Address],
    now: DateTime<Utc>,
) -> Result<HashMap<Address, CustomerId>> {
    let created: BTreeMap<Address, CustomerId> =
        wanted.iter().map(|address| (address.clone(), CustomerId(ids.mint(now)))).collect();
    let customers: Vec<CustomerId> = created.values().copied().collect();
    resolve::create(db, client, &customers, now).await?;
    let pairs: Vec<(Address, CustomerId)> = created.into_iter().collect();
    if addresses::insert(db, client, &pairs, now).await? == pairs.len() {
        return Ok(pairs.into_iter().collect());
    }
    resolve::remove_unused(db, client, &customers).await?;
    addresses::find(db, client, wanted).await
}
