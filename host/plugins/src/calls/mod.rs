//! Calls of plugins, made in one way for all worlds.
//!
//! [`Answering`] is chosen once per event from what is in force: the live plugin, or the canary for its share. What a call
//! leaves behind ([`FinishedCall`]) is kept in the transaction of its effects ([`keep`]): its trace, its recording, and the
//! verdict over a canary that fails too often. After the commit a shadow may be asked the same ([`shadow`]); what it
//! answers is compared and dropped.

mod answering;
mod canary;
mod finished;
pub mod http;
mod kept;
pub mod key_values;
mod shadow;
pub mod suspensions;
pub mod trace;

pub use self::{
    answering::Answering,
    finished::{CallSubject, FinishedCall},
    kept::{KeptCalls, keep, keep_beside},
    trace::Traced,
};
