//! Plugins of clients, one file per table: what they uploaded, which version is in force where, and what is kept about
//! the calls.

pub mod activations;
pub mod changes;
pub mod differences;
pub mod events;
pub mod invocations;
pub mod recordings;
pub mod skipped;
pub mod uploads;
pub mod versions;
