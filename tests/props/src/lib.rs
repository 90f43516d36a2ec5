//! What the stages of tests have in common: a clock moved by hand, the surroundings of use cases, and a client with one number.

#![expect(clippy::unwrap_used, reason = "test support: a failure here is a failed test")]

mod clock;
mod number;
mod surroundings;

pub use clock::HandClock;
pub use number::one_number;
pub use surroundings::Surroundings;
