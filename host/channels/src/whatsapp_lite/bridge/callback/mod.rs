//! Webhooks of a bridge: signed over the raw bytes with HMAC-SHA512 (`X-Webhook-Hmac`).

use domain::{
    inbound::{InboundContent, InboundMessage, ProviderStatus, StatusUpdate, UnreadableKind},
    inbox::InboxKind,
};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha512;

use super::{
    super::{BridgeCallback, BridgeCallbackRefused, DeviceEvent, REFUSED_BY_DEVICE, placeholder_of, unread_content},
    ids::stanza,
    other_events,
};
use crate::{
    ignored_items::{ignored, unreadable},
    provider_json,
    whatsapp_cloud::callback::fields::{elements, instant, text, word},
};
use content::content;
use fields::{event_time, hidden_id, id, is_ours, phone, sender};

const EVENTS: [&str; 7] = [
    "message",
    "message.any",
    "message.reaction",
    "message.ack",
    "message.edited",
    "message.revoked",
    "message.waiting",
];

/// True if a header has the form of a signature. Other headers need no comparison.
pub fn is_signature(header: &str) -> bool {
    decoded(header).is_some()
}

fn decoded(header: &str) -> Option<[u8; 64]> {
    let mut digest = [0; 64];
    hex::decode_to_slice(header, &mut digest).ok()?;
    Some(digest)
}

pub(super) fn verify(callback: &BridgeCallback<'_>, secret: &str) -> Result<(), BridgeCallbackRefused> {
    let signature = callback.signature.and_then(decoded).ok_or(BridgeCallbackRefused::BadSignature)?;
    if secret.is_empty() {
        return Err(BridgeCallbackRefused::NotExpected);
    }
    let mut mac = Hmac::<Sha512>::new_from_slice(secret.as_bytes()).map_err(|_| BridgeCallbackRefused::NotExpected)?;
    mac.update(callback.body);
    mac.verify_slice(&signature).map_err(|_| BridgeCallbackRefused::BadSignature)
}

/// Unknown kinds are ignored; unreadable items and messages of groups are returned as such.
pub(super) fn parse_events(body: &[u8]) -> Result<Vec<DeviceEvent>, BridgeCallbackRefused> {
    let unread = |reason: String| BridgeCallbackRefused::Unreadable(reason);
    let webhook = provider_json::read(body).map_err(|error| unread(error.to_string()))?;
    if !webhook.is_object() {
        return Err(unread("it is no object".to_owned()));
    }
    let event = text(&webhook, "event").unwrap_or_default();
    if !EVENTS.contains(&event) {
        return Ok(Vec::new());
    }
    match elements(&webhook, "payload") {
        [] => Ok(vec![cannot_read(&webhook)]),
        items => Ok(items.iter().map(|item| told_of(event, item, &webhook)).collect()),
    }
}

fn cannot_read(item: &Value) -> DeviceEvent {
    let reason = "its id, its customer or its time is missing, or has another form";
    DeviceEvent::Unreadable(unreadable(InboxKind::WhatsappLite, UnreadableKind::Event, reason, item))
}

fn left_out(kind: &str, name: &str) -> DeviceEvent {
    DeviceEvent::Ignored(ignored(InboxKind::WhatsappLite, kind, name))
}

fn told_of(event: &str, item: &Value, webhook: &Value) -> DeviceEvent {
    if event == "message.ack" {
        return match (receipt(item, webhook), item.get("ack")) {
            (Some(moved), _) => DeviceEvent::Moved(moved),
            (None, Some(ack)) if !is_known(item) => left_out("status value", &ack.to_string()),
            (None, _) => cannot_read(item),
        };
    }
    if other_events::is_of_group(item) || (event == "message.revoked" && other_events::is_revoked_of_group(item)) {
        let reason = "messages of groups are not supported";
        let kind = UnreadableKind::GroupMessage;
        return DeviceEvent::Unreadable(unreadable(InboxKind::WhatsappLite, kind, reason, item));
    }
    let told = match event {
        "message.edited" => other_events::read_edit(item, webhook).map(|change| DeviceEvent::Changed(Box::new(change))),
        "message.revoked" => {
            other_events::read_revocation(item, webhook).map(|change| DeviceEvent::Changed(Box::new(change)))
        }
        "message.reaction" => reaction(item).map(|message| DeviceEvent::Came(Box::new(message))),
        "message.waiting" => {
            read_message(item, unread_content()).map(|message| DeviceEvent::Came(Box::new(placeholder_of(message))))
        }
        _ if is_ours(item) => other_events::read_own(item),
        _ => message(item).map(|message| DeviceEvent::Came(Box::new(message))),
    };
    match told {
        Some(told) => told,
        None if is_left_out(item) => left_out("event", "not of a chat with a customer"),
        None => cannot_read(item),
    }
}

/// True if a message is our own reaction, or of a chat that is not between two people with known numbers.
fn is_left_out(payload: &Value) -> bool {
    let from = text(payload, "from").unwrap_or_default();
    let is_of_a_number = phone(from).is_some() || !from.contains('@');
    is_ours(payload) || !is_of_a_number
}

fn message(payload: &Value) -> Option<InboundMessage> {
    read_message(payload, content(payload))
}

fn read_message(payload: &Value, content: InboundContent) -> Option<InboundMessage> {
    if is_ours(payload) {
        return None;
    }
    let (from, hidden) = (sender(payload), text(payload, "from").and_then(hidden_id));
    if from.is_none() && hidden.is_none() {
        return None;
    }
    let data = payload.get("_data");
    let name = data.and_then(|data| text(data, "notifyName").or_else(|| text(data, "pushName")));
    let quoted = payload.get("replyTo").and_then(id);
    Some(InboundMessage {
        provider_id: id(payload)?,
        from,
        from_user_id: None,
        from_parent_user_id: None,
        from_address: hidden,
        profile_name: name.map(str::to_owned),
        username: None,
        sent_at: instant(payload)?,
        quoted_provider_id: quoted,
        content,
        raw: payload.clone(),
        referral: None,
    })
}

/// An empty text removes the reaction.
fn reaction(payload: &Value) -> Option<InboundMessage> {
    let reaction = payload.get("reaction")?;
    let message_id = word(reaction, "messageId").map(|id| stanza(&id).to_owned())?;
    read_message(payload, InboundContent::Reaction { message_id, emoji: text(reaction, "text").map(str::to_owned) })
}

fn read_status(receipt: &Value) -> Option<ProviderStatus> {
    match word(receipt, "ack")?.parse::<i64>().ok()? {
        -1 => Some(ProviderStatus::Failed),
        1 => Some(ProviderStatus::Sent),
        2 => Some(ProviderStatus::Delivered),
        3 => Some(ProviderStatus::Read),
        4 => Some(ProviderStatus::Played),
        _ => None,
    }
}

fn is_known(receipt: &Value) -> bool {
    read_status(receipt).is_some()
}

fn receipt(payload: &Value, webhook: &Value) -> Option<StatusUpdate> {
    let status = read_status(payload)?;
    let failure = domain::inbound::ProviderFailure {
        code: REFUSED_BY_DEVICE,
        text: "the device could not send the message".to_owned(),
    };
    Some(StatusUpdate {
        provider_id: id(payload)?,
        opaque: None,
        status,
        at: instant(payload).or_else(|| event_time(webhook))?,
        recipient: None,
        recipient_user_id: None,
        error: (status == ProviderStatus::Failed).then_some(failure),
    })
}

pub(super) mod content;
pub(super) mod fields;
#[cfg(test)]
mod tests;
