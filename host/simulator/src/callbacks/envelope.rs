//! The outer part of a callback body: an entry for each account or page, its changes, the bytes and their signature.

use bytes::Bytes;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::event::{MESSENGER_FIELD, SimulatedChange};
use crate::clock;

/// Returns the body of a callback with these events, in their order. All are of WhatsApp, or all are of Messenger.
/// Neighbours of one account share an entry, and those of one number and kind also a change (PROVIDERS A.7).
pub(crate) fn body(events: &[SimulatedChange]) -> Bytes {
    if events.first().is_some_and(|event| event.field == MESSENGER_FIELD) {
        return page_body(events);
    }
    let mut entries: Vec<Entry> = Vec::new();
    for event in events {
        match entries.last_mut() {
            Some(entry) if entry.waba_id == event.waba_id => entry.add(event),
            _ => {
                let mut entry = Entry { waba_id: event.waba_id.clone(), changes: Vec::new() };
                entry.add(event);
                entries.push(entry);
            }
        }
    }
    let entries: Vec<Value> = entries.into_iter().map(Entry::into_json).collect();
    let body = json!({"object": "whatsapp_business_account", "entry": entries});
    Bytes::from(ascii(&body.to_string()))
}

fn page_body(events: &[SimulatedChange]) -> Bytes {
    let mut entries: Vec<(&str, Vec<&Value>)> = Vec::new();
    for event in events {
        match entries.last_mut() {
            Some((page, list)) if *page == event.waba_id => list.push(&event.value),
            _ => entries.push((&event.waba_id, vec![&event.value])),
        }
    }
    let time = clock::now().timestamp_millis();
    let entry = |(page, list): (&str, Vec<&Value>)| json!({"id": page, "time": time, "messaging": list});
    let entries: Vec<Value> = entries.into_iter().map(entry).collect();
    Bytes::from(ascii(&json!({"object": "page", "entry": entries}).to_string()))
}

/// `sha256=` and the lower-case hex HMAC of the bytes.
pub(crate) fn signature(app_secret: &str, body: &[u8]) -> String {
    // HMAC accepts keys of any length, so this error cannot happen. An empty signature would be refused.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(app_secret.as_bytes()) else {
        return String::new();
    };
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

/// Meta writes non-ASCII characters as `\uxxxx` and signs that form.
fn ascii(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && character != '\u{7f}' {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

struct Entry {
    waba_id: String,
    changes: Vec<(String, Value)>,
}

impl Entry {
    /// Joins the event with the previous change if both have the same number and kind.
    fn add(&mut self, event: &SimulatedChange) {
        if let Some((field, value)) = self.changes.last_mut()
            && *field == event.field
            && same_kind(value, &event.value)
        {
            join(value, &event.value);
            return;
        }
        self.changes.push((event.field.clone(), event.value.clone()));
    }

    /// Entries about accounts and templates have a time. Messages have their own.
    fn into_json(self) -> Value {
        let of_account = self.changes.iter().all(|(_, value)| value.get("metadata").is_none());
        let changes: Vec<Value> =
            self.changes.into_iter().map(|(field, value)| json!({"field": field, "value": value})).collect();
        let mut entry = json!({"id": self.waba_id, "changes": changes});
        if let (Some(fields), true) = (entry.as_object_mut(), of_account) {
            fields.insert("time".to_owned(), json!(clock::now().timestamp()));
        }
        entry
    }
}

/// Failed statuses have no contacts and are kept apart, so that they are not combined with another contact.
fn same_kind(one: &Value, other: &Value) -> bool {
    one.get("metadata").is_some()
        && one.get("metadata") == other.get("metadata")
        && ["messages", "statuses", "contacts", "user_preferences"]
            .iter()
            .all(|part| one.get(part).is_some() == other.get(part).is_some())
}

fn join(value: &mut Value, more: &Value) {
    for part in ["messages", "statuses", "contacts", "user_preferences"] {
        let Some(added) = more.get(part).and_then(Value::as_array) else {
            continue;
        };
        let Some(list) = value.get_mut(part).and_then(Value::as_array_mut) else {
            continue;
        };
        for item in added {
            if part != "contacts" || !list.contains(item) {
                list.push(item.clone());
            }
        }
    }
}
