//! Callbacks of Meta (PROVIDERS A.7 to A.10): handshake, signature, batches. An unreadable item is counted and kept.

mod account;
mod content;
pub(crate) mod echo;
mod edit;
pub(crate) mod fields;
mod group;
mod handshake;
mod item;
mod message;
mod message_fields;
mod names;
mod order;
pub(crate) mod referral;
mod signature;
mod status;
mod status_scan;

use domain::{
    inbound::{CallbackBody, CallbackItem, CallbackTarget, UnreadableKind},
    inbox::InboxKind,
};
use serde_json::Value;

use crate::{ignored_items::ignored_item, provider_json};
pub(crate) use content::content_of;
use fields::{elements, list, text};
pub use handshake::{HandshakeQuery, handshake};
pub use item::ITEMS_MAX;
use item::{OBJECT, cannot_read, id};
use message::Contacts;
pub use names::{FirstNames, first_names};
pub use signature::{is_signature, signature, verify_signature};

/// Most errors of one number that are logged with a line each.
const ERRORS_LOGGED: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallbackError {
    #[error("the callback is not JSON: {0}")]
    NotJson(String),
    #[error("the callback is for object `{0}`, not for {OBJECT}")]
    OtherObject(String),
    #[error("the callback is for object `{0}`, not for page")]
    NoPage(String),
    #[error("the callback has more than {ITEMS_MAX} items")]
    TooMany,
}

/// All items in order, in linear time. Invalid characters become U+FFFD. Check the signature first. Dedupe keys:
/// `message:<wamid>`, `status:<wamid>:<status>`, and `account:<sha256>` over field, time and value.
pub fn parse(raw: &[u8]) -> Result<Vec<CallbackItem>, CallbackError> {
    status_scan::statuses(raw).map_or_else(|| parse_any(raw), Ok)
}

fn parse_any(raw: &[u8]) -> Result<Vec<CallbackItem>, CallbackError> {
    let body = provider_json::read(raw).map_err(|error| CallbackError::NotJson(error.to_string()))?;
    let object = text(&body, "object").unwrap_or_default();
    if object != OBJECT {
        return Err(CallbackError::OtherObject(object.chars().take(64).collect()));
    }
    let mut items = Vec::new();
    for entry in elements(&body, "entry") {
        if !entry.is_object() {
            items.push(cannot_read(CallbackTarget::Unknown, UnreadableKind::Entry, "it is no object", entry));
        }
        for change in elements(entry, "changes") {
            change_items(entry, change, &mut items);
            if items.len() > ITEMS_MAX {
                return Err(CallbackError::TooMany);
            }
        }
    }
    if items.len() > ITEMS_MAX { Err(CallbackError::TooMany) } else { Ok(items) }
}

fn change_items(entry: &Value, change: &Value, items: &mut Vec<CallbackItem>) {
    let unreadable = |reason: &str| {
        let account = id(entry, "id").map_or(CallbackTarget::Unknown, CallbackTarget::Waba);
        cannot_read(account, UnreadableKind::Change, reason, change)
    };
    let value = change.get("value").filter(|value| value.is_object());
    match (text(change, "field"), value) {
        (Some("messages"), Some(value)) => match number_of(value) {
            Some(number_id) => messages_change(&CallbackTarget::PhoneNumberId(number_id), value, items),
            None => items.push(unreadable("`value.metadata.phone_number_id` is missing")),
        },
        (Some(echo::FIELD), Some(value)) => match number_of(value) {
            Some(number_id) => echo::echoes_change(&CallbackTarget::PhoneNumberId(number_id), value, items),
            None => items.push(unreadable("`value.metadata.phone_number_id` is missing")),
        },
        (Some(field), Some(value)) => match account::account_item(entry, field, value) {
            Some(item) => items.push(item),
            None => items.push(unreadable("it names neither a number nor an account")),
        },
        (Some(_), None) => items.push(unreadable("`value` is missing or no object")),
        (None, _) => items.push(unreadable("`field` is missing")),
    }
}

fn number_of(value: &Value) -> Option<String> {
    id(value.get("metadata")?, "phone_number_id")
}

