//! Plugins of clients, one file per table: uploads, activations, and records of calls.

pub mod activations;
pub mod changes;
pub mod differences;
pub mod events;
pub mod invocations;
pub mod recordings;
pub mod shadow_skips;
pub mod shared_secrets;
pub mod signing_keys;
pub mod uploads;
pub mod versions;
