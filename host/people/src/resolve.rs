use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind, with_spellings},
    clock::IdSource,
    ids::{ClientId, CustomerId},
};

use storage::{
    Error, PgConnection, Result,
    chat::{conversations, search},
    live_events::chat_updates,
    people::customers::{self, Customer, addresses},
    tenancy::contacts,
};

use crate::{
    chats::FoldedChats,
    conversations::fold_customer,
    introduction::{IntroducedCustomers, Introduction},
    merge::merge,
    passing,
};

/// Rounds in which another transaction may take an address; the next round sees it.
const ROUNDS: usize = 4;

/// Finds the customer by its addresses, creates it, or merges two customers if the event shows that they are one
/// person. A phone number of another person merges no customers. Only for events of a provider: claims of a client in a
/// request must not merge people ([`crate::resolve_many`]). Names and a parent id replace the stored ones. An
/// introduction without addresses creates a customer that cannot be found again. Writes nothing if all facts are stored
/// already.
pub async fn introduce(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    introduction: Introduction,
    now: DateTime<Utc>,
) -> Result<IntroducedCustomers<Customer>> {
    let (introduced, changed) = store(db, client, ids, introduction, now).await?;
    report(db, client, ids, &changed, now).await?;
    Ok(introduced)
}

/// [`introduce`] without a report. Also returns the customers with changes, for the caller to report.
async fn store(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    introduction: Introduction,
    now: DateTime<Utc>,
) -> Result<(IntroducedCustomers<Customer>, BTreeSet<CustomerId>)> {
    if let Some(known) = known_as(db, client, &introduction).await? {
        return Ok((IntroducedCustomers { who: known, folded: Vec::new() }, BTreeSet::new()));
    }
    let named = introduction.named_addresses();
    let mut found = addresses::find(db, client, &named).await?;
    let mut changed = passing::pass_on(db, client, &named, None, &mut found).await?;
    let is_new = found.is_empty();
    let current = introduction.current();
    let all = NamedAddresses { named: &named, current: &current, found };
    let IntroducedCustomers { who: customer, folded } = settle(db, client, ids, all, now).await?;
    if !is_new {
        addresses::touch(db, client, &current, now).await?;
        changed.insert(customer);
    }
    customers::describe(db, client, customer, introduction.names()).await?;
    let known = customers::find(db, client, customer).await?;
    let who = known.unwrap_or_else(|| introduction.customer(customer));
    Ok((IntroducedCustomers { who, folded }, changed))
}

/// Reports that the chats of these customers show other facts.
pub(crate) async fn report(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    changed: &BTreeSet<CustomerId>,
    now: DateTime<Utc>,
) -> Result<()> {
    let changed: Vec<CustomerId> = changed.iter().copied().collect();
    chat_updates::of_customers(db, client, &changed, (ids.mint(now), now)).await
}

/// Returns the customer if all facts are stored already. This is usual, because most messages come from known
/// customers; then nothing is written.
async fn known_as(db: &mut PgConnection, client: ClientId, introduction: &Introduction) -> Result<Option<Customer>> {
    let (None, Some(address)) = (&introduction.replaced, introduction.addresses.first()) else { return Ok(None) };
    let Some(known) = customers::find_by_address(db, client, address).await? else { return Ok(None) };
    let is_shown = |address: &Address| known.addresses.shown(address.kind()) == Some(address);
    let are_shown = introduction.addresses.iter().all(is_shown);
    let told_of = [
        (&introduction.name, &known.name),
        (&introduction.username, &known.username),
        (&introduction.parent_user_id, &known.parent_user_id),
    ];
    let is_described = told_of.into_iter().all(|(told, known)| told.is_none() || told == known);
    Ok((are_shown && is_described).then_some(known))
}

