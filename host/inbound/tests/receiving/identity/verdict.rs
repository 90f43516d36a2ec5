//! Compares the database with the possible knowledge.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{address::Address, ids::ClientId};
use storage::PgConnection;
use uuid::Uuid;

use super::people::World;

pub struct Found {
    pub addresses: BTreeMap<Address, Uuid>,
    /// Number of customers that were not merged into another.
    pub customers: i64,
}

/// A failure, with the seed of its life if it can be determined.
#[derive(Debug)]
pub struct Wrong {
    pub seed: Option<u64>,
    pub said: String,
}

impl Found {
    pub async fn load(db: &mut PgConnection, client: ClientId) -> Self {
        let rows = sqlx::query_as("SELECT kind, value, customer_id FROM customer_address WHERE client_id = $1");
        let rows: Vec<(String, String, Uuid)> = rows.bind(client.0).fetch_all(&mut *db).await.unwrap();
        let addresses =
            rows.into_iter().map(|(kind, value, id)| (Address::parse(&kind, &value).unwrap(), id)).collect();
        let live = "SELECT count(*) FROM customer WHERE client_id = $1 AND merged_into IS NULL";
        let customers = sqlx::query_scalar(live).bind(client.0).fetch_one(db).await.unwrap();
        Self { addresses, customers }
    }

    /// Only the addresses of one world.
    pub fn of_world(mut self, world: &World) -> Self {
        self.addresses.retain(|address, _| world.owns(address));
        self
    }
}

/// Checks that each known person is one customer, each customer one person, and no address is lost or extra.
pub fn judge(worlds: &[(u64, World)], found: &Found) -> Result<(), Wrong> {
    let mut of_customer: HashMap<Uuid, (u64, usize)> = HashMap::new();
    let mut expected = BTreeSet::new();
    let mut people = 0;
    for (seed, world) in worlds {
        for (at, known) in world.known.iter().enumerate() {
            let wrong = |said: String| Err(Wrong { seed: Some(*seed), said });
            people += 1;
            let customers: BTreeSet<Option<Uuid>> =
                known.addresses.iter().map(|address| found.addresses.get(address).copied()).collect();
            let addresses = &known.addresses;
            let customer = match customers.into_iter().collect::<Vec<_>>().as_slice() {
                [Some(customer)] => *customer,
                [] => continue,
                [None, ..] => return wrong(format!("dropped: one of {addresses:?} has no owner")),
                [Some(_), ..] => return wrong(format!("duplicated: {addresses:?} are several customers")),
            };
            if let Some(before) = of_customer.insert(customer, (*seed, at)) {
                return wrong(format!("wrongly merged: {addresses:?} with another of {before:?}"));
            }
            expected.extend(addresses.iter().cloned());
        }
    }
    let left_over: Vec<&Address> = found.addresses.keys().filter(|address| !expected.contains(*address)).collect();
    if let [first, ..] = left_over.as_slice() {
        let said = format!("{} addresses too many: {first:?}", left_over.len());
        return Err(Wrong { seed: place_of(worlds, first), said });
    }
    if people != found.customers {
        let said = format!("{people} people are {} customers", found.customers);
        return Err(Wrong { seed: None, said });
    }
    Ok(())
}

/// The seed of the world that owns an address.
fn place_of(worlds: &[(u64, World)], address: &Address) -> Option<u64> {
    worlds.iter().find(|(_, world)| world.owns(address)).map(|(seed, _)| *seed)
}
