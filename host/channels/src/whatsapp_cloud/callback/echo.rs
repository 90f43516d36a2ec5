//! Messages that the business sends with the WhatsApp Business app (field `smb_message_echoes`). The API's are not repeated.

use domain::{
    address::{Address, AddressKind},
    change::Author,
    content::{OutboundContent, OutboundMedia, Reaction},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, Echo, InboundContent, InboundMedia, UnreadableKind},
};
use serde_json::Value;

use super::{
    content::content_of,
    edit,
    fields::{digits, elements, instant, owned, text},
    group::{is_of_group, of_group},
    item::cannot_read,
    message_fields::{NO_TIME, message_id, type_of},
};

pub(super) const FIELD: &str = "smb_message_echoes";

pub(super) fn echoes_change(target: &CallbackTarget, value: &Value, items: &mut Vec<CallbackItem>) {
    for message in elements(value, "message_echoes") {
        items.push(match echo_item(message) {
            Ok((dedupe_key, body)) => CallbackItem { dedupe_key, target: target.clone(), body },
            Err(reason) => cannot_read(target.clone(), UnreadableKind::MessageEcho, reason, message),
        });
    }
}

fn echo_item(message: &Value) -> Result<(String, CallbackBody), &'static str> {
    let provider_id = message_id(message)?;
    let kind = type_of(message);
    let body = if is_of_group(message) {
        of_group(message)
    } else if edit::is_change(kind) {
        CallbackBody::Change(Box::new(edit::change(kind, message, Author::Business)?))
    } else {
        CallbackBody::Echo(Box::new(echo(&provider_id, kind, message)?))
    };
    Ok((format!("echo:{provider_id}"), body))
}

fn echo(provider_id: &str, kind: &str, message: &Value) -> Result<Echo, &'static str> {
    let phone = digits(message, "to").and_then(|phone| Address::of_kind(AddressKind::Phone, &phone));
    let user = text(message, "to_user_id").and_then(|id| Address::of_kind(AddressKind::Bsuid, id));
    let (to, also_to) = match (phone, user) {
        (Some(phone), user) => (phone, user),
        (None, user) => (user.ok_or("`to` and `to_user_id` name no customer")?, None),
    };
    let (content, file) = as_sent(content_of(kind, message));
    Ok(Echo {
        provider_id: provider_id.to_owned(),
        to,
        also_to,
        sent_at: instant(message).ok_or(NO_TIME)?,
        quoted_provider_id: message.get("context").and_then(|context| owned(context, "id")),
        content,
        file,
    })
}

/// Content that the business sent elsewhere: as a message of ours, and its file, which has to be downloaded.
pub fn as_sent(content: InboundContent) -> (OutboundContent, Option<InboundMedia>) {
    let sent = match content {
        InboundContent::Media(file) => {
            let media = OutboundMedia {
                kind: file.media_kind,
                url: file.url.clone().unwrap_or_default(),
                caption: file.caption.clone(),
                filename: file.filename.clone(),
            };
            return (OutboundContent::Media(media), Some(file));
        }
        InboundContent::Text { body } => OutboundContent::Text { body },
        InboundContent::Location(place) => OutboundContent::Location(place),
        InboundContent::Button { text, .. } | InboundContent::Interactive { text, .. } => {
            OutboundContent::Text { body: text }
        }
        InboundContent::Reaction { message_id, emoji } => OutboundContent::Reaction(Reaction { message_id, emoji }),
        InboundContent::Contact { formatted } => OutboundContent::Text { body: formatted },
        InboundContent::Unmodelled(other) => OutboundContent::Text { body: other.text },
    };
    (sent, None)
}
