//! Administration with a real database: accounts, numbers, secrets.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

mod accounts;
mod numbers;
mod office;
mod person;
mod planted_rows;
mod request_log;
mod secrets;
mod sessions;
mod test_keys;
mod users;
