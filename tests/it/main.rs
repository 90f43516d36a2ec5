//! End-to-end tests over the real binary, a real PostgreSQL and the simulated providers.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests: a failure here is a failed test"
)]

mod layers;
mod promises;
