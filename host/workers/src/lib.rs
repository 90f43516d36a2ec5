//! Background work: finds lanes with due work, claims them, keeps their leases and runs the use case of their queue.

mod lane;
mod presence;
mod room;
mod runner;
mod search;
mod upkeep;

pub use runner::{Runner, RunnerSettings};
