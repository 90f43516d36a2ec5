//! Messenger (PROVIDERS B, ADR 0028): sends of a page with pace and window, other calls, and callbacks.

mod api;
pub mod callback;
mod carrier;
mod error_codes;
mod ids;
mod message_body;
mod registration;

pub use api::{MessengerApi, MessengerPage, MessengerSetupError, SenderAction};
pub use carrier::{MessengerCarrier, MessengerLimits};
