//! Plugins on the author's own machine, without a server: one component in this process, conversations in memory, time
//! that moves when it is told to. What the server does with an answer is done here by the same rules.

pub(crate) mod bench;
pub(crate) mod chat;
pub(crate) mod effects;
pub(crate) mod said;
pub(crate) mod values;
pub(crate) mod wall;
pub(crate) mod web;

pub use bench::LocalError;
pub(crate) use bench::{Bench, Loaded};
