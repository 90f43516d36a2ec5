//! Calls of plugins, made in one way for all four worlds.
//!
//! [`Answering`] is chosen once per event from what is in force: the live plugin, or the canary for its share. What a call
//! leaves behind ([`Made`]) is kept in the transaction of its effects ([`keep`]): its trace, its recording, and the
//! verdict over a canary that fails too often. After the commit a shadow may be asked the same ([`shadow`]); what it
//! answers is compared and dropped.

mod answering;
mod canary;
pub mod http;
mod kept;
pub(crate) mod key_values;
mod made;
mod shadow;
mod skipped;
pub mod suspensions;
pub(crate) mod trace;

pub use self::{key_values::Quota, skipped::SkippedComparisons, trace::Traced};

pub(crate) use self::{
    answering::Answering,
    kept::{keep, keep_beside},
    made::{About, Made},
};
