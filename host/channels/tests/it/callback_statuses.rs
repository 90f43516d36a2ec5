//! Delivery statuses (PROVIDERS A.9), in the new form and in that of conversation pricing.

use channels::whatsapp_cloud::callback::parse;
use chrono::DateTime;
use domain::inbound::{CallbackBody, CallbackItem, CallbackTarget, ProviderFailure, ProviderStatus, StatusUpdate};
use serde_json::{Value, json};

use crate::callback_messages::change;

fn items(statuses: Value) -> Vec<CallbackItem> {
    parse(&change(json!({ "statuses": statuses }))).unwrap()
}

fn update(status: Value) -> StatusUpdate {
    let mut items = items(json!([status]));
    assert_eq!(items.len(), 1);
    match items.remove(0).body {
        CallbackBody::Status(update) => update,
        other => panic!("not a status: {other:?}"),
    }
}

#[test]
fn a_delivered_status_carries_our_id() {
    let pricing = json!({"billable":true,"pricing_model":"PMP","type":"regular","category":"marketing"});
    let status = json!({"id":"wamid.X","status":"delivered","timestamp":"1760000001","recipient_id":"27820000001",
        "recipient_user_id":"ZA.100","biz_opaque_callback_data":"msg_01J","pricing":pricing});
    let expected = StatusUpdate {
        provider_id: "wamid.X".into(),
        opaque: Some("msg_01J".into()),
        status: ProviderStatus::Delivered,
        at: DateTime::from_timestamp(1_760_000_001, 0).unwrap(),
        recipient: Some("27820000001".into()),
        recipient_user_id: Some("ZA.100".into()),
        error: None,
    };
    let items = items(json!([status.clone()]));
    assert_eq!(items[0].dedupe_key, "status:wamid.X:delivered");
    assert_eq!(items[0].target, CallbackTarget::PhoneNumberId("PN".into()));
    assert_eq!(update(status), expected);
}

#[test]
fn a_failure_comes_without_contacts_and_keeps_code_and_details() {
    let status = json!({"id":"wamid.X","status":"failed","timestamp":"1760000001","recipient_id":"27820000001",
        "errors":[{"code":131026,"title":"Message undeliverable","message":"Message undeliverable",
                   "error_data":{"details":"Message Undeliverable."},"href":"https://x"}]});
    let failed = update(status);
    assert_eq!(failed.status, ProviderStatus::Failed);
    assert_eq!(failed.error, Some(ProviderFailure { code: 131_026, text: "Message Undeliverable.".into() }));
    assert_eq!(failed.recipient_user_id, None);
}

#[test]
fn errors_in_poorer_forms_are_read_as_far_as_they_go() {
    let failed = |errors: Value| {
        update(
            json!({"id":"wamid.X","status":"failed","timestamp":1760000001,"recipient_user_id":"ZA.1","errors":errors}),
        )
        .error
    };
    let text = |text: &str| Some(ProviderFailure { code: 131_047, text: text.into() });
    assert_eq!(failed(json!([{"code":131047,"title":"Re-engagement"}])), text("Re-engagement"));
    assert_eq!(failed(json!([{"code":"131047","message":"m","title":"t"}])), text("m"));
    assert_eq!(failed(json!([null, {"title":"no code"}, {"code":131047}])), text("no description"));
    assert_eq!(failed(json!([])), None);
    assert_eq!(failed(json!("x")), None);
}

#[test]
fn every_status_has_its_own_key_and_repetitions_have_the_same() {
    let status = |name: &str| json!({"id":"wamid.X","status":name,"timestamp":"1760000001","recipient_id":"1"});
    let names = ["sent", "delivered", "read", "played", "failed", "sent"];
    let items = items(Value::Array(names.iter().map(|name| status(name)).collect()));
    let keys: Vec<&str> = items.iter().map(|item| item.dedupe_key.as_str()).collect();
    let mut expected: Vec<String> = names.iter().map(|name| format!("status:wamid.X:{name}")).collect();
    assert_eq!(keys, expected);
    expected.sort();
    expected.dedup();
    assert_eq!(expected.len(), 5);
}

#[test]
fn the_form_of_conversation_pricing_is_still_read() {
    let status = json!({"id":"wamid.X","status":"sent","timestamp":"1690000000","recipient_id":"27820000001",
        "conversation":{"id":"c1","expiration_timestamp":"1690086400","origin":{"type":"marketing"}},
        "pricing":{"billable":true,"pricing_model":"CBP","category":"marketing"}});
    let sent = update(status);
    assert_eq!((sent.opaque, sent.error), (None, None));
}

#[test]
fn unknown_and_malformed_statuses_do_not_stop_the_batch() {
    let good = json!({"id":"wamid.X","status":"read","timestamp":"1760000001","recipient_id":"1"});
    let items = items(json!([
        null,
        {"id":"wamid.1","status":"read"},
        {"status":"read","timestamp":"1"},
        {"id":"wamid.2","status":"warning","timestamp":"1"},
        {"id":"wamid.3","status":"deleted","timestamp":"1"},
        {"id":7,"status":"read","timestamp":"1"},
        good
    ]));
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].dedupe_key, "status:wamid.X:read");
}

#[test]
fn messages_and_statuses_may_share_a_change() {
    let value = json!({
        "messages":[{"from":"1111111","id":"wamid.M","timestamp":"1760000000","type":"text","text":{"body":"x"}}],
        "statuses":[{"id":"wamid.S","status":"sent","timestamp":"1760000000"}],
        "errors":[{"code":130429,"title":"Rate limit hit"}]});
    let keys: Vec<String> = parse(&change(value)).unwrap().into_iter().map(|item| item.dedupe_key).collect();
    assert_eq!(keys, ["message:wamid.M", "status:wamid.S:sent"]);
}
