//! Messages that their authors edited (`message_edit`) or deleted (`is_deleted`).

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    change::{Author, ContentChange, MessageChange},
    inbound::CallbackBody,
};
use serde_json::Value;

use super::attachment;
use crate::messenger::ids;
use crate::whatsapp_cloud::callback::fields::{owned, text};

/// An edit. Meta counts the edits of a message, which distinguishes a repetition from another edit.
pub(super) fn read_edit(
    page: &str,
    event: &Value,
    at: DateTime<Utc>,
    edit: &Value,
    mid: &str,
) -> Option<(String, CallbackBody)> {
    let number = edit.get("num_edit").and_then(Value::as_u64).map(|number| number.to_string());
    let number = number.unwrap_or_else(|| format!("at{}", at.timestamp_millis()));
    let raw = with_type(event, "text");
    let change = ContentChange::Edited { text: Some(owned(edit, "text")?), raw };
    let by = author(page, event)?;
    let change = MessageChange { provider_id: mid.to_owned(), rest: Vec::new(), by, at, change };
    Some((format!("edit:{mid}:{number}"), CallbackBody::Change(Box::new(change))))
}

/// A deletion of a message with all its files, each of which is a message here.
pub(super) fn read_deletion(page: &str, event: &Value, at: DateTime<Utc>, mid: &str) -> Option<(String, CallbackBody)> {
    let rest = (1..attachment::MOST).map(|place| ids::at_place(mid, place)).collect();
    let by = author(page, event)?;
    let change = MessageChange { provider_id: mid.to_owned(), rest, by, at, change: ContentChange::Deleted };
    Some((format!("deleted:{mid}"), CallbackBody::Change(Box::new(change))))
}

/// The author of a message is the sender of the event: the customer or the page.
fn author(page: &str, event: &Value) -> Option<Author> {
    let sender = text(event.get("sender")?, "id")?;
    if sender == page {
        return Some(Author::Business);
    }
    Some(Author::Customer(vec![Address::of_kind(AddressKind::Psid, sender)?]))
}

fn with_type(event: &Value, kind: &str) -> Value {
    let mut raw = event.clone();
    if let Some(fields) = raw.as_object_mut() {
        fields.insert("type".to_owned(), kind.into());
    }
    raw
}
