//! The circuit breaker from the outside: a plugin that keeps failing is not called, and other clients are not affected.

use std::sync::Arc;
use std::time::Duration;

use plugin_host::{CallError, CallLimits, NoKeyValues, PluginCall, PluginRef, World, WorldQuestion};

use crate::support::{TestHost, call_of, client, limits};

fn hasty() -> CallLimits {
    CallLimits { failures_in_a_row: 3, suspended_for: Duration::from_millis(300), ..limits() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_that_keeps_failing_is_suspended_and_comes_back_when_a_call_goes_well() {
    let test = TestHost::with_hostile_guests(hasty()).await;
    let (mut heard, hostile) = (test.host.suspensions(), PluginRef::shipped("hostile"));
    for deed in ["panic", "reply 5000", "actions 1000"] {
        assert!(!test.host.is_suspended(client(1), &hostile));
        assert!(test.command(deed).await.unwrap_err().trace().is_some(), "{deed}");
    }
    assert!(test.host.is_suspended(client(1), &hostile));
    let error = test.command("hello").await.unwrap_err();
    assert!(matches!(error, CallError::Suspended { .. }), "{error:?}");
    assert!(error.to_string().contains("`hostile` is suspended until"), "{error}");
    assert!(!error.is_retryable());
    let suspension = heard.recv().await.unwrap();
    assert!(suspension.opened && suspension.client == client(1) && suspension.plugin == hostile);
    assert!(suspension.reason.contains("3 calls in a row failed; the last one: "), "{}", suspension.reason);
    tokio::time::sleep(Duration::from_millis(310)).await;
    assert_eq!(test.answer("hello").await, "echo hello");
    assert!(!heard.recv().await.unwrap().opened);
    assert!(!test.host.is_suspended(client(1), &hostile));
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_other_clients_nor_other_plugins_of_the_client_notice() {
    let test = TestHost::with_hostile_guests(hasty()).await;
    test.replace("other", &crate::support::guest("hostile_bot"));
    crate::support::eventually("it is loaded", async || test.host.find("other").is_some()).await;
    for _ in 0..5 {
        drop(test.command("panic").await);
    }
    assert!(matches!(test.command("hello").await, Err(CallError::Suspended { .. })));
    assert!(test.command_of(client(2), "hello").await.is_ok());
    let other = PluginRef::shipped("other");
    let event = crate::support::says("hello");
    let asked = test.host.chatbot(call_of(&other), &event, &crate::support::session(), Arc::new(NoKeyValues)).await;
    assert!(asked.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_that_a_plugin_returns_and_faults_of_the_host_do_not_suspend_it() {
    let test = TestHost::with_hostile_guests(hasty()).await;
    for _ in 0..10 {
        assert!(matches!(test.command("refuse").await, Err(CallError::Refused { .. })));
    }
    let broken = Arc::new(crate::support::Values { broken: true, ..Default::default() });
    let hostile = PluginRef::shipped("hostile");
    for _ in 0..10 {
        let event = crate::support::says("count");
        let asked = test.host.chatbot(call_of(&hostile), &event, &crate::support::session(), broken.clone()).await;
        assert!(matches!(asked, Err(CallError::KeyValues { .. })));
    }
    assert_eq!(test.answer("hello").await, "echo hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_reaches_a_suspended_plugin_and_counts_for_nothing() {
    let test = TestHost::with_hostile_guests(hasty()).await;
    let hostile = PluginRef::shipped("hostile");
    let dry = async |text: &str| {
        let event = serde_json::json!({ "type": "message", "text": text });
        let question = WorldQuestion::from_json(World::Chatbot, &event, &serde_json::Value::Null).unwrap();
        test.host.dry_run(PluginCall { ..call_of(&hostile) }, &question, Arc::new(NoKeyValues)).await
    };
    for _ in 0..5 {
        assert!(dry("panic").await.is_err());
    }
    assert!(!test.host.is_suspended(client(1), &hostile));
    for _ in 0..3 {
        drop(test.command("panic").await);
    }
    assert!(test.host.is_suspended(client(1), &hostile));
    let answer = dry("count").await.unwrap();
    let json = answer.to_json();
    assert_eq!(json["actions"], serde_json::json!([{ "type": "reply-text", "text": "0 then 1" }]));
    assert_eq!(json["writes"], serde_json::json!([{ "scope": "participant", "key": "count", "value": "1" }]));
    assert!(
        json["durationMicros"].is_u64() && json["peakMemoryBytes"].as_u64().unwrap() > 0 && json["logs"].is_array()
    );
    assert!(test.host.is_suspended(client(1), &hostile), "a dry run that goes well does not end a suspension");
}