/// Replaces the address `old` of a customer (PROVIDERS A.10 `user_changed_number`). The addresses of the introduction
/// become its own, and the old address is removed, because another person may get it. `None` if the customer is
/// unknown.
pub async fn change_address(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    old: &Address,
    introduction: Introduction,
    now: DateTime<Utc>,
) -> Result<IntroducedCustomers<Option<CustomerId>>> {
    let named = with_spellings(introduction.addresses.iter().chain(&introduction.replaced).chain([old]));
    let mut found = addresses::find(db, client, &named).await?;
    let mut changed = passing::pass_on(db, client, &named, Some(old), &mut found).await?;
    if found.is_empty() {
        report(db, client, ids, &changed, now).await?;
        return Ok(IntroducedCustomers { who: None, folded: Vec::new() });
    }
    let current = introduction.current();
    let all = NamedAddresses { named: &named, current: &current, found };
    let IntroducedCustomers { who: customer, mut folded } = settle(db, client, ids, all, now).await?;
    if !introduction.addresses.iter().any(|address| address.is_same(old)) {
        addresses::remove(db, client, old).await?;
    }
    let number = introduction.addresses.iter().find(|address| address.kind() == AddressKind::Phone).cloned();
    let (same, also_changed) = store(db, client, ids, introduction, now).await?;
    folded.extend(same.folded);
    let same = same.who.id;
    debug_assert_eq!(same, customer);
    if let Some(number) = number {
        conversations::readdress(db, client, same, old.value(), number.value()).await?;
    }
    search::customer_changed(db, client, same).await?;
    changed.insert(same);
    changed.extend(also_changed);
    report(db, client, ids, &changed, now).await?;
    Ok(IntroducedCustomers { who: Some(same), folded })
}

/// The addresses of one customer.
struct NamedAddresses<'a> {
    named: &'a [Address],
    /// Those that the customer has now. The others count as older than all others.
    current: &'a [Address],
    /// The known customers of `named`.
    found: HashMap<Address, CustomerId>,
}

/// Makes all named addresses point to one customer.
async fn settle(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    NamedAddresses { named, current, mut found }: NamedAddresses<'_>,
    now: DateTime<Utc>,
) -> Result<IntroducedCustomers<CustomerId>> {
    let seen_at = |address: &Address| if current.contains(address) { now } else { DateTime::UNIX_EPOCH };
    let mut created = None;
    let mut folded: Vec<FoldedChats> = Vec::new();
    for _ in 0..ROUNDS {
        let known: BTreeSet<CustomerId> = found.values().copied().collect();
        let mut known = known.into_iter();
        let customer = match (known.next(), created) {
            (Some(oldest), _) => oldest,
            (None, Some(created)) => created,
            (None, None) => {
                let id = CustomerId(ids.mint(now));
                customers::create(db, client, &[id], now).await?;
                created = Some(id);
                id
            }
        };
        for other in known {
            folded.extend(merge(db, client, customer, other, now).await?);
            fold_customer(db, client, customer, other, now).await?;
        }
        let missing = named.iter().filter(|address| !found.contains_key(*address));
        let missing: Vec<(Address, CustomerId)> = missing.map(|address| (address.clone(), customer)).collect();
        if missing.is_empty() || addresses::insert(db, client, &missing, seen_at).await? == missing.len() {
            if let Some(unused) = created.filter(|created| *created != customer) {
                customers::remove_unused(db, client, &[unused]).await?;
            }
            if created != Some(customer) {
                for (address, _) in missing.iter().filter(|(address, _)| address.kind() == AddressKind::Phone) {
                    contacts::learn_number(db, client, customer, address.value()).await?;
                }
            }
            return Ok(IntroducedCustomers { who: customer, folded });
        }
        // Another transaction took one of them and has committed: look again.
        found = addresses::find(db, client, named).await?;
    }
    // Only a series of merges of the same customers gets here.
    Err(keep_changing())
}

/// Addresses changed their owner between two statements. The caller's transaction is tried again.
pub(crate) fn keep_changing() -> Error {
    Error::overtaken("the addresses of a customer keep changing; try again")
}
