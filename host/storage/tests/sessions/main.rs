//! Sessions on a server of their own: that a change was refused is known to the whole process, and other tests must not be asked.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

mod end_of_process;
mod read_only;
mod settings;
mod transactions;
