use serde_json::{Value, json};

use super::*;
use crate::body::{Faults, FieldFault};

mod bad_input;
mod chat;
mod conversation;
mod request;
mod resolve;
mod response;
mod sms;

const MAX: usize = 1000;

fn notification() -> Value {
    json!({
        "sender": "+27110000000", "messageType": "NOTIFICATION", "templateName": "order_ready", "templateId": "920",
        "messages": [{"recipients": [{"to": "27820000001", "ctId": "c1"}], "components": [{"type": "body", "parameters": ["Zo"]}]}],
    })
}

fn chat() -> Value {
    json!({
        "sender": "27110000000", "messageType": "CHAT",
        "messages": [{"recipients": [{"to": "27820000001"}], "messageText": "Hello"}],
    })
}

/// `base` with the value at a JSON pointer replaced or added.
fn with(mut base: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = base.pointer_mut(parent).unwrap();
    match parent {
        Value::Object(fields) => {
            fields.insert(key.to_owned(), value);
        }
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        _ => panic!("nothing can be put at {pointer}"),
    }
    base
}

/// `base` without the field at a JSON pointer.
fn without(mut base: Value, pointer: &str) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    base.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
    base
}

fn parse(body: &Value) -> Result<SendRequest, Faults> {
    SendRequest::parse(SendEndpoint::Whatsapp, body.to_string().as_bytes(), MAX)
}

fn accepted(send: &ResolvedSend) -> Vec<&AcceptedRecipient> {
    send.parts.iter().flat_map(ResolvedPart::accepted).collect()
}

fn rejected(send: &ResolvedSend) -> Vec<&RejectedRecipient> {
    send.parts.iter().flat_map(ResolvedPart::rejected).collect()
}

fn fields(body: &Value) -> Vec<String> {
    parse(body).unwrap_err().into_listed().into_iter().map(|fault| fault.field).collect()
}

/// The only fault of a body.
fn fault(body: &Value) -> FieldFault {
    let mut faults = parse(body).unwrap_err().into_listed();
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}
