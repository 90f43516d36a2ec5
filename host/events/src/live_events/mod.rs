//! Live events for agents (CONTRACT 7, ADR 0027). Each process has one [`Hub`]. It looks for new events of the clients
//! with connections here, numbers them, reads their shown facts once, and passes them to every connection that may see
//! them. The position of a connection is a number; nothing is stored for it.

mod body;
mod connection;
mod feed;
mod hub;
mod hub_open;
mod page;
mod page_facts;
mod poll;
pub mod tickets;

pub use connection::{ConnectionEnd, ConnectionStep, EventFrame, LiveConnection};
pub use hub::{ConnectionRefused, Hub};
