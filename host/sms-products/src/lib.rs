//! The SMS products: the JSON gateway (SPEC 4.8), the batch gateway and e-mail to SMS (SPEC 4.9), and what subscribers answer. Their messages go
//! out through the same engine as every other SMS (`outbound`); what is theirs alone is here: how a request is judged and
//! charged, what is told of it, and to whom a reply goes.

mod accept;
pub mod batch;
pub mod callbacks;
pub mod email;
mod gateways;
mod incoming;
pub mod json;
mod once;
mod replies;
mod schedule;
pub mod stops;
mod told;

pub use gateways::Gateways;
pub use replies::SmscEvents;
