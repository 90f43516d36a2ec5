//! Telegram (Bot API, ADR 0051). The token is in the path of each call, so no address of a call is ever logged.

mod api;
mod carrier;
mod content;
mod errors;
mod provider;
mod send_body;
mod update;

pub use api::{TelegramApi, TelegramBot, TelegramSettings, TelegramSetupError, is_token};
pub use carrier::{TelegramCarrier, TelegramLimits};
pub use errors::CallFailure;
pub use provider::TelegramProvider;
