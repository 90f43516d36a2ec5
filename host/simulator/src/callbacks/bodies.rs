//! The parts of a callback body in Meta's form (PROVIDERS A.8 and A.9).

use serde_json::{Map, Value, json};

use crate::clock;
use crate::graph::errors::reason_of;
use crate::mailbox::{CallbackFields, MessageState, PhoneRecord};
use crate::numbers::BusinessNumber;
use crate::phones::SimulatedPhone;

fn value_of(number: &BusinessNumber) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("messaging_product".to_owned(), json!("whatsapp"));
    value.insert(
        "metadata".to_owned(),
        json!({
            "display_phone_number": number.number,
            "phone_number_id": number.phone_number_id,
        }),
    );
    value
}

fn contact(phone: &SimulatedPhone) -> Value {
    let mut profile = json!({"name": phone.name});
    if let (Some(profile), Some(username)) = (profile.as_object_mut(), &phone.username) {
        profile.insert("username".to_owned(), json!(username));
    }
    let mut contact = json!({"profile": profile, "user_id": phone.user_id});
    if let (Some(contact), false) = (contact.as_object_mut(), phone.hide_phone) {
        contact.insert("wa_id".to_owned(), json!(phone.wa_id()));
    }
    contact
}

pub(crate) fn inbound(
    number: &BusinessNumber,
    phone: &SimulatedPhone,
    wamid: &str,
    content: &Map<String, Value>,
) -> Value {
    let mut message = Map::new();
    if !phone.hide_phone {
        message.insert("from".to_owned(), json!(phone.wa_id()));
    }
    message.insert("from_user_id".to_owned(), json!(phone.user_id));
    message.insert("id".to_owned(), json!(wamid));
    message.insert("timestamp".to_owned(), json!(clock::seconds_as_text()));
    message.extend(content.clone());
    let mut value = value_of(number);
    value.insert("contacts".to_owned(), json!([contact(phone)]));
    value.insert("messages".to_owned(), json!([message]));
    Value::Object(value)
}

/// The `value` of a `system` message, which has no contacts (PROVIDERS A.10).
pub(crate) fn system(number: &BusinessNumber, from: &str, wamid: &str, system: &Value) -> Value {
    let mut value = value_of(number);
    value.insert(
        "messages".to_owned(),
        json!([{
            "from": from,
            "id": wamid,
            "timestamp": clock::seconds_as_text(),
            "type": "system",
            "system": system,
        }]),
    );
    Value::Object(value)
}

pub(crate) fn preference(number: &BusinessNumber, phone: &SimulatedPhone, choice: &str) -> Value {
    let mut preference = json!({
        "user_id": phone.user_id,
        "category": "marketing_messages",
        "value": choice,
        "detail": format!("User requested to {choice} marketing messages"),
        "timestamp": clock::now().timestamp(),
    });
    if let (Some(preference), false) = (preference.as_object_mut(), phone.hide_phone) {
        preference.insert("wa_id".to_owned(), json!(phone.wa_id()));
    }
    let mut value = value_of(number);
    value.insert("contacts".to_owned(), json!([contact(phone)]));
    value.insert("user_preferences".to_owned(), json!([preference]));
    Value::Object(value)
}

pub(crate) struct ReceiptReport<'a> {
    pub(crate) number: &'a BusinessNumber,
    pub(crate) phone: &'a SimulatedPhone,
    pub(crate) message: &'a PhoneRecord,
    pub(crate) sender: &'a CallbackFields,
    pub(crate) progress: MessageState,
    pub(crate) priced: bool,
}

pub(crate) fn status(report: &ReceiptReport<'_>) -> Value {
    let ReceiptReport { number, phone, message, sender, progress, priced } = *report;
    let mut status = Map::new();
    status.insert("id".to_owned(), json!(message.id));
    status.insert("status".to_owned(), json!(progress));
    status.insert("timestamp".to_owned(), json!(clock::seconds_as_text()));
    let failed = progress == MessageState::Failed;
    if !(sender.by_user_id && (failed || phone.hide_phone)) {
        status.insert("recipient_id".to_owned(), json!(phone.wa_id()));
    }
    if sender.by_user_id || !failed {
        status.insert("recipient_user_id".to_owned(), json!(phone.user_id));
    }
    if let Some(opaque) = &sender.opaque {
        status.insert("biz_opaque_callback_data".to_owned(), json!(opaque));
    }
    if priced {
        status.insert("pricing".to_owned(), pricing(&sender.category));
    }
    let mut value = value_of(number);
    if !failed {
        value.insert("contacts".to_owned(), json!([contact(phone)]));
    }
    value.insert("statuses".to_owned(), json!([status]));
    Value::Object(value)
}

pub(crate) fn with_failure(mut value: Value, code: u32) -> Value {
    let (_, title, details) = reason_of(code);
    let errors = json!([{
        "code": code,
        "title": title,
        "message": title,
        "error_data": {"details": details},
        "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    }]);
    if let Some(status) = value.pointer_mut("/statuses/0").and_then(Value::as_object_mut) {
        status.insert("errors".to_owned(), errors);
    }
    value
}

fn pricing(category: &str) -> Value {
    let free = category == "service";
    json!({
        "billable": !free,
        "pricing_model": "PMP",
        "type": if free { "free_customer_service" } else { "regular" },
        "category": category,
    })
}
