//! Fields other than `messages` (PROVIDERS A.10): templates, quality, restrictions, preferences. Stored whole.

use domain::inbound::{CallbackBody, CallbackItem, CallbackTarget};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::item::id;

/// `None` if the change names neither number nor account. Fields with metadata belong to a number, others to the account.
pub(super) fn account_item(entry: &Value, field: &str, value: &Value) -> Option<CallbackItem> {
    let number_id = value.get("metadata").and_then(|metadata| id(metadata, "phone_number_id"));
    let target = match (number_id, id(entry, "id")) {
        (Some(number_id), _) => CallbackTarget::PhoneNumberId(number_id),
        (None, Some(waba)) => CallbackTarget::Waba(waba),
        (None, None) => return None,
    };
    let body = CallbackBody::Account { field: field.to_owned(), value: value.clone() };
    Some(CallbackItem { dedupe_key: dedupe_key(entry, field, value), target, body })
}

/// A repetition has the same entry time; a template that is paused for the second time has another one.
fn dedupe_key(entry: &Value, field: &str, value: &Value) -> String {
    let fact = json!([entry.get("id"), entry.get("time"), field, value]);
    format!("account:{}", hex::encode(Sha256::digest(fact.to_string().as_bytes())))
}
