//! The plugins of clients: what they upload and put in force ([`administration`]), which of it answers an event
//! ([`slots`]), and calling it for a use case ([`calls`]).

mod administration;
pub mod calls;
mod components;
mod secrets;
pub mod slots;
mod swaps;

pub use administration::*;
pub use components::DatabaseComponents;
pub use secrets::{SealedSecrets, shown as shown_config};
