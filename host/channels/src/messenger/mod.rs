//! Messenger (PROVIDERS B, ADR 0028): sending as a page, its pace and its window, what a page may ask for, and parsing what Meta
//! calls back with. Its Graph API is that of the Cloud API, with other nodes.

mod api;
pub mod callback;
mod carrier;
mod error_codes;
mod ids;
mod message_body;

pub use api::{MessengerApi, MessengerPage, MessengerSetupError, SenderAction};
pub use carrier::{MessengerCarrier, MessengerLimits};
