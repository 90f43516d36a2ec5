//! The built-in SMS router with its configurations, and the calls of every SMS router.

use std::sync::Arc;

use plugin_host::sms_router::{Decision, Sms};
use plugin_host::{CallError, NoKeyValues, PluginCall, World, WorldQuestion};
use serde_json::{Value, json};

use crate::support::{TestHost, call, client};

/// Messages with the given fields. The sample gives the others.
fn messages(given: Value) -> Vec<Sms> {
    match WorldQuestion::from_json(World::SmsRouter, &json!({ "messages": given }), &Value::Null) {
        Ok(WorldQuestion::SmsRouter(messages)) => messages,
        other => panic!("{other:?}"),
    }
}

/// The decisions of the built-in SMS router, as JSON.
async fn decided(test: &TestHost, config: Value, given: Value) -> Value {
    let config = config.to_string();
    let question = WorldQuestion::SmsRouter(messages(given));
    let asked =
        test.host.dry_run(PluginCall { config: &config, ..call("sms-router") }, &question, Arc::new(NoKeyValues)).await;
    let (name, decisions) = asked.unwrap().answer.to_json();
    assert_eq!(name, "decisions");
    decisions
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_configuration_every_message_goes_on_as_it_is() {
    let test = TestHost::with_built_ins().await;
    let decisions = decided(&test, json!({}), json!([{}, { "direction": "incoming" }])).await;
    assert_eq!(decisions, json!([{ "type": "as-is" }, { "type": "as-is" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_matching_rule_decides_each_message_of_a_call() {
    let test = TestHost::with_built_ins().await;
    let config = json!({ "rules": [
        { "words": ["Casino"], "refuse": "no gambling" },
        { "prefixes": ["264"], "bind": "windhoek", "priority": 2, "validitySeconds": 600 },
        { "traffic": ["otp"], "products": ["json"], "source": "PIN" },
        { "segmentsOver": 2, "append": " ..." },
        { "incoming": true, "prefixes": ["2782"], "append": "!" },
    ] });
    let given = json!([
        { "text": "the casino calls", "destination": "264811234567" },
        { "destination": "264811234567" },
        { "traffic": "otp" },
        { "traffic": "otp", "product": "batch" },
        { "segments": 3, "text": "long" },
        { "direction": "incoming", "source": "27821234567", "text": "yes" },
        { "direction": "incoming", "source": "27831234567" },
    ]);
    let decisions = decided(&test, config, given).await;
    let expected = json!([
        { "type": "refuse", "reason": "no gambling" },
        { "type": "change", "bind": "windhoek", "priority": 2, "validitySeconds": 600, "reason": "rule 2" },
        { "type": "change", "source": "PIN", "reason": "rule 3" },
        { "type": "as-is" },
        { "type": "change", "text": "long ...", "reason": "rule 4" },
        { "type": "change", "text": "yes!", "reason": "rule 5" },
        { "type": "as-is" },
    ]);
    assert_eq!(decisions, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_messages_is_one_call_and_is_replayed_byte_for_byte() {
    let test = TestHost::with_built_ins().await;
    let asked = messages(Value::Array(vec![json!({}); plugin_host::MOST_SMS_AT_ONCE]));
    let call = PluginCall { record: true, ..call("sms-router") };
    let (decisions, trace) = test.host.decide_sms(call, &asked).await.unwrap();
    assert_eq!(decisions, vec![Decision::AsIs; asked.len()]);
    let recording = trace.recording.unwrap();
    assert_eq!(recording.world, World::SmsRouter);
    let again = test.host.replay(client(1), call.plugin, &recording).await.unwrap();
    assert!(again.identical, "{:?}", again.first_difference);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_of_another_world_is_not_asked() {
    let test = TestHost::with_built_ins().await;
    let asked = test.host.decide_sms(call("router"), &messages(json!([{}]))).await;
    assert!(matches!(asked, Err(CallError::WrongWorld { .. })), "{asked:?}");
}
