//! The common parts of the stages of tests: a manual clock, the context of use cases, and a client with one number.

#![expect(clippy::unwrap_used, reason = "test support: a failure here is a failed test")]

mod clock;
mod number;
mod test_context;

pub use clock::HandClock;
pub use number::one_number;
pub use test_context::Surroundings;
