//! Resolves the facts of an event to one customer.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    clock::IdSource,
    ids::{ClientId, CustomerId},
};

use super::{Customer, Introduction, Met, addresses, find, find_by_address, merge, passing};
use crate::{
    Error, PgConnection, Result,
    chat::{conversations, participants::Folded, search},
    tenancy::contacts,
};

/// Rounds in which another transaction may take an address; the next round sees it.
const ROUNDS: usize = 4;

/// Finds the customer by its addresses, creates it, or merges two customers if the event shows that they are one
/// person. A phone number of another person merges no customers. Only for events of a provider: claims of a client in a
/// request must not merge people ([`super::resolve_many`]). Names and a parent id replace the stored ones. An
/// introduction without addresses creates a customer that cannot be found again. Writes nothing if all facts are stored
/// already.
pub async fn introduce(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    introduction: Introduction,
    now: DateTime<Utc>,
) -> Result<Met<Customer>> {
    if let Some(known) = known_as(db, client, &introduction).await? {
        return Ok(Met { who: known, folded: Vec::new() });
    }
    let named = addresses::named(&introduction);
    let mut found = addresses::find(db, client, &named).await?;
    passing::pass_on(db, client, &named, None, &mut found).await?;
    let is_new = found.is_empty();
    // The replaced address and the other spellings of numbers stay aliases and must not become the shown ones.
    let current = current(&introduction);
    let Met { who: customer, folded } = settle(db, client, ids, (&named, &current), found, now).await?;
    if !is_new {
        addresses::touch(db, client, &current, now).await?;
    }
    describe(db, client, customer, &introduction).await?;
    let known = find(db, client, customer).await?;
    Ok(Met { who: known.unwrap_or_else(|| introduction.customer(customer)), folded })
}

/// The shown addresses of a customer after an event.
fn current(introduction: &Introduction) -> Vec<Address> {
    let is_replaced = |address: &&Address| introduction.replaced.as_ref() == Some(*address);
    introduction.addresses.iter().filter(|address| !is_replaced(address)).cloned().collect()
}

/// Returns the customer if all facts are stored already. This is usual, because most messages come from known
/// customers; then nothing is written.
async fn known_as(db: &mut PgConnection, client: ClientId, introduction: &Introduction) -> Result<Option<Customer>> {
    let (None, Some(address)) = (&introduction.replaced, introduction.addresses.first()) else { return Ok(None) };
    let Some(known) = find_by_address(db, client, address).await? else { return Ok(None) };
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
) -> Result<Met<Option<CustomerId>>> {
    let named = addresses::with_spellings(introduction.addresses.iter().chain(&introduction.replaced).chain([old]));
    let mut found = addresses::find(db, client, &named).await?;
    passing::pass_on(db, client, &named, Some(old), &mut found).await?;
    if found.is_empty() {
        return Ok(Met { who: None, folded: Vec::new() });
    }
    let current = current(&introduction);
    let Met { who: customer, mut folded } = settle(db, client, ids, (&named, &current), found, now).await?;
    if !introduction.addresses.iter().any(|address| address.is_same(old)) {
        addresses::remove(db, client, old).await?;
    }
    let number = introduction.addresses.iter().find(|address| address.kind() == AddressKind::Phone).cloned();
    let same = introduce(db, client, ids, introduction, now).await?;
    folded.extend(same.folded);
    let same = same.who.id;
    debug_assert_eq!(same, customer);
    if let Some(number) = number {
        conversations::readdress(db, client, same, (old.value(), number.value())).await?;
    }
    search::customer_changed(db, client, same).await?;
    Ok(Met { who: Some(same), folded })
}

/// Makes all addresses of `named` point to one customer. `found` are their known customers. Addresses that are not
/// `current` are older than all others.
async fn settle(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    (named, current): (&[Address], &[Address]),
    mut found: HashMap<Address, CustomerId>,
    now: DateTime<Utc>,
) -> Result<Met<CustomerId>> {
    let seen_at = |address: &Address| if current.contains(address) { now } else { DateTime::UNIX_EPOCH };
    let mut created = None;
    let mut folded: Vec<Folded> = Vec::new();
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
            folded.extend(merge::merge(db, client, customer, other, now).await?);
            conversations::fold_customer(db, client, customer, other, now).await?;
        }
        let missing = named.iter().filter(|address| !found.contains_key(*address));
        let missing: Vec<(Address, CustomerId)> = missing.map(|address| (address.clone(), customer)).collect();
        if missing.is_empty() || addresses::insert(db, client, &missing, seen_at).await? == missing.len() {
            if let Some(unused) = created.filter(|created| *created != customer) {
                remove_unused(db, client, &[unused]).await?;
            }
            if created != Some(customer) {
                for (address, _) in missing.iter().filter(|(address, _)| address.kind() == AddressKind::Phone) {
                    contacts::learn_number(db, client, customer, address.value()).await?;
                }
            }
            return Ok(Met { who: customer, folded });
        }
        // Another transaction took one of them and has committed: look again.
        found = addresses::find(db, client, named).await?;
    }
    // Only a series of merges of the same customers gets here.
    Err(keep_changing())
}

/// Inserts customers without facts.
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

/// Removes customers without an address, because another transaction was faster.
pub(super) async fn remove_unused(db: &mut PgConnection, client: ClientId, customers: &[CustomerId]) -> Result<()> {
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

/// Stores the names and ids of a customer; absent values stay.
async fn describe(
    db: &mut PgConnection,
    client: ClientId,
    customer: CustomerId,
    introduction: &Introduction,
) -> Result<()> {
    let Introduction { name, username, parent_user_id, .. } = introduction;
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
    .bind(name.as_deref())
    .bind(username.as_deref())
    .bind(parent_user_id.as_deref())
    .execute(db)
    .await?;
    Ok(())
}

/// Addresses changed their owner between two statements. The caller's transaction is tried again.
pub(super) fn keep_changing() -> Error {
    Error::Database(sqlx::Error::Protocol("the addresses of a customer keep changing; try again".to_owned()))
}
