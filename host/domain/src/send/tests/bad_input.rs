//! A malformed body gives a fault that names the field, and never a panic.

use rand::{Rng, SeedableRng, rngs::StdRng};

use super::*;

fn raw_fault(body: impl AsRef<[u8]>) -> FieldFault {
    SendRequest::parse(SendEndpoint::Whatsapp, body.as_ref(), MAX).unwrap_err().into_listed().remove(0)
}

#[test]
fn a_body_that_is_no_json_object_is_a_fault_of_the_body() {
    for body in ["", "x", "[]", "\"x\"", "{\"sender\":", "null"] {
        assert_eq!(raw_fault(body).field, "body", "{body}");
    }
    assert_eq!(raw_fault([0xff, 0xfe]).field, "body");
}

#[test]
fn every_wrong_type_names_its_field() {
    let cases = [
        ("/sender", "sender"),
        ("/messageType", "messageType"),
        ("/templateName", "templateName"),
        ("/templateId", "templateId"),
        ("/messages", "messages"),
        ("/messages/0", "messages[0]"),
        ("/messages/0/recipients", "messages[0].recipients"),
        ("/messages/0/recipients/0", "messages[0].recipients[0]"),
        ("/messages/0/recipients/0/to", "messages[0].recipients[0].to"),
        ("/messages/0/recipients/0/customerUserId", "messages[0].recipients[0].customerUserId"),
        ("/messages/0/recipients/0/ctId", "messages[0].recipients[0].ctId"),
        ("/messages/0/components", "messages[0].components"),
        ("/messages/0/components/0", "messages[0].components[0]"),
        ("/messages/0/components/0/type", "messages[0].components[0].type"),
        ("/messages/0/components/0/parameters", "messages[0].components[0].parameters"),
        ("/messages/0/components/0/parameters/0", "messages[0].components[0].parameters[0]"),
        ("/messages/0/components/0/cards", "messages[0].components[0].cards"),
        ("/messages/0/components/0/conversationParameters", "messages[0].components[0].conversationParameters"),
        ("/messages/0/messageText", "messages[0].messageText"),
        ("/messages/0/media", "messages[0].media"),
        ("/fallback", "fallback"),
    ];
    for (pointer, field) in cases {
        let fault = fault(&with(notification(), pointer, json!(5)));
        assert_eq!(fault.field, field);
        assert!(fault.message.contains("number 5"), "{fault}");
    }
}

#[test]
fn an_unknown_enum_value_lists_the_allowed_ones() {
    let component = |value: Value| fault(&with(notification(), "/messages/0/components/0", value));
    let kind = component(json!({"type": "footer"}));
    assert_eq!(kind.field, "messages[0].components[0].type");
    assert!(kind.message.contains("`body`") && kind.message.contains("`carousel`"), "{kind}");
    let format = component(json!({"type": "header", "format": "AUDIO"}));
    assert_eq!(format.field, "messages[0].components[0].format");
    assert!(format.message.contains("`DOCUMENT`") && format.message.contains("`VIDEO`"), "{format}");
    let state =
        component(json!({"type": "button", "conversationParameters": [{"payload": "x", "conversationState": "stop"}]}));
    assert_eq!(state.field, "messages[0].components[0].conversationParameters[0].conversationState");
    assert!(state.message.contains("`start` or `end`"), "{state}");
    let no_type = component(json!({"parameters": []}));
    assert_eq!((no_type.field.as_str(), no_type.message.as_str()), ("messages[0].components[0].type", "is required"));
}

#[test]
fn nul_and_lone_surrogates_name_their_field() {
    for bad in [r"\u0000", r"\ud800", r"\udc00x"] {
        let body = chat().to_string().replace("Hello", bad);
        assert_eq!(raw_fault(body).field, "messages[0].messageText", "{bad}");
    }
    let body = with(chat(), "/messages/0/recipients/0/ctId", json!("MARK")).to_string().replace("MARK", r"a\u0000");
    assert_eq!(raw_fault(body).field, "messages[0].recipients[0].ctId");
}

#[test]
fn damaged_bodies_never_panic() {
    let mut randomness = StdRng::seed_from_u64(21);
    let whole = notification().to_string().into_bytes();
    for _ in 0..5_000 {
        let mut body = whole.clone();
        for _ in 0..randomness.random_range(1..4) {
            let at = randomness.random_range(0..body.len());
            match randomness.random_range(0..3) {
                0 => body[at] = randomness.random(),
                1 if body.len() > 1 => {
                    body.remove(at);
                }
                _ => body.truncate(at + 1),
            }
        }
        if let Err(faults) = SendRequest::parse(SendEndpoint::Whatsapp, &body, MAX) {
            assert!(faults.iter().all(|fault| !fault.field.is_empty() && !fault.message.is_empty()));
        }
    }
}
