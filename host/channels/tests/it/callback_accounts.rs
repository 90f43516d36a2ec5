//! System messages and account fields (PROVIDERS A.10).

use channels::whatsapp_cloud::callback::parse;
use domain::inbound::{CallbackBody, CallbackItem, CallbackTarget};
use serde_json::{Value, json};

use crate::callback_messages::change;

fn account(field: &str, time: i64, value: Value) -> Vec<CallbackItem> {
    let body = json!({"object":"whatsapp_business_account","entry":[
        {"id":"WABA","time":time,"changes":[{"field":field,"value":value}]}]});
    parse(body.to_string().as_bytes()).unwrap()
}

fn body(item: &CallbackItem) -> (&str, &Value) {
    match &item.body {
        CallbackBody::Account { field, value } => (field, value),
        other => panic!("not an account item: {other:?}"),
    }
}

#[test]
fn a_changed_number_is_an_account_item_of_the_business_number() {
    let message = json!({"from":"27820000001","id":"wamid.S","timestamp":"1760000000","type":"system",
        "system":{"type":"user_changed_number","wa_id":"27820000009","body":"User A changed","user_id":"ZA.2","previous_user_id":"ZA.1"}});
    let items = parse(&change(json!({"messages":[message.clone()]}))).unwrap();
    assert_eq!(items[0].dedupe_key, "message:wamid.S");
    assert_eq!(items[0].target, CallbackTarget::PhoneNumberId("PN".into()));
    let (field, value) = body(&items[0]);
    assert_eq!((field, &value["message"]), ("system.user_changed_number", &message));
    assert_eq!(value["metadata"]["phone_number_id"], "PN");
}

#[test]
fn other_system_messages_are_not_messages_either() {
    for (kind, part, expected) in [
        ("system", json!({"type":"user_changed_user_id"}), "system.user_changed_user_id"),
        ("system", json!({"type":"customer_identity_changed"}), "system.customer_identity_changed"),
        ("system", json!({}), "system.unknown"),
    ] {
        let mut message = json!({"from":"27820000001","id":"wamid.S","timestamp":"1760000000","type":kind});
        message[kind] = part;
        let items = parse(&change(json!({ "messages": [message] }))).unwrap();
        assert_eq!(body(&items[0]).0, expected);
    }
}

#[test]
fn template_and_quality_fields_belong_to_the_business_account() {
    let cases = [
        (
            "message_template_status_update",
            json!({"event":"APPROVED","message_template_id":920,"message_template_name":"a"}),
        ),
        ("message_template_quality_update", json!({"previous_quality_score":"GREEN","new_quality_score":"RED"})),
        ("message_template_components_update", json!({"message_template_element":"Hi"})),
        ("phone_number_quality_update", json!({"display_phone_number":"27110000000","event":"ONBOARDING"})),
        ("business_capability_update", json!({"max_daily_conversations_per_business":"TIER_2K"})),
        ("account_update", json!({"event":"ACCOUNT_RESTRICTION"})),
        ("a_field_of_next_year", json!({"x":1})),
    ];
    for (field, value) in cases {
        let items = account(field, 1, value.clone());
        assert_eq!(items[0].target, CallbackTarget::Waba("WABA".into()));
        assert_eq!(body(&items[0]), (field, &value));
        assert!(items[0].dedupe_key.starts_with("account:") && items[0].dedupe_key.len() == 8 + 64);
    }
}

#[test]
fn fields_with_metadata_belong_to_their_number() {
    let value = json!({"metadata":{"phone_number_id":"PN"},
        "user_preferences":[{"wa_id":"1","category":"marketing_messages","value":"stop","timestamp":1}]});
    let items = account("user_preferences", 1, value);
    assert_eq!(items[0].target, CallbackTarget::PhoneNumberId("PN".into()));
}

#[test]
fn a_repetition_has_the_same_key_and_a_second_occurrence_another() {
    let paused = || json!({"event":"PAUSED","message_template_id":920});
    let first = &account("message_template_status_update", 1_760_000_000, paused())[0];
    let repeated = &account("message_template_status_update", 1_760_000_000, paused())[0];
    let again = &account("message_template_status_update", 1_760_009_999, paused())[0];
    let other_field = &account("account_update", 1_760_000_000, paused())[0];
    assert_eq!(first.dedupe_key, repeated.dedupe_key);
    assert_ne!(first.dedupe_key, again.dedupe_key);
    assert_ne!(first.dedupe_key, other_field.dedupe_key);
}

#[test]
fn a_field_without_an_account_is_kept_without_a_client() {
    let body =
        json!({"object":"whatsapp_business_account","entry":[{"changes":[{"field":"account_update","value":{}}]}]});
    let items = parse(body.to_string().as_bytes()).unwrap();
    assert_eq!(items[0].target, CallbackTarget::Unknown);
    assert!(matches!(items[0].body, CallbackBody::Unreadable(_)));
}

#[test]
fn a_system_message_keeps_its_own_contact_and_no_other() {
    let message = json!({"from":"27820000001","id":"wamid.S","timestamp":"1760000000","type":"system","system":{}});
    let contacts = json!([{"wa_id":"27820000009"},{"wa_id":"27820000001","profile":{"name":"Zo"}}]);
    let items = parse(&change(json!({"messages":[message],"contacts":contacts}))).unwrap();
    let kept = body(&items[0]).1;
    assert_eq!(kept["contacts"], json!([{"wa_id":"27820000001","profile":{"name":"Zo"}}]));
    assert_eq!(kept["metadata"], json!({"display_phone_number":"27110000000","phone_number_id":"PN"}));
}
