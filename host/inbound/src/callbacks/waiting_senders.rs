//! The order of the items of one customer (ADR 0045). While a message or a referral waits for its next attempt, later
//! items of the same customer in the same inbox wait behind it, so that none overtakes it. Statuses of our messages wait
//! for no item.
//!
//! An item that fails ends after its last attempt, about 13 minutes later. If several fail one after another, an item waits
//! behind them for [`HELD_AT_MOST`] in all. Changes of messages hold no others: of several edits the latest counts in any
//! order of arrival, and a change waits for its own message.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::{Context, Result, lanes::Lease};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::{Address, with_spellings},
    change::Author,
    ids::{CallbackId, CustomerId},
    inbound::{CallbackBody, CallbackItem},
};
use parking_lot::Mutex;
use storage::{PgConnection, inbound::callbacks, people::customers::addresses as known_addresses};

use super::{item::Item, senders};

/// After this time since its arrival an item waits for no earlier one.
const HELD_AT_MOST: TimeDelta = TimeDelta::minutes(15);

/// The items of a lane that wait for their next attempt, of the customers of a page.
#[derive(Default)]
pub(super) struct WaitingSenders {
    waiting: Mutex<Vec<WaitingSender>>,
    /// The customers of the page that are known, by each of their addresses. Empty if no item waited before the page.
    owners: HashMap<Address, CustomerId>,
    /// True if no item of the page can add an address or merge customers. Then `owners` stays complete while the page
    /// is taken.
    knows_all: bool,
}

struct WaitingSender {
    item: CallbackId,
    sender: Sender,
    due_at: DateTime<Utc>,
}

/// The customer of an item: the addresses that the item names, and their owners.
struct Sender {
    addresses: Vec<Address>,
    customers: HashSet<CustomerId>,
}

impl Sender {
    fn of(body: &CallbackBody, owners: &HashMap<Address, CustomerId>) -> Self {
        let addresses = addresses(body);
        let customers = addresses.iter().filter_map(|address| owners.get(address).copied()).collect();
        Self { addresses, customers }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.addresses.iter().any(|address| other.addresses.contains(address))
            || !self.customers.is_disjoint(&other.customers)
    }
}

impl WaitingSenders {
    /// The waiting items of the customers of a page.
    pub(super) async fn of_page(ctx: &Context, lease: &Lease, page: &[Item]) -> Result<Self> {
        let named: Vec<Address> = page.iter().flat_map(|item| addresses(&item.body)).collect();
        if named.is_empty() {
            return Ok(Self::default());
        }
        let mut db = ctx.db.acquire().await?;
        let owners = owners_of(&mut db, lease, &named).await?;
        let knows_all = page.iter().all(|item| adds_no_address(&item.body, &owners));
        let senders: HashSet<&Address> = named.iter().chain(owners.keys()).collect();
        let senders: Vec<&Address> = senders.into_iter().collect();
        let page: Vec<CallbackId> = page.iter().map(|item| item.id).collect();
        let found = callbacks::put_off(&mut db, lease.client, lease.lane, &senders, &page).await?;
        drop(db);
        // An unreadable item is given up when it is due, so nothing waits for it.
        let waiting = found.into_iter().filter_map(|found| {
            let CallbackItem { body, .. } = found.item.ok()?;
            Some(WaitingSender { item: found.id, sender: Sender::of(&body, &owners), due_at: found.due_at })
        });
        let waiting = Mutex::new(waiting.collect());
        Ok(Self { waiting, owners, knows_all })
    }

    /// Notes that an item waits until `due_at`. Later items of its customer wait behind it, under any address of the customer.
    pub(super) async fn note(&self, ctx: &Context, lease: &Lease, item: &Item, due_at: DateTime<Utc>) -> Result<()> {
        if !holds_others(&item.body) {
            return Ok(());
        }
        let sender = if self.knows_all {
            Sender::of(&item.body, &self.owners)
        } else {
            // Later items of the page may name an address that the page did not know when it was read.
            let owners = owners_of(&mut *ctx.db.acquire().await?, lease, &addresses(&item.body)).await?;
            let mut sender = Sender::of(&item.body, &owners);
            sender.addresses.extend(owners.into_keys());
            sender
        };
        self.push(item, sender, due_at);
        Ok(())
    }

