use std::collections::BTreeSet;

use domain::{
    address::Address,
    ids::{ClientId, InboxId, MediaId},
    recipient,
};
use sqlx::{Postgres, postgres::PgArguments, query::Query};
use uuid::Uuid;

use super::marks;

/// The addresses of a person, and the ids of all objects that are the person's alone, of all kinds.
#[derive(Debug, Clone)]
pub struct KnownPerson {
    client: ClientId,
    pub(super) addresses: BTreeSet<Address>,
    /// Customers, chats and conversations: few, so that texts can be searched for them.
    pub(super) subjects: BTreeSet<Uuid>,
    pub(super) ids: BTreeSet<Uuid>,
    pub(super) names: BTreeSet<String>,
    pub(super) orders: BTreeSet<i64>,
    pub(super) media: BTreeSet<Uuid>,
}

impl KnownPerson {
    pub(super) fn new(client: ClientId, address: Address) -> Self {
        let addresses = [address.other_spelling(), Some(address)].into_iter().flatten().collect();
        Self {
            client,
            addresses,
            subjects: BTreeSet::new(),
            ids: BTreeSet::new(),
            names: BTreeSet::new(),
            orders: BTreeSet::new(),
            media: BTreeSet::new(),
        }
    }

    pub fn client(&self) -> ClientId {
        self.client
    }

    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        self.addresses.iter()
    }

    pub fn files(&self) -> impl Iterator<Item = MediaId> + '_ {
        self.media.iter().copied().map(MediaId)
    }

    /// Adds the ids of an earlier search: a row that is stored during an erasure is tied only to erased ids.
    pub fn join(&mut self, earlier: &Self) {
        self.addresses.extend(earlier.addresses.iter().cloned());
        self.subjects.extend(&earlier.subjects);
        self.ids.extend(&earlier.ids);
        self.names.extend(earlier.names.iter().cloned());
        self.orders.extend(&earlier.orders);
        self.media.extend(&earlier.media);
    }

    /// Adds the order keys of the addresses with these inboxes. Plugins that decide about SMS know the person by one.
    pub(super) fn add_orders(&mut self, inboxes: &[Uuid]) {
        for inbox in inboxes {
            for address in &self.addresses {
                self.orders.insert(recipient::order_key(InboxId(*inbox), address));
            }
        }
        // Customers without an address, and events of web chat, have keys made from ids.
        self.orders.extend(self.subjects.iter().map(|id| id.as_u64_pair().1.cast_signed()));
        self.ids.extend(self.orders.iter().map(|key| Uuid::from_u64_pair(0, key.cast_unsigned())));
    }

    pub(super) fn values(&self) -> Vec<&str> {
        self.addresses.iter().map(Address::value).collect()
    }

    pub(super) fn id_list(&self) -> Vec<Uuid> {
        self.ids.iter().copied().collect()
    }

    pub(super) fn bind<'q>(&'q self, sql: &'q str) -> Query<'q, Postgres, PgArguments> {
        sqlx::query(sql)
            .bind(self.client.0)
            .bind(self.id_list())
            .bind(self.values())
            .bind(self.names.iter().map(String::as_str).collect::<Vec<_>>())
            .bind(self.orders.iter().copied().collect::<Vec<_>>())
            .bind(marks::mention(&self.addresses, &self.subjects))
            .bind(marks::mention([], &self.subjects))
            .bind(marks::party(&self.addresses))
    }
}
