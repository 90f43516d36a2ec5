//! Background work: finds lanes with due work, claims them, renews their leases and runs the use case of their queue.
//!
//! `docs/ARCHITECTURE.md` 4 describes leases, fences, wake-ups and fairness. Details:
//!
//! - A working process holds a session advisory lock named by its id and a row in `node` (`presence.rs`).
//!   `storage::work::nodes::delete_dead` ends the leases of processes without a lock. Correctness depends on the
//!   fence only.
//! - A worker is left alone while renewals fail, because it may hold outcomes that are not written. When the database
//!   is back, the worker stops at its next step, or is dropped after two minutes without a step.
//! - `search.rs` has a connection of its own. It first makes due rows ready, found by their time, then hops from lane
//!   to lane over the index of ready rows. Announced lanes do not wait for a search.
//! - If a lane needs longer than 250 ms because of a plugin or a receiver, it no longer counts in the limits of
//!   `room.rs`, and its client begins lanes among the 384 long ones for some time. Long lanes of chatbots have a few
//!   database connections of their own (`Context::with_own_pool`).
//! - More work for a busy lane sets `lease.nudge`, and `lane::run` looks once more before it gives the lane back. Lanes
//!   of callbacks and webhooks are given back by a statement that succeeds only if nothing is due (`Lease::give_back`).
//! - `upkeep.rs` runs every ten minutes. Each step is a transaction with an advisory lock. A schema change gives up
//!   after 20 ms of waiting for its table and is tried again. A default partition takes rows without a partition and is
//!   emptied in the same way.

mod lane;
mod presence;
mod room;
mod runner;
mod search;
mod settings;
mod upkeep;

pub use crate::settings::RunnerSettings;
pub use runner::Runner;
