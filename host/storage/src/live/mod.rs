//! Live events (ADR 0027): who wants them, what happened in the order of its commits, and what is shown of it.

pub mod events;
pub mod shown;
pub mod streams;
pub mod tickets;
pub mod viewers;
