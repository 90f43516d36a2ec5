//! Webhooks (SPEC 2.12, 4.7, 6): who is told what, and how it gets there. What there is to tell is recorded by the crate
//! `events`.
//!
//! - [`configure`]: a client says where its events go. Each configuration has an endpoint for each webhook type and one
//!   signing secret.
//! - [`deliver`]: a worker that holds the lane of an endpoint shapes what is due into bytes, stores those, signs and sends
//!   them, and tries again what failed. What the shaper is told is filled in by `shaper_event`.
//! - [`history`]: what was sent, how it went, and sending it again.

pub mod configure;
pub mod deliver;
pub mod history;
pub mod shaper_event;
