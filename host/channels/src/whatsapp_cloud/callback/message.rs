//! Inbound messages (PROVIDERS A.8) and the system messages that come in the same list (A.10).

use std::collections::HashMap;

use domain::{
    address::{Address, AddressKind},
    inbound::{CallbackBody, InboundMessage},
};
use serde_json::{Value, json};

use super::{
    content::content_of,
    edit,
    fields::{digits, elements, instant, owned, text},
    group,
    item::id,
    message_fields::{NO_TIME, message_id, type_of},
    referral::referral_of,
};

const CONTACT_MAX_BYTES: usize = 8 * 1024;

/// The contacts of a change, found by the addresses in messages.
#[derive(Default)]
pub(super) struct Contacts<'a> {
    all: &'a [Value],
    /// Their positions; of several contacts with one name, the first.
    by_phone: HashMap<String, usize>,
    by_user: HashMap<&'a str, usize>,
}

impl<'a> Contacts<'a> {
    pub fn of(value: &'a Value) -> Self {
        let all = elements(value, "contacts");
        let (mut by_phone, mut by_user) = (HashMap::new(), HashMap::new());
        for (place, contact) in all.iter().enumerate().filter(|(_, contact)| is_small(contact)) {
            if let Some(phone) = digits(contact, "wa_id") {
                by_phone.entry(phone).or_insert(place);
            }
            if let Some(user) = text(contact, "user_id") {
                by_user.entry(user).or_insert(place);
            }
        }
        Self { all, by_phone, by_user }
    }

    /// The contact of a message: with the same phone number or user id; the only contact, if the message names neither.
    fn of_message(&self, message: &Value) -> Option<&'a Value> {
        let phone = digits(message, "from");
        let user = text(message, "from_user_id");
        if phone.is_none() && user.is_none() {
            return match self.all {
                [only] if is_small(only) => Some(only),
                _ => None,
            };
        }
        let by_phone = phone.and_then(|phone| self.by_phone.get(&phone));
        let by_user = user.and_then(|user| self.by_user.get(user));
        self.all.get(*by_phone.into_iter().chain(by_user).min()?)
    }
}

/// A contact has some hundred bytes. It is stored with every message, so it must be short.
fn is_small(contact: &Value) -> bool {
    serde_json::to_string(contact).is_ok_and(|text| text.len() <= CONTACT_MAX_BYTES)
}

pub(super) fn message_item(
    message: &Value,
    value: &Value,
    contacts: &Contacts<'_>,
) -> Result<(String, CallbackBody), &'static str> {
    let contact = contacts.of_message(message);
    let message_id = message_id(message)?;
    let kind = type_of(message);
    let dedupe_key = format!("message:{message_id}");
    if group::is_of_group(message) {
        return Ok((dedupe_key, group::of_group(message)));
    }
    match kind {
        "system" => {
            let system = message.get("system").and_then(|system| text(system, "type")).unwrap_or("unknown");
            Ok((dedupe_key, kept_whole(&format!("system.{system}"), message, value, contact)))
        }
        _ if edit::is_change(kind) => {
            let by = edit::customer(message, contact).ok_or("its customer is missing")?;
            let change = edit::change(kind, message, by)?;
            Ok((dedupe_key, CallbackBody::Change(Box::new(change))))
        }
        _ => Ok((dedupe_key, CallbackBody::Message(Box::new(inbound(message_id, kind, message, contact)?)))),
    }
}

/// The message with the facts of the change about its number and its customer; the rest of the change is about others.
fn kept_whole(field: &str, message: &Value, value: &Value, contact: Option<&Value>) -> CallbackBody {
    let number = |name: &str| value.get("metadata").and_then(|metadata| id(metadata, name));
    let metadata = json!({
        "display_phone_number": number("display_phone_number"),
        "phone_number_id": number("phone_number_id"),
    });
    let kept = json!({ "message": message, "metadata": metadata, "contacts": contact.into_iter().collect::<Vec<_>>() });
    CallbackBody::Account { field: field.to_owned(), value: kept }
}

fn inbound(
    provider_id: String,
    kind: &str,
    message: &Value,
    contact: Option<&Value>,
) -> Result<InboundMessage, &'static str> {
    let sent_at = instant(message).ok_or(NO_TIME)?;
    let of_contact = |name: &str| contact.and_then(|contact| owned(contact, name));
    let profile = contact.and_then(|contact| contact.get("profile"));
    let from = digits(message, "from").or_else(|| contact.and_then(|contact| digits(contact, "wa_id")));
    let from_user_id = owned(message, "from_user_id").or_else(|| of_contact("user_id"));
    let is_address = |kind, value: &Option<String>| Address::of_kind(kind, value.as_deref()?);
    if is_address(AddressKind::Phone, &from).or_else(|| is_address(AddressKind::Bsuid, &from_user_id)).is_none() {
        // There is no customer to answer or to store it for.
        return Err("`from` is no phone number and `from_user_id` no user id");
    }
    let quoted = message.get("context").and_then(|context| message_id(context).ok());
    Ok(InboundMessage {
        provider_id,
        from,
        from_user_id,
        from_parent_user_id: owned(message, "from_parent_user_id").or_else(|| of_contact("parent_user_id")),
        from_address: None,
        profile_name: profile.and_then(|profile| owned(profile, "name")),
        username: profile.and_then(|profile| owned(profile, "username")),
        sent_at,
        quoted_provider_id: quoted,
        content: content_of(kind, message),
        raw: message.clone(),
        referral: referral_of(message),
    })
}
