//! Placeholders for messages of customers that a device could not decrypt. If the content comes later, it is a message
//! of its own.

use domain::{
    inbound::{InboundContent, InboundMessage},
    lite::placeholder_id,
};

use crate::unknown_content;

const WAITING: &str = "waiting";

/// The content of a message that a device could not decrypt.
pub fn unread_content() -> InboundContent {
    unknown_content::described_event(WAITING, "A message that could not be read yet")
}

/// Counts a message with [`unread_content`] and gives it the id of a placeholder.
pub fn placeholder_of(message: InboundMessage) -> InboundMessage {
    tracing::info!("a Lite device could not decrypt a message; the chat shows a placeholder");
    metrics::counter!("patchbay_lite_messages_unread_total", "kind" => WAITING).increment(1);
    InboundMessage { provider_id: placeholder_id(&message.provider_id), ..message }
}
