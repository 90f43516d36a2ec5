//! Inbound messages (PROVIDERS A.8) and the system messages that come in the same list (A.10).

use domain::inbound::{CallbackBody, InboundMessage};
use serde_json::{Value, json};

use super::{
    content::content_of,
    fields::{digits, instant, list, owned, text},
};

/// Dedupe key and body of one element of `messages`; `None` when it is malformed. `value` is the change it came in.
pub(super) fn message_item(message: &Value, value: &Value) -> Option<(String, CallbackBody)> {
    let id = text(message, "id")?;
    let kind = text(message, "type")?;
    let dedupe_key = format!("message:{id}");
    match kind {
        "system" => {
            let system = message.get("system").and_then(|system| text(system, "type")).unwrap_or("unknown");
            Some((dedupe_key, kept_whole(&format!("system.{system}"), message, value)))
        }
        // They refer to earlier messages; the product has no notion of them.
        "edit" | "revoke" => Some((dedupe_key, kept_whole(&format!("message.{kind}"), message, value))),
        _ => Some((dedupe_key, CallbackBody::Message(Box::new(inbound(id, kind, message, value)?)))),
    }
}

fn kept_whole(field: &str, message: &Value, value: &Value) -> CallbackBody {
    let kept = json!({ "message": message, "metadata": value.get("metadata"), "contacts": value.get("contacts") });
    CallbackBody::Account { field: field.to_owned(), value: kept }
}

fn inbound(id: &str, kind: &str, message: &Value, value: &Value) -> Option<InboundMessage> {
    let sent_at = instant(message)?;
    let contact = contact_of(message, value);
    let of_contact = |name: &str| contact.and_then(|contact| owned(contact, name));
    let profile = contact.and_then(|contact| contact.get("profile"));
    let from = digits(message, "from").or_else(|| contact.and_then(|contact| digits(contact, "wa_id")));
    let from_user_id = owned(message, "from_user_id").or_else(|| of_contact("user_id"));
    if from.is_none() && from_user_id.is_none() {
        // Nobody to answer, and nobody to keep it for.
        return None;
    }
    let quoted = message.get("context").and_then(|context| owned(context, "id"));
    Some(InboundMessage {
        provider_id: id.to_owned(),
        from,
        from_user_id,
        from_parent_user_id: owned(message, "from_parent_user_id").or_else(|| of_contact("parent_user_id")),
        profile_name: profile.and_then(|profile| owned(profile, "name")),
        username: profile.and_then(|profile| owned(profile, "username")),
        sent_at,
        quoted_provider_id: quoted,
        content: content_of(kind, message),
        raw: message.clone(),
    })
}

/// The contact that belongs to a message: same phone number or same user id; the only one, when the message names neither.
fn contact_of<'a>(message: &Value, value: &'a Value) -> Option<&'a Value> {
    let contacts = list(value, "contacts");
    let phone = digits(message, "from");
    let user = text(message, "from_user_id");
    if phone.is_none() && user.is_none() {
        return match contacts {
            [only] => Some(only),
            _ => None,
        };
    }
    contacts.iter().find(|contact| {
        let same_user = user.is_some() && text(contact, "user_id") == user;
        let same_phone = phone.is_some() && digits(contact, "wa_id") == phone;
        same_user || same_phone
    })
}
