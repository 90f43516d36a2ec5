//! Callbacks to the host: signed, in order per phone, repeated until they are accepted.
#![expect(clippy::disallowed_methods, reason = "Meta's servers are not the host: they make their own HTTP client")]

mod bodies;
mod envelope;
pub(crate) mod event;
mod line;
pub(crate) mod log;
mod publish;
mod queues;
mod sender;

pub(crate) use bodies::{ReceiptReport, inbound, preference, status, system, with_failure};
pub(crate) use event::SimulatedChange;
pub use line::CallbackLine;
pub(crate) use sender::Callbacks;
