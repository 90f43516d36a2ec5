//! Live events on their way to agents (CONTRACT 7, ADR 0027): one [`Hub`] in each process, which looks for what is new of the
//! clients that have connections here, numbers it, reads what is shown of it once, and hands it to every connection that may
//! see it. Where a connection stands is a number; nothing is kept for it.

mod body;
mod connection;
mod feed;
mod hub;
mod page;
mod poll;
pub mod tickets;

pub use connection::{Connection, End, Piece, Turn};
pub use hub::{Hub, Refused};
