//! What Meta calls us with (PROVIDERS A.7 to A.10): the handshake, the signature over the raw bytes, and batches turned into
//! our own items. A malformed item is skipped with a warning; its neighbours are kept.

mod account;
mod content;
mod fields;
mod handshake;
mod message;
mod signature;
mod status;

use domain::inbound::{CallbackBody, CallbackItem, CallbackTarget};
use serde_json::Value;

pub use handshake::{HandshakeQuery, handshake};
pub use signature::{signature, verify_signature};

use self::fields::{list, scrub_nul, text};

/// The `object` of WhatsApp callbacks.
const OBJECT: &str = "whatsapp_business_account";

/// A callback that cannot be for us.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallbackError {
    /// Not JSON, or nested too deeply.
    #[error("the callback is not JSON: {0}")]
    NotJson(String),
    /// JSON, but no WhatsApp callback.
    #[error("the callback is for object `{0}`, not for {OBJECT}")]
    OtherObject(String),
}

/// Everything a callback says, in its order. NUL characters, which no database text can hold, become U+FFFD.
///
/// Check the signature over the same bytes first. Dedupe keys: `message:<wamid>`, `status:<wamid>:<status>`, and
/// `account:<sha256>` over field, time and value.
pub fn parse(raw: &[u8]) -> Result<Vec<CallbackItem>, CallbackError> {
    let mut body: Value = serde_json::from_slice(raw).map_err(|error| CallbackError::NotJson(error.to_string()))?;
    scrub_nul(&mut body);
    let object = text(&body, "object").unwrap_or_default();
    if object != OBJECT {
        return Err(CallbackError::OtherObject(object.chars().take(64).collect()));
    }
    let mut items = Vec::new();
    for entry in list(&body, "entry") {
        for change in list(entry, "changes") {
            match (text(change, "field"), change.get("value")) {
                (Some("messages"), Some(value)) => messages_change(value, &mut items),
                (Some(field), Some(value)) if value.is_object() => {
                    items.extend(account::account_item(entry, field, value));
                }
                (field, _) => {
                    tracing::warn!(
                        field = field.unwrap_or("absent"),
                        "skipped a callback change without field or value"
                    );
                }
            }
        }
    }
    Ok(items)
}

/// The field `messages`: inbound messages and statuses of one number.
fn messages_change(value: &Value, items: &mut Vec<CallbackItem>) {
    let Some(number_id) = value.get("metadata").and_then(|metadata| text(metadata, "phone_number_id")) else {
        tracing::warn!("skipped a messages callback without metadata.phone_number_id");
        return;
    };
    let target = CallbackTarget::PhoneNumberId(number_id.to_owned());
    for message in list(value, "messages") {
        match message::message_item(message, value) {
            Some((dedupe_key, body)) => items.push(CallbackItem { dedupe_key, target: target.clone(), body }),
            None => tracing::warn!(number.id = number_id, "skipped a malformed inbound message"),
        }
    }
    for status in list(value, "statuses") {
        match status::status_item(status) {
            status::Parsed::Update(update) => items.push(CallbackItem {
                dedupe_key: format!("status:{}:{}", update.provider_id, text(status, "status").unwrap_or_default()),
                target: target.clone(),
                body: CallbackBody::Status(*update),
            }),
            status::Parsed::Unmodelled(name) => {
                tracing::debug!(number.id = number_id, status = name, "ignored a status that has no meaning here");
            }
            status::Parsed::Malformed => tracing::warn!(number.id = number_id, "skipped a malformed status"),
        }
    }
    for error in list(value, "errors") {
        tracing::warn!(number.id = number_id, code = ?error.get("code"), "Meta reports an error of the number");
    }
}
