//! Messages that their authors edited (`edit`) or deleted (`revoke`).

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    change::{Author, ContentChange, MessageChange},
};
use serde_json::Value;

use super::{
    fields::{digits, instant, owned, text},
    message_fields::{MESSAGE_ID_MAX_BYTES, NO_TIME, type_of},
};

/// True if a message of this type is about an earlier one.
pub(super) fn is_change(kind: &str) -> bool {
    matches!(kind, "edit" | "revoke")
}

pub(super) fn change(kind: &str, message: &Value, by: Author) -> Result<MessageChange, &'static str> {
    let part = message.get(kind).ok_or("the part that its type names is missing")?;
    let id = owned(part, "original_message_id").filter(|id| id.len() <= MESSAGE_ID_MAX_BYTES);
    let provider_id = id.ok_or("`original_message_id` is missing or too long")?;
    let at: DateTime<Utc> = instant(message).ok_or(NO_TIME)?;
    let change = match kind {
        "revoke" => ContentChange::Deleted,
        _ => part.get("message").and_then(read_edit).ok_or("`edit.message` is missing, or has another form")?,
    };
    Ok(MessageChange { provider_id, rest: Vec::new(), by, at, change })
}

/// The new text of a text message, or the new caption of a file; none if the caption was removed.
fn read_edit(now: &Value) -> Option<ContentChange> {
    let kind = type_of(now);
    let part = now.get(kind)?;
    let text = match kind {
        "text" => Some(owned(part, "body")?),
        _ => owned(part, "caption"),
    };
    Some(ContentChange::Edited { text, raw: now.clone() })
}

pub(super) fn customer(message: &Value, contact: Option<&Value>) -> Option<Author> {
    let named = [
        digits(message, "from").and_then(|phone| Address::of_kind(AddressKind::Phone, &phone)),
        text(message, "from_user_id").and_then(|id| Address::of_kind(AddressKind::Bsuid, id)),
        contact.and_then(|one| digits(one, "wa_id")).and_then(|phone| Address::of_kind(AddressKind::Phone, &phone)),
        contact.and_then(|one| text(one, "user_id")).and_then(|id| Address::of_kind(AddressKind::Bsuid, id)),
    ];
    let mut named: Vec<Address> = named.into_iter().flatten().collect();
    named.sort();
    named.dedup();
    (!named.is_empty()).then_some(Author::Customer(named))
}
