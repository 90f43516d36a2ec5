//! Webhooks (SPEC 2.12, 4.7, 6): who is told what, and how it gets there.
//!
//! - [`configure`]: a client says where its events go. Each configuration has an endpoint for each webhook type and one
//!   signing secret.
//! - [`enqueue`]: a use case that changes something stores the event for the endpoint, in its own transaction.
//! - [`deliver`]: a worker that holds the lane of an endpoint shapes what is due into bytes, stores those, signs and sends
//!   them, and tries again what failed.

pub mod configure;
pub mod deliver;
pub mod enqueue;
#[cfg(test)]
mod sample;
