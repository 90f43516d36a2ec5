//! The plugins of clients: what they upload and put in force ([`administration`]), which of it answers an event
//! ([`slots`]), and calling it for a use case ([`calls`]).

mod administration;
pub mod calls;
mod components;
pub mod slots;
mod swaps;

pub use administration::*;
pub use components::DatabaseComponents;
