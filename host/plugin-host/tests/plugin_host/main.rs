//! The plugin host from the outside, with the built-in components and with components that misbehave.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic, also in what it shares with others"
)]

mod answers;
mod bombs;
mod cache;
mod checks;
mod compiling;
mod default_chatbot;
mod fairness;
mod files;
mod hot_reload;
mod http;
mod isolation;
mod key_values;
mod limits;
mod low_address_space;
mod network;
mod older_versions;
mod randomness;
mod replay;
mod router;
mod shapers;
mod sms_fallback;
mod sms_router;
mod snapshots;
mod started_requests;
mod support;
mod suspension;
mod uploads;
