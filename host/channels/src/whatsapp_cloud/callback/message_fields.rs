//! Fields that all messages have.

use serde_json::Value;

use super::fields::{owned, text};

/// Meta's message ids have some hundred characters; a longer text is not an id and fits into no index.
pub(super) const MESSAGE_ID_MAX_BYTES: usize = 512;

/// The reason why an item without a readable `timestamp` cannot be read.
pub(super) const NO_TIME: &str = "`timestamp` is missing or no time";

pub(super) fn message_id(item: &Value) -> Result<String, &'static str> {
    let id = owned(item, "id").ok_or("`id` is missing")?;
    if id.len() <= MESSAGE_ID_MAX_BYTES { Ok(id) } else { Err("`id` is longer than 512 bytes") }
}

pub(super) fn type_of(message: &Value) -> &str {
    let of_part = || PARTS.into_iter().find(|part| message.get(part).is_some());
    text(message, "type").or_else(of_part).unwrap_or("unknown")
}

/// Types whose messages are read by the part of this name, also if `type` is missing.
pub(super) const PARTS: [&str; 12] = [
    "text",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "location",
    "contacts",
    "reaction",
    "button",
    "interactive",
    "order",
];
