//! A phone number that has passed from one person to another. Numbers are given to somebody else some day, user ids are not
//! (SPEC 1): where the user id of an event says so, the number goes over, and nobody is merged.

use std::collections::HashMap;

use domain::{
    address::{Address, AddressKind},
    ids::{ClientId, CustomerId},
};
use sqlx::PgConnection;

use super::addresses;
use crate::Result;

/// Takes the phone numbers of an event away from customers who are somebody else, in the database and in `found`. `named` is
/// what the event names; `old` of it is the number of the person before, where the event tells of a change.
///
/// A customer is somebody else who has a user id, none that the event names, and either was seen at another number since, or
/// the event is about a person who has another number.
pub(super) async fn pass_on(
    db: &mut PgConnection,
    client: ClientId,
    named: &[Address],
    old: Option<&Address>,
    found: &mut HashMap<Address, CustomerId>,
) -> Result<()> {
    let is_phone = |address: &Address| address.kind() == AddressKind::Phone;
    let says_who = |address: &Address| address.kind() == AddressKind::Bsuid || old == Some(address);
    for phone in named.iter().filter(|address| is_phone(address) && old != Some(*address)) {
        let Some(owner) = found.get(phone).copied() else { continue };
        let is_owners = |address: &&Address| found.get(*address) == Some(&owner);
        let mut others = named.iter().filter(|address| *address != phone);
        if others.any(|address| is_owners(&address)) || named.iter().all(|address| is_owners(&address)) {
            continue;
        }
        let known = addresses::of_customer(db, client, owner).await?;
        let has_user_id = known.iter().any(|address| address.kind() == AddressKind::Bsuid);
        let was_seen_elsewhere = known.iter().find(|address| is_phone(address)) != Some(phone);
        if has_user_id && (was_seen_elsewhere || has_another_number(db, client, named, says_who, found, phone).await?) {
            addresses::remove(db, client, phone).await?;
            found.remove(phone);
        }
    }
    Ok(())
}

/// Whether one of those whom the event is about has another number than `phone`.
async fn has_another_number(
    db: &mut PgConnection,
    client: ClientId,
    named: &[Address],
    says_who: impl Fn(&Address) -> bool,
    found: &HashMap<Address, CustomerId>,
    phone: &Address,
) -> Result<bool> {
    for person in named.iter().filter(|address| says_who(address)).filter_map(|address| found.get(address)) {
        let known = addresses::of_customer(db, client, *person).await?;
        if known.iter().any(|address| address.kind() == AddressKind::Phone && address != phone) {
            return Ok(true);
        }
    }
    Ok(false)
}