/// The field `messages`: inbound messages and statuses of one number.
fn messages_change(target: &CallbackTarget, value: &Value, items: &mut Vec<CallbackItem>) {
    let messages = elements(value, "messages");
    // Statuses come with contacts too, which are not needed.
    let contacts = if messages.is_empty() { Contacts::default() } else { Contacts::of(value) };
    for message in messages {
        items.push(match message::message_item(message, value, &contacts) {
            Ok((dedupe_key, body)) => CallbackItem { dedupe_key, target: target.clone(), body },
            Err(reason) => cannot_read(target.clone(), UnreadableKind::Message, reason, message),
        });
    }
    for status in elements(value, "statuses") {
        items.push(match status::status_item(status) {
            status::ParsedStatus::Update(update) => CallbackItem {
                dedupe_key: status::dedupe_key(&update.provider_id, text(status, "status").unwrap_or_default()),
                target: target.clone(),
                body: CallbackBody::Status(*update),
            },
            status::ParsedStatus::Ignored(kind, name) => {
                ignored_item(target.clone(), InboxKind::WhatsappCloud, kind, &name)
            }
            status::ParsedStatus::Malformed(reason) => {
                cannot_read(target.clone(), UnreadableKind::Status, reason, status)
            }
        });
    }
    for error in list(value, "errors").iter().take(ERRORS_LOGGED) {
        tracing::warn!(?target, code = ?error.get("code"), "Meta reports an error of the number");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: Value) -> Vec<u8> {
        let entry = json!({ "id": "27", "changes": [{ "field": "messages", "value": value }] });
        json!({ "object": OBJECT, "entry": [entry] }).to_string().into_bytes()
    }

    fn status(more: Value) -> Value {
        let mut status = json!({
            "id": "wamid.1", "status": "delivered", "timestamp": "1790000000", "recipient_id": "+27 82 000 1111",
            "recipient_user_id": "ZA.1", "biz_opaque_callback_data": "pb1:x", "conversation": { "id": "c" },
            "pricing": { "billable": true },
        });
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        status
    }

    fn statuses(all: &[Value]) -> Value {
        json!({
            "messaging_product": "whatsapp", "metadata": { "display_phone_number": "27", "phone_number_id": "5" },
            "contacts": [{ "profile": { "name": "Zo\u{e9} \u{0} \"" } }], "statuses": all,
        })
    }

    #[test]
    fn statuses_in_their_usual_form_are_read_in_one_pass_to_the_same_items() {
        let read =
            json!({ "status": "read", "id": "wamid.2", "biz_opaque_callback_data": "", "timestamp": "1790000000123" });
        for all in [vec![], vec![status(json!({}))], vec![status(json!({})), status(read)]] {
            let raw = body(statuses(&all));
            let plain = status_scan::statuses(&raw).unwrap();
            assert_eq!(plain.len(), all.len());
            assert_eq!(plain, parse_any(&raw).unwrap());
        }
    }

    #[test]
    fn other_callbacks_are_parsed_as_a_whole() {
        let mut with_messages = statuses(&[status(json!({}))]);
        with_messages["messages"] = json!([]);
        let mut without_number = statuses(&[status(json!({}))]);
        without_number["metadata"] = json!({});
        let errors = json!([{ "code": 131_026, "title": "undeliverable" }]);
        let others = [
            with_messages,
            without_number,
            statuses(&[status(json!({ "status": "failed", "errors": errors }))]),
            statuses(&[status(json!({ "status": "warning" })), status(json!({}))]),
            statuses(&[status(json!({ "timestamp": 1_790_000_000 }))]),
            statuses(&[status(json!({ "timestamp": "soon" }))]),
            statuses(&[status(json!({ "id": "" }))]),
            statuses(&[status(json!({ "id": "wamid.\n" }))]),
        ];
        for other in others {
            assert_eq!(status_scan::statuses(&body(other.clone())), None, "{other}");
        }
        assert_eq!(status_scan::statuses(br#"{"object":"page","entry":[]}"#), None);
    }
}
