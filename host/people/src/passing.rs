//! Phone numbers that pass from one person to another. Numbers are reassigned in time, user ids are not (SPEC 1). If
//! the user id of an event shows it, the number is transferred and no customers are merged.

use std::collections::{BTreeSet, HashMap};

use domain::{
    address::{Address, AddressKind},
    ids::{ClientId, CustomerId},
};

use storage::{PgConnection, Result, people::customers::addresses};

/// Takes the phone numbers of an event away from customers who are other persons, in the database and in `found`.
/// `named` are the addresses of the event; `old` of it is the number of the previous person, if the event reports a
/// change.
///
/// A customer is another person if it has a user id that the event does not name, and either was seen at another number
/// since, or the event is about a person with another number. Returns the customers that lost a number.
pub(crate) async fn pass_on(
    db: &mut PgConnection,
    client: ClientId,
    named: &[Address],
    old: Option<&Address>,
    found: &mut HashMap<Address, CustomerId>,
) -> Result<BTreeSet<CustomerId>> {
    let is_phone = |address: &Address| address.kind() == AddressKind::Phone;
    let is_old = |address: &Address| old.is_some_and(|old| old.is_same(address));
    let says_who: Vec<&Address> =
        named.iter().filter(|address| address.kind().is_for_life() || is_old(address)).collect();
    let phones: Vec<&Address> = named.iter().filter(|address| is_phone(address) && !is_old(address)).collect();
    let mut losers = BTreeSet::new();
    for phone in phones {
        let Some(owner) = found.get(phone).copied() else { continue };
        // Both spellings of a number are one address.
        let others: Vec<&Address> = named.iter().filter(|address| !address.is_same(phone)).collect();
        if others.is_empty() || others.iter().any(|address| found.get(*address) == Some(&owner)) {
            continue;
        }
        let known = addresses::of_customer(db, client, owner).await?;
        let has_user_id = known.iter().any(|address| address.kind().is_for_life());
        let was_seen_elsewhere =
            !known.iter().find(|address| is_phone(address)).is_some_and(|last| last.is_same(phone));
        if has_user_id && (was_seen_elsewhere || has_another_number(db, client, &says_who, found, phone).await?) {
            addresses::remove(db, client, phone).await?;
            found.retain(|address, _| !address.is_same(phone));
            losers.insert(owner);
        }
    }
    Ok(losers)
}

async fn has_another_number(
    db: &mut PgConnection,
    client: ClientId,
    says_who: &[&Address],
    found: &HashMap<Address, CustomerId>,
    phone: &Address,
) -> Result<bool> {
    for person in says_who.iter().filter_map(|address| found.get(*address)) {
        let known = addresses::of_customer(db, client, *person).await?;
        if known.iter().any(|address| address.kind() == AddressKind::Phone && !address.is_same(phone)) {
            return Ok(true);
        }
    }
    Ok(false)
}
