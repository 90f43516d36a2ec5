//! The SMS products: the JSON gateway (SPEC 4.8), the batch gateway and e-mail to SMS (SPEC 4.9), and replies of
//! subscribers. Their messages go out through `outbound` like all other SMS. This crate checks and charges requests,
//! reports results, and routes replies.

mod accept;
pub mod batch;
pub mod callbacks;
mod deduplication;
pub mod email;
mod gateways;
mod incoming_sms;
pub mod json;
mod notify;
mod order;
mod replies;
mod schedule;
pub mod stops;

pub use gateways::Gateways;
pub use replies::SmscEvents;
