//! The rules of identity: which customer an address belongs to, and when two customers are one person.
//!
//! - An event of a provider is evidence: it creates a customer, names it, and may show that two are one
//!   ([`introduce`], [`resolve_sent`], [`change_address`]). Then the rows of the younger one move to the older one, and
//!   their chats and conversations on one inbox become one.
//! - A request of a client is a claim. It finds or creates customers and merges none ([`resolve_many`]).
//! - A phone number passes to another person, a user id does not (SPEC 1).
//!
//! The functions run in the transaction of the caller. The statements are in `storage::people` and `storage::chat`.

mod bulk;
mod chats;
mod conversations;
mod introduction;
mod merge;
mod passing;
mod resolve;

pub use bulk::{resolve_many, resolve_sent};
pub use chats::FoldedChats;
pub use introduction::{IntroducedCustomers, Introduction};
pub use resolve::{change_address, introduce};
