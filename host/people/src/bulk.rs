//! Customers of many recipients at once, for dispatch.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind, with_spellings},
    clock::IdSource,
    ids::{ClientId, CustomerId},
};

use storage::{
    PgConnection, Result,
    people::customers::{self, addresses},
};

use crate::{
    chats::FoldedChats,
    introduction::{IntroducedCustomers, Introduction},
    resolve::{introduce, keep_changing, report},
};

/// Returns the customers of recipients in their order, and creates unknown ones, in a few statements. Pass the address
/// that is written to. A second address from the client is a claim, not evidence: it merges and names no customer.
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

/// Returns the customers of sent messages in their order. Each has the address that was written to and the provider's
/// addresses of the same person: a canonical phone number (Brazil, Argentina, Mexico), a BSUID. These are evidence:
/// they name the customer and may merge two ([`introduce`]). The used address stays an alias of a canonical one.
/// Known addresses cost one statement, and new BSUIDs a few for all.
pub async fn resolve_sent(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    sent: &[(&Address, &[Address])],
    now: DateTime<Utc>,
) -> Result<IntroducedCustomers<Vec<CustomerId>>> {
    let mut folded: Vec<FoldedChats> = Vec::new();
    let written: Vec<&Address> = sent.iter().map(|(written, _)| *written).collect();
    let mut news: Vec<Sent<'_>> =
        sent.iter().copied().filter(|(to, named)| named.iter().any(|one| one != *to)).collect();
    if news.is_empty() {
        return Ok(IntroducedCustomers { who: resolve_many(db, client, ids, &written, now).await?, folded });
    }
    let mut wanted: Vec<Address> = sent.iter().flat_map(|(_, named)| named.iter()).cloned().collect();
    wanted.extend(written.iter().map(|address| (*address).clone()));
    wanted.sort();
    wanted.dedup();
    let (known, unused) = addresses::find_used(db, client, &wanted).await?;
    let is_news = |(to, named): &Sent<'_>| {
        let owner = known.get(*to);
        let is_first_told = |address: &Address| address != *to && unused.contains(address);
        owner.is_none() || named.iter().any(|address| known.get(address) != owner || is_first_told(address))
    };
    news.retain(is_news);
    let of_known: Option<Vec<CustomerId>> = written.iter().map(|address| known.get(*address).copied()).collect();
    if let (true, Some(customers)) = (news.is_empty(), of_known) {
        return Ok(IntroducedCustomers { who: customers, folded });
    }
    news.sort();
    news.dedup();
    let (plain, rest): (Vec<Sent<'_>>, Vec<Sent<'_>>) = news.into_iter().partition(|(to, named)| {
        named.iter().all(|one| one == *to || (one.kind() == AddressKind::Bsuid && !known.contains_key(one)))
    });
    let left = attach(db, client, ids, &plain, now).await?;
    for (to, named) in left.into_iter().chain(rest) {
        folded.extend(introduce(db, client, ids, introduction(to, named), now).await?.folded);
    }
    Ok(IntroducedCustomers { who: resolve_many(db, client, ids, &written, now).await?, folded })
}

/// A used address, and the provider's addresses of the same person.
type Sent<'a> = (&'a Address, &'a [Address]);

/// Gives new BSUIDs to customers without one. Returns the messages for which this is not clear.
async fn attach<'a>(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    plain: &[Sent<'a>],
    now: DateTime<Utc>,
) -> Result<Vec<Sent<'a>>> {
    if plain.is_empty() {
        return Ok(Vec::new());
    }
    let written: Vec<&Address> = plain.iter().map(|(to, _)| *to).collect();
    let owners = resolve_many(db, client, ids, &written, now).await?;
    let have_one = addresses::with_bsuid(db, client, &owners).await?;
    let mut pairs = Vec::with_capacity(plain.len());
    let mut left = Vec::new();
    for (owner, one) in owners.into_iter().zip(plain) {
        if have_one.contains(&owner) {
            left.push(*one);
        } else {
            pairs.extend(one.1.iter().filter(|address| *address != one.0).map(|address| (address.clone(), owner)));
        }
    }
    pairs.sort();
    let inserted = addresses::insert(db, client, &pairs, |_| now).await?;
    let changed: BTreeSet<CustomerId> = pairs.iter().map(|(_, owner)| *owner).collect();
    report(db, client, ids, &changed, now).await?;
    if inserted < pairs.len() {
        // One was taken by another transaction, or two people have it: each is resolved separately.
        return Ok(plain.to_vec());
    }
    let current: Vec<Address> = written.into_iter().cloned().collect();
    addresses::touch(db, client, &current, now).await?;
    Ok(left)
}

fn introduction(written: &Address, named: &[Address]) -> Introduction {
    let canonical = named.iter().any(|address| address.kind() == written.kind() && address != written);
    let mut addresses = named.to_vec();
    if !canonical {
        addresses.push(written.clone());
    }
    Introduction { addresses, replaced: canonical.then(|| written.clone()), ..Introduction::default() }
}

/// Creates a customer for each of the sorted `wanted`. If another transaction was faster, its customer counts. Both
/// spellings of a number are one customer; a customer that is known by the other spelling is used.
async fn create_missing(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    wanted: &[Address],
    now: DateTime<Utc>,
) -> Result<HashMap<Address, CustomerId>> {
    let spellings = with_spellings(wanted);
    let known =
        if spellings.len() > wanted.len() { addresses::find(db, client, &spellings).await? } else { HashMap::new() };
    let mut owners: BTreeMap<Address, CustomerId> = BTreeMap::new();
    let mut created: Vec<CustomerId> = Vec::new();
    for address in wanted {
        let other = address.other_spelling();
        let of_other = other.as_ref().and_then(|other| known.get(other).or_else(|| owners.get(other)).copied());
        let owner = of_other.unwrap_or_else(|| {
            let new = CustomerId(ids.mint(now));
            created.push(new);
            new
        });
        owners.insert(address.clone(), owner);
        if let Some(other) = other.filter(|other| !known.contains_key(other)) {
            owners.insert(other, owner);
        }
    }
    if !created.is_empty() {
        customers::create(db, client, &created, now).await?;
    }
    let pairs: Vec<(Address, CustomerId)> = owners.into_iter().collect();
    let seen_at = |address: &Address| if wanted.binary_search(address).is_ok() { now } else { DateTime::UNIX_EPOCH };
    if addresses::insert(db, client, &pairs, seen_at).await? == pairs.len() {
        return Ok(pairs.into_iter().collect());
    }
    customers::remove_unused(db, client, &created).await?;
    addresses::find(db, client, wanted).await
}
