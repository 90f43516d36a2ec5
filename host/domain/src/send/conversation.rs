//! The content of a `CONVERSATION` message: a text and the id of its conversation (SPEC 2.3).

use super::{TEXT_MAX, WireMessage, check::Check};
use crate::{content::OutboundContent, ids::ConversationId};

/// The reason why a conversation does not take a message. The text is the `reason` in the answer to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConversationFault {
    #[error("the conversation is not known for this sender; create one and use its conversationId")]
    Unknown,
    #[error("the conversation is closed; create a new one to write to the customer again")]
    Closed,
    #[error("the conversation has expired; create a new one to write to the customer again")]
    Expired,
    #[error("the recipient is not the customer of this conversation")]
    OtherCustomer,
}

pub(super) fn no_template(check: &mut Check, name: Option<&str>, id: Option<&str>) {
    for (field, value) in [("templateName", name), ("templateId", id)] {
        if value.is_some_and(|value| !value.is_empty()) {
            check.fault(field, "does not apply to CONVERSATION, which is free text; templates are NOTIFICATION");
        }
    }
}

/// Checks a message. A value is `None` if it reported a fault. `field` is the path of the element.
pub(super) fn check(
    check: &mut Check,
    message: &WireMessage,
    field: &str,
) -> (Option<ConversationId>, Option<OutboundContent>) {
    const ALONE: &str = "does not apply to CONVERSATION, which takes `messageText` alone";
    if message.components.as_ref().is_some_and(|components| !components.is_empty()) {
        check.fault(&format!("{field}.components"), ALONE);
    }
    if message.media.is_some() {
        check.fault(&format!("{field}.media"), ALONE);
    }
    let text_field = format!("{field}.messageText");
    let text = message.message_text.clone().filter(|text| !text.is_empty());
    if text.is_none() {
        check.fault(&text_field, "is required for CONVERSATION");
    }
    check.length(&text_field, text.as_deref(), TEXT_MAX);
    let id_field = format!("{field}.conversationId");
    let id = match message.conversation_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => id.parse().map_err(|_| check.fault(&id_field, "is not the id of a conversation: a UUID")).ok(),
        None => {
            check.fault(&id_field, "is required for CONVERSATION: the id that createWhatsAppConversation gave");
            None
        }
    };
    (id, text.map(|body| OutboundContent::Text { body }))
}
