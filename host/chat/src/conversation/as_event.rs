//! A chat and its customer, and what becomes of a chat, in the words of events.

pub(crate) use events::scene::{chat, customer, moved, order_key, ticket_moved};