    fn push(&self, item: &Item, sender: Sender, due_at: DateTime<Utc>) {
        self.waiting.lock().push(WaitingSender { item: item.id, sender, due_at });
    }

    /// Puts off the items of a group that wait behind others, and returns the rest.
    pub(super) async fn let_through<'i>(
        &self,
        ctx: &Context,
        lease: &Lease,
        group: &[&'i Item],
    ) -> Result<Vec<&'i Item>> {
        let (mut free, mut held) = (Vec::with_capacity(group.len()), BTreeMap::<DateTime<Utc>, Vec<CallbackId>>::new());
        for item in group.iter().copied() {
            match self.held_until(item, ctx.now()) {
                None => free.push(item),
                Some(due_at) => {
                    if holds_others(&item.body) {
                        self.push(item, Sender::of(&item.body, &self.owners), due_at);
                    }
                    held.entry(due_at).or_default().push(item.id);
                }
            }
        }
        if !held.is_empty() {
            let mut tx = ctx.db.begin().await?;
            lease.hold(&mut tx).await?;
            for (due_at, items) in &held {
                callbacks::postpone(&mut tx, lease.client, items, *due_at).await?;
            }
            tx.commit().await?;
        }
        Ok(free)
    }

    /// The next attempt of the item behind which this one waits. `None`: it waits for none.
    fn held_until(&self, item: &Item, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let waiting = self.waiting.lock();
        let last = item.received_at + HELD_AT_MOST;
        if waiting.is_empty() || now >= last {
            return None;
        }
        let own = Sender::of(&item.body, &self.owners);
        let is_before = |earlier: &&WaitingSender| earlier.item < item.id && earlier.sender.is_same(&own);
        waiting.iter().filter(is_before).map(|earlier| earlier.due_at.min(last)).max()
    }
}

/// The customers of these addresses, by all of their addresses.
async fn owners_of(db: &mut PgConnection, lease: &Lease, named: &[Address]) -> Result<HashMap<Address, CustomerId>> {
    let known: HashSet<CustomerId> = known_addresses::find(db, lease.client, named).await?.into_values().collect();
    let known: Vec<CustomerId> = known.into_iter().collect();
    Ok(known_addresses::of_customers(db, lease.client, &known).await?)
}

/// True if this item can neither add an address to a customer nor merge customers.
fn adds_no_address(body: &CallbackBody, owners: &HashMap<Address, CustomerId>) -> bool {
    match body {
        CallbackBody::Message(_) | CallbackBody::Referral(_) | CallbackBody::Change(_) => {
            is_of_one(&addresses(body), owners)
        }
        // A status may name the user id of its recipient, and an account event may name a new address.
        CallbackBody::Status(_) | CallbackBody::Watermark(_) | CallbackBody::Account { .. } => false,
        CallbackBody::Echo(_) | CallbackBody::Unreadable(_) | CallbackBody::Ignored(_) => true,
    }
}

/// True if these are addresses of one known customer, or none at all.
fn is_of_one(named: &[Address], owners: &HashMap<Address, CustomerId>) -> bool {
    let customers: HashSet<Option<&CustomerId>> = named.iter().map(|address| owners.get(address)).collect();
    customers.len() <= 1 && !customers.contains(&None)
}

/// True if later items of the customer wait for an item of this kind.
fn holds_others(body: &CallbackBody) -> bool {
    matches!(body, CallbackBody::Message(_) | CallbackBody::Referral(_))
}

/// The addresses of the customer who wrote, followed a link or changed a message. Empty: it has no place in the order.
fn addresses(body: &CallbackBody) -> Vec<Address> {
    match body {
        CallbackBody::Message(message) => senders::addresses(message),
        CallbackBody::Referral(came) => with_spellings([&came.from]),
        CallbackBody::Change(change) => match &change.by {
            Author::Customer(addresses) => with_spellings(addresses),
            Author::Business => Vec::new(),
        },
        CallbackBody::Status(_)
        | CallbackBody::Watermark(_)
        | CallbackBody::Echo(_)
        | CallbackBody::Account { .. }
        | CallbackBody::Unreadable(_)
        | CallbackBody::Ignored(_) => Vec::new(),
    }
}
