//! Delivery statuses (PROVIDERS A.9), in the new form and in that of conversation pricing.

use channels::whatsapp_cloud::callback::parse;
use chrono::DateTime;
use domain::inbound::{CallbackBody, CallbackItem, CallbackTarget, ProviderFailure, ProviderStatus, StatusUpdate};
use serde_json::{Value, json};

use crate::{callback_faults::unreadable, callback_messages::change};

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
fn incomplete_errors_are_read_as_far_as_possible() {
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
fn a_status_that_cannot_be_read_is_kept_and_its_neighbours_are_taken() {
    let good = json!({"id":"wamid.X","status":"read","timestamp":"1760000001","recipient_id":"1"});
    for (odd, reason) in [
        (json!(null), "`status` is missing"),
        (json!({"id":"wamid.1","status":"read"}), "`timestamp` is missing or no time"),
        (json!({"id":"wamid.1","status":"read","timestamp":"soon"}), "`timestamp` is missing or no time"),
        (json!({"status":"read","timestamp":"1"}), "`id` is missing"),
        (json!({"id":"w".repeat(513),"status":"read","timestamp":"1"}), "`id` is longer than 512 bytes"),
        (json!({"id":"wamid.2","timestamp":"1"}), "`status` is missing"),
        (json!({"id":"wamid.2","status":[],"timestamp":"1"}), "`status` is missing"),
    ] {
        let items = items(json!([good, odd, good]));
        assert_eq!(unreadable(&items), [("status".to_owned(), reason.to_owned(), odd)]);
        assert_eq!((items.len(), items[2].dedupe_key.as_str()), (3, "status:wamid.X:read"));
    }
    let numbered = items(json!([{"id":7,"status":"read","timestamp":1}]));
    assert_eq!(numbered[0].dedupe_key, "status:7:read");
}

#[test]
fn a_status_that_is_not_about_delivery_or_not_known_moves_nothing() {
    let with = |more: Value| {
        let mut status = json!({"id":"wamid.X","status":"failed","timestamp":"1760000001","recipient_id":"1"});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        status
    };
    for (status, kind, name) in [
        (with(json!({"type":"payment","payment":{"reference_id":"r"}})), "status type", "payment"),
        (with(json!({"type":"payment","status":"captured"})), "status type", "payment"),
        (with(json!({"type":"Message"})), "status type", "Message"),
        (with(json!({"type":"call"})), "status type", "call"),
        (with(json!({"type":7})), "status type", "7"),
        (with(json!({"type":{}})), "status type", "{}"),
        (with(json!({"type":"payment","id":null,"timestamp":null})), "status type", "payment"),
        (with(json!({"status":"warning"})), "status value", "warning"),
        (with(json!({"status":"deleted","timestamp":"never"})), "status value", "deleted"),
        (with(json!({"status":"FAILED"})), "status value", "FAILED"),
        (with(json!({"status":5})), "status value", "5"),
    ] {
        // The form that is read in one pass gives the same.
        for around in [json!([status]), json!([with(json!({})), status]), json!([status, with(json!({}))])] {
            let items = items(around.clone());
            let ignored: Vec<(&str, &str)> = items
                .iter()
                .filter_map(|item| match &item.body {
                    CallbackBody::Ignored(item) => Some((item.kind.as_str(), item.name.as_str())),
                    _ => None,
                })
                .collect();
            assert_eq!(ignored, [(kind, name)], "{around}");
            let moved = items.iter().filter(|item| matches!(item.body, CallbackBody::Status(_))).count();
            assert_eq!(moved, around.as_array().unwrap().len() - 1);
        }
    }
    for kind in [json!("message"), json!(null)] {
        assert_eq!(update(with(json!({"type": kind}))).status, ProviderStatus::Failed);
    }
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
