//! The use cases of Patchbay. Each one owns its transaction: state, the events that report it and the work that follows
//! from it are written together, and no transaction stays open during a plugin call, an HTTP call or a sleep.

pub mod accept;
pub mod accounts;
pub mod bot_turn;
pub mod callbacks;
pub mod context;
pub mod delivery;
pub mod dispatch;
mod error;
pub mod fallback;
pub mod lanes;
pub mod media;
pub mod numbers;
pub mod plugin_calls;
pub mod plugins;
pub mod readiness;
pub mod receive;
pub mod routing;
pub mod secrets;
pub mod sms;
pub mod upkeep;
pub mod webhooks;

pub use context::{Context, Settings};
pub use error::{Error, Result};
pub use storage::lanes::Queue;
