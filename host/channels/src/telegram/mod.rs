//! Telegram (Bot API, ADR 0051): sends of a bot with its rates, updates of its customers by webhook or long polling, and
//! files. The Bot API is JSON over HTTPS with the token in the path, so no address of a call is ever logged.

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
