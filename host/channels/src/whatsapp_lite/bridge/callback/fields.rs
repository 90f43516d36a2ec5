use chrono::{DateTime, Utc};
use domain::address::{Address, AddressKind, LID_SERVER};
use serde_json::Value;

use crate::{
    whatsapp_cloud::callback::fields::{text, word},
    whatsapp_lite::bridge::ids::stanza,
};

pub(crate) fn is_ours(payload: &Value) -> bool {
    payload.get("fromMe").and_then(Value::as_bool) == Some(true)
}

pub(crate) fn phone(chat: &str) -> Option<String> {
    let (user, server) = chat.split_once('@')?;
    let number = user.split(':').next()?;
    let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty();
    (plain && matches!(server, "c.us" | "s.whatsapp.net")).then(|| number.to_owned())
}

/// The customer of a chat: the phone number, otherwise WhatsApp's id of a customer with a hidden number.
pub(crate) fn customer_of(chat: &str) -> Option<Address> {
    let number = phone(chat).and_then(|number| Address::of_kind(AddressKind::Phone, &number));
    number.or_else(|| hidden_id(chat))
}

pub(crate) fn hidden_id(chat: &str) -> Option<Address> {
    let (user, _) = chat.split_once(LID_SERVER)?;
    // Devices of a customer are the same customer.
    let user = user.split(':').next()?;
    Address::of_kind(AddressKind::Lid, &format!("{user}{LID_SERVER}"))
}

/// The number of the author. If WhatsApp names a customer by its own id, the engine adds the number if it knows it.
pub(crate) fn sender(payload: &Value) -> Option<String> {
    let from = text(payload, "from")?;
    if !from.ends_with("@lid") {
        return phone(from);
    }
    const ALTERNATIVE_PATHS: [&str; 3] = ["/_data/key/remoteJidAlt", "/_data/key/senderPn", "/_data/Info/SenderAlt"];
    ALTERNATIVE_PATHS.iter().find_map(|place| phone(payload.pointer(place)?.as_str()?))
}

/// When a webhook was sent: milliseconds since 1970.
pub(crate) fn event_time(webhook: &Value) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(word(webhook, "timestamp")?.parse().ok()?)
}

pub(super) fn id(item: &Value) -> Option<String> {
    const MAX_BYTES: usize = 512;
    word(item, "id").map(|id| stanza(&id).to_owned()).filter(|id| !id.is_empty() && id.len() <= MAX_BYTES)
}
