use super::*;
use crate::content::{OutboundContent, SmsContent};

fn sms() -> Value {
    json!({ "messages": [{ "recipients": [{ "to": "+27820000001", "ctId": "c1" }], "messageText": "Hello" }] })
}

fn parse(body: &Value) -> Result<SmsRequest, Vec<String>> {
    match SendBody::parse(SendEndpoint::Sms, body.to_string().as_bytes(), MAX) {
        Ok(SendBody::Sms(request)) => Ok(request),
        Ok(SendBody::Message(_)) => panic!("no SMS"),
        Err(faults) => Err(faults.into_listed().into_iter().map(|fault| fault.field).collect()),
    }
}

#[test]
fn an_sms_has_a_text_and_recipients_and_may_name_its_source() {
    let request = parse(&sms()).unwrap();
    assert_eq!((request.source(), request.recipient_count()), (None, 1));
    let parts = request.resolve();
    let expected = SmsContent { text: "Hello".to_owned(), unicode: false, source: None, ..SmsContent::default() };
    assert_eq!(parts[0].content, OutboundContent::Sms(expected));
    let accepted = parts[0].recipients[0].as_ref().unwrap();
    assert_eq!((accepted.recipient.phone(), accepted.ct_id.as_deref()), (Some("27820000001"), Some("c1")));

    assert_eq!(parse(&with(sms(), "/sender", json!("SHOP"))).unwrap().source(), Some("SHOP"));
    assert_eq!(parse(&with(sms(), "/sender", json!("+27110000000"))).unwrap().source(), Some("27110000000"));
    assert_eq!(parse(&with(sms(), "/sender", json!(""))).unwrap().source(), None);
    assert_eq!(parse(&with(sms(), "/sender", json!("x".repeat(17)))).unwrap_err(), ["sender"]);
}

#[test]
fn a_recipient_of_an_sms_needs_a_number_and_its_user_id_is_dropped() {
    let entries = json!([{ "to": "27820000001", "customerUserId": "ZA.1" }, { "customerUserId": "ZA.1" }, {}]);
    let parts = parse(&with(sms(), "/messages/0/recipients", entries)).unwrap().resolve();
    assert_eq!(parts[0].recipients[0].as_ref().unwrap().recipient.other(), None);
    let reasons: Vec<RejectionReason> =
        parts[0].recipients[1..].iter().map(|entry| entry.as_ref().unwrap_err().reason).collect();
    assert_eq!(reasons, [RejectionReason::NoPhone, RejectionReason::Address(RecipientFault::NoAddress)]);
}

#[test]
fn a_text_is_required_and_limited_in_parts() {
    assert_eq!(parse(&without(sms(), "/messages/0/messageText")).unwrap_err(), ["messages[0].messageText"]);
    assert_eq!(parse(&with(sms(), "/messages/0/messageText", json!(" "))).unwrap_err(), ["messages[0].messageText"]);
    let long = |length: usize| with(sms(), "/messages/0/messageText", json!("a".repeat(length)));
    assert!(parse(&long(153 * 255)).is_ok());
    assert_eq!(parse(&long(153 * 255 + 1)).unwrap_err(), ["messages[0].messageText"]);
    assert_eq!(parse(&with(long(67 * 255 + 1), "/unicode", json!(true))).unwrap_err(), ["messages[0].messageText"]);
}

#[test]
fn the_unified_endpoint_takes_an_sms_below_payload() {
    let body = json!({ "channel": "SMS", "payload": without(sms(), "/messages/0/messageText") });
    let faults = SendBody::parse(SendEndpoint::Unified, body.to_string().as_bytes(), MAX).unwrap_err();
    assert_eq!(faults[0].field, "payload.messages[0].messageText");
}
