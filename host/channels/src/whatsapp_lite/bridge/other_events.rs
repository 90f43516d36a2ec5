//! Events of a bridge that are neither messages of customers nor receipts.

use domain::{
    address::{Address, AddressKind},
    change::{Author, ContentChange, MessageChange},
    inbound::Echo,
};
use serde_json::Value;

use super::{
    callback::{
        content::content,
        fields::{customer_of, event_time, hidden_id, is_ours, sender},
    },
    ids::stanza,
};
use crate::{
    whatsapp_cloud::callback::{
        echo::as_sent,
        fields::{instant, text},
    },
    whatsapp_lite::DeviceEvent,
};

/// `true_27820000001@c.us_3EB0A1` names it for both sides. Engines disagree about `from` and `to` of own messages.
fn chat(payload: &Value) -> Option<&str> {
    let in_id = text(payload, "id").and_then(|id| id.split('_').nth(1)).filter(|part| part.contains('@'));
    let named = if is_ours(payload) { ["to", "from"] } else { ["from", "to"] };
    in_id.or_else(|| named.into_iter().find_map(|name| text(payload, name)))
}

pub(super) fn is_of_group(payload: &Value) -> bool {
    let is_group = |chat: &str| chat.ends_with("@g.us");
    chat(payload).is_some_and(is_group) || text(payload, "from").is_some_and(is_group)
}

/// A message of the number: sent through the engine, written elsewhere, or unknown to the engine.
pub(super) fn read_own(payload: &Value) -> Option<DeviceEvent> {
    let echo = Box::new(echo(payload)?);
    Some(match text(payload, "source") {
        Some("api") => DeviceEvent::SentByUs(echo),
        Some(_) => DeviceEvent::Echoed(echo),
        None => DeviceEvent::SentBySomeDevice(echo),
    })
}

fn echo(payload: &Value) -> Option<Echo> {
    let to = customer_of(chat(payload)?)?;
    let quoted = payload.get("replyTo").and_then(|quoted| text(quoted, "id")).map(|id| stanza(id).to_owned());
    let (content, file) = as_sent(content(payload));
    Some(Echo {
        provider_id: stanza(text(payload, "id")?).to_owned(),
        to,
        also_to: None,
        sent_at: instant(payload)?,
        quoted_provider_id: quoted,
        content,
        file,
    })
}

fn author(payload: &Value) -> Option<Author> {
    if is_ours(payload) {
        return Some(Author::Business);
    }
    let number = sender(payload).and_then(|number| Address::of_kind(AddressKind::Phone, &number));
    let customer: Vec<Address> = number.into_iter().chain(text(payload, "from").and_then(hidden_id)).collect();
    (!customer.is_empty()).then_some(Author::Customer(customer))
}

pub(super) fn read_edit(payload: &Value, webhook: &Value) -> Option<MessageChange> {
    let provider_id = stanza(text(payload, "editedMessageId")?).to_owned();
    let new = payload.get("body").and_then(Value::as_str)?.to_owned();
    let mut raw = payload.clone();
    if let Some(fields) = raw.as_object_mut() {
        fields.insert("type".to_owned(), "text".into());
    }
    Some(MessageChange {
        provider_id,
        rest: Vec::new(),
        by: author(payload)?,
        at: event_time(webhook).or_else(|| instant(payload))?,
        change: ContentChange::Edited { text: Some(new).filter(|text| !text.is_empty()), raw },
    })
}

/// A deletion (`message.revoked`): the message before, if the engine still has it, and after.
pub(super) fn read_revocation(payload: &Value, webhook: &Value) -> Option<MessageChange> {
    let part = |name: &str| payload.get(name).filter(|part| part.is_object());
    let (before, after) = (part("before"), part("after"));
    let id = text(payload, "revokedMessageId").or_else(|| text(before?, "id"))?;
    Some(MessageChange {
        provider_id: stanza(id).to_owned(),
        rest: Vec::new(),
        by: author(before.or(after)?)?,
        at: event_time(webhook).or_else(|| after.and_then(instant))?,
        change: ContentChange::Deleted,
    })
}

pub(super) fn is_revoked_of_group(payload: &Value) -> bool {
    ["before", "after"].into_iter().filter_map(|part| payload.get(part)).any(is_of_group)
}
