//! Live events (ADR 0027): streams with readers, events in the order of commits, and the facts that they show.

pub mod chat_updates;
pub mod events;
pub mod shown_facts;
pub mod streams;
pub mod tickets;
pub mod viewers;
