//! Messenger (PROVIDERS B, ADR 0028): sends of a page with pace and window, other calls of a page, and callbacks. Its
//! Graph API is that of the Cloud API, with other nodes.

mod api;
pub mod callback;
mod carrier;
mod error_codes;
mod ids;
mod message_body;

pub use api::{MessengerApi, MessengerPage, MessengerSetupError, SenderAction};
pub use carrier::{MessengerCarrier, MessengerLimits};
