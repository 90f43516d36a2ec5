use domain::{
    address::{Address, Addresses, with_spellings},
    ids::CustomerId,
};
use storage::people::customers::{Customer, CustomerNames};

use crate::chats::FoldedChats;

/// The customers of an event. The event may have shown that two customers are one; then their chats were merged as
/// well.
#[derive(Debug, Clone, PartialEq)]
pub struct IntroducedCustomers<T> {
    pub who: T,
    /// The merged chats, which the caller reports in events.
    pub folded: Vec<FoldedChats>,
}

/// The facts of an event about a customer. If name, username or parent is absent, the stored one stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduction {
    /// The named addresses; all belong to one person.
    pub addresses: Vec<Address>,
    /// The replaced address, if the event names it. It stays an alias.
    pub replaced: Option<Address>,
    pub name: Option<String>,
    pub username: Option<String>,
    pub parent_user_id: Option<String>,
}

impl Introduction {
    pub(crate) fn customer(self, id: CustomerId) -> Customer {
        Customer {
            id,
            name: self.name,
            contact_name: None,
            username: self.username,
            parent_user_id: self.parent_user_id,
            addresses: Addresses::newest_first(self.addresses),
        }
    }

    /// The named addresses with the other spellings of their numbers, sorted, without repetitions.
    pub(crate) fn named_addresses(&self) -> Vec<Address> {
        with_spellings(self.addresses.iter().chain(&self.replaced))
    }

    /// The addresses that are shown after the event. The replaced address and the other spellings of numbers stay
    /// aliases.
    pub(crate) fn current(&self) -> Vec<Address> {
        let is_replaced = |address: &&Address| self.replaced.as_ref() == Some(*address);
        self.addresses.iter().filter(|address| !is_replaced(address)).cloned().collect()
    }

    pub(crate) fn names(&self) -> CustomerNames<'_> {
        CustomerNames {
            name: self.name.as_deref(),
            username: self.username.as_deref(),
            parent_user_id: self.parent_user_id.as_deref(),
        }
    }
}
