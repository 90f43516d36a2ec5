//! The key of a post in the id of its message.

use domain::web_chat::PostKey;

/// The provider id of a visitor's message on this channel.
pub(super) fn provider_id(visitor: &str, key: &PostKey) -> String {
    format!("web:{visitor}:{key}")
}

/// The visitor's key of a message, from its provider id.
pub(super) fn key_of(provider_id: &str) -> Option<&str> {
    provider_id.strip_prefix("web:")?.split_once(':').map(|(_, key)| key)
}
