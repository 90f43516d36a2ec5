//! Calls of plugins, in one way for all worlds.
//!
//! [`AnsweringVersion`] is chosen once per event from the activations in force: the live plugin, or the canary for its share.
//! The results of a call ([`FinishedCall`]) are stored in the transaction of its effects ([`keep`]): its trace, its
//! recording, and the withdrawal of a canary that fails too often. After the commit a shadow may get the same question
//! ([`shadow`]). Its answer is compared and dropped.

mod answering;
mod call_results;
mod canary;
mod conversation;
mod files;
pub mod http;
pub mod key_values;
mod result_store;
mod shadow;
mod subject;
pub mod suspensions;
pub mod trace;

pub use self::{
    answering::AnsweringVersion,
    call_results::FinishedCall,
    result_store::{MissedEvent, RemainingComparisons, keep, note_missed_event, store_shadow_call},
    trace::TraceSource,
};

pub use subject::CallSubject;
