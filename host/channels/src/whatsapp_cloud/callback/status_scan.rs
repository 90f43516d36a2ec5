//! Callbacks with statuses only, in their usual form, read in one pass. Others:
//! [`provider_json`](crate::provider_json).

use domain::{
    inbound::{CallbackBody, CallbackItem, CallbackTarget, StatusUpdate},
    phone,
};
use serde::{Deserialize, de::IgnoredAny};

use super::{
    fields::instant_of,
    item::{ITEMS_MAX, OBJECT},
    message_fields::MESSAGE_ID_MAX_BYTES,
    names::ID_MAX_BYTES,
    status::{OF_A_MESSAGE, dedupe_key, read_status},
};

#[derive(Deserialize)]
struct Body<'raw> {
    object: &'raw str,
    #[serde(borrow)]
    entry: Vec<Entry<'raw>>,
}

#[derive(Deserialize)]
struct Entry<'raw> {
    #[serde(borrow)]
    changes: Vec<Change<'raw>>,
}

#[derive(Deserialize)]
struct Change<'raw> {
    field: &'raw str,
    #[serde(borrow)]
    value: Statuses<'raw>,
}

/// Any other field of a change makes it another callback.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Statuses<'raw> {
    #[serde(rename = "messaging_product")]
    _product: Option<IgnoredAny>,
    #[serde(borrow)]
    metadata: Metadata<'raw>,
    /// Statuses come with contacts too, which are not needed.
    #[serde(rename = "contacts")]
    _contacts: Option<IgnoredAny>,
    #[serde(borrow)]
    statuses: Vec<Status<'raw>>,
}

#[derive(Deserialize)]
struct Metadata<'raw> {
    phone_number_id: &'raw str,
}

#[derive(Deserialize)]
struct Status<'raw> {
    id: &'raw str,
    status: &'raw str,
    /// Statuses of other objects than messages are read by the general parser.
    #[serde(rename = "type")]
    kind: Option<&'raw str>,
    timestamp: &'raw str,
    recipient_id: Option<&'raw str>,
    recipient_user_id: Option<&'raw str>,
    biz_opaque_callback_data: Option<&'raw str>,
    errors: Option<IgnoredAny>,
}

/// As [`parse`](super::parse) returns them; `None` for another callback, or another form.
pub(super) fn statuses(raw: &[u8]) -> Option<Vec<CallbackItem>> {
    let Body { object, entry } = serde_json::from_slice(raw).ok()?;
    let mut items = Vec::new();
    for Change { field, value } in entry.iter().flat_map(|entry| &entry.changes) {
        let number_id = value.metadata.phone_number_id;
        if *field != "messages" || !(1..=ID_MAX_BYTES).contains(&number_id.len()) {
            return None;
        }
        for status in &value.statuses {
            let target = CallbackTarget::PhoneNumberId(number_id.to_owned());
            let dedupe_key = dedupe_key(status.id, status.status);
            items.push(CallbackItem { dedupe_key, target, body: CallbackBody::Status(update(status)?) });
        }
    }
    (object == OBJECT && items.len() <= ITEMS_MAX).then_some(items)
}

/// `None` for a malformed status, one without meaning here, or a failure: the general parser reads these few.
fn update(status: &Status<'_>) -> Option<StatusUpdate> {
    let given = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    let is_of_a_message = status.kind.is_none_or(|kind| kind == OF_A_MESSAGE);
    if status.errors.is_some() || !is_of_a_message || !(1..=MESSAGE_ID_MAX_BYTES).contains(&status.id.len()) {
        return None;
    }
    Some(StatusUpdate {
        provider_id: status.id.to_owned(),
        opaque: given(status.biz_opaque_callback_data),
        status: read_status(status.status)?,
        at: instant_of(status.timestamp.trim().parse().ok()?)?,
        recipient: status.recipient_id.and_then(phone::written_digits),
        recipient_user_id: given(status.recipient_user_id),
        error: None,
    })
}
