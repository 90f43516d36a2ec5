//! The plugins of clients: uploads and activations ([`administration`]), the version that answers an event ([`slots`]),
//! and the call for a use case ([`calls`]).
//!
//! # An upload, an activation, a call
//!
//! 1. `api_plugins::upload` waits for its turn (`UploadPlaces::enter`) and reads up to `limits.plugin_bytes`. `upload`
//!    calls `PluginHost::examine`.
//! 2. A child of the same program checks and compiles the bytes under limits of processor time, address space and wall
//!    clock (`compile/` and `check/` in `plugin-host`), and reports all problems at once. The host maps only files that
//!    its own child wrote to its own cache. Clients pay for processor time from a budget (`compile/budget.rs`); the
//!    client that has used the least comes first (`compile/turns.rs`). Then the host links the program, reads the
//!    schema of the configuration and makes a trial call.
//! 3. One transaction stores bytes, version, event and audit. The same bytes under the same name are the existing
//!    version.
//! 4. `activate` checks the configuration against the schema, loads the version on this node, and takes the slot in one
//!    transaction that also records `PluginSwapped`. This row is the swap. After the commit, other nodes are notified to
//!    load the version early (`administration/follow.rs`: `NOTIFY` and a poll).
//! 5. An event reads the slots of its client, world and inbox with its other rows (`slots::in_force`).
//!    `calls::AnsweringVersion` is chosen once: the canary for its share of customers, else the live version. A repetition of
//!    a turn stays with the same version.
//! 6. `PluginHost` finds the linked program by hash (`loading/programs.rs`), loads it from the disk cache, or gets the
//!    bytes through `ComponentSource` and compiles them. `fairness/` limits calls: `call_limiter.rs` calls per second,
//!    `places/` places and memory (ADR 0019), `breaker/` suspends a plugin that keeps failing, `threads/` moves calls
//!    with much processor time to other threads, and `share.rs` runs clients over their share on idle processors.
//!    `calling/run.rs` makes the call.
//! 7. `calls::keep` stores the results of a call (`calls::FinishedCall`) in the transaction of its effects: trace,
//!    recording, and the failure rate of a canary (`canary.rs`). After the commit a shadow replays the recording of the
//!    live call (`shadow.rs`), with separate limits (`ShadowPlace`), and a difference is kept. Without room the
//!    comparison is skipped and counted.

mod administration;
pub mod calls;
mod components;
mod secrets;
mod shared_secrets;
pub mod slots;
mod swaps;

pub use administration::*;
pub use components::DatabaseComponents;
pub use plugin_host::{HttpLimits, World};
pub use secrets::{SealedSecrets, hide as shown_config};
