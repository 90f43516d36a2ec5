//! Plugins for older versions of the interfaces still run.

use std::sync::Arc;

use plugin_host::chatbot::{
    Action, Channel, Choice, ChoiceSource, Content, EventKind, HttpFinished, HttpOutcome, HttpReply, Session,
};
use plugin_host::{NoKeyValues, PluginCall, World, WorldQuestion, check};
use serde_json::{Value, json};

use crate::support::{TestHost, call, client, guest, happens, limits, only_text, says, sends, session};

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_built_against_the_first_release_is_loaded_and_answers() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("older.wasm"), guest("older_bot")).unwrap();
    let test = TestHost::start(directory, limits(), false).await;
    let call = PluginCall { config: r#"{"a":1}"#, ..call("older") };
    let outcome = test.host.chatbot(call, &says("hello"), &session(), Arc::new(NoKeyValues)).await.unwrap();
    assert_eq!(only_text(&outcome.actions), r#"hello {"a":1} 0 false 27110000000"#);
    assert_eq!(outcome.writes.len(), 1);
    assert_eq!(outcome.trace.logs[0].message, "an older bot was asked");
}

/// A host with an older guest as the plugin `older`.
async fn with(package: &str) -> TestHost {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("older.wasm"), guest(package)).unwrap();
    TestHost::start(directory, limits(), false).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tag_of_an_older_bot_has_the_present_meaning() {
    let test = with("older_bot").await;
    let asked = test.host.chatbot(call("older"), &says("tag"), &session(), Arc::new(NoKeyValues)).await.unwrap();
    assert_eq!(asked.actions, [Action::AddTag("vip".into())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_the_track_before_sees_the_nearest_channel_and_its_name() {
    let test = with("former_bot").await;
    for (channel, seen) in [
        (Channel::Whatsapp, "Channel::Whatsapp "),
        (Channel::Sms, "Channel::Whatsapp channel=SMS"),
        (Channel::Telegram, "Channel::Facebook channel=TELEGRAM"),
        (Channel::Web, "Channel::Web "),
    ] {
        let session = Session { channel, ..session() };
        let asked = test.host.chatbot(call("older"), &says("hello"), &session, Arc::new(NoKeyValues)).await.unwrap();
        let [Action::ReplyText(said), tag, timer] = asked.actions.as_slice() else { panic!("{:?}", asked.actions) };
        assert_eq!(said.text, format!("message-1 {seen} seen false"));
        assert_eq!((tag, timer), (&Action::AddTag("vip".into()), &Action::CancelTimer("t".into())));
        assert_eq!(asked.writes[0].after_seconds, Some(60));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_the_track_before_hears_of_the_end_of_a_request_as_a_custom_event() {
    let test = with("former_bot").await;
    let outcome = HttpOutcome::Response(HttpReply { status: 200, headers: vec![], body: vec![] });
    let event = happens(EventKind::HttpFinished(HttpFinished { job: "event-1-1".into(), outcome }));
    let asked = test.host.chatbot(call("older"), &event, &session(), Arc::new(NoKeyValues)).await.unwrap();
    let [Action::ReplyText(said), ..] = asked.actions.as_slice() else { panic!("{:?}", asked.actions) };
    assert!(said.text.starts_with(r#"http-finished {"job":"event-1-1","status":200}"#), "{}", said.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_the_track_before_sees_a_choice_of_another_source_as_a_button() {
    let test = with("former_bot").await;
    let choice = Choice { source: ChoiceSource::Other, text: "Start".into(), payload: "START".into() };
    let event = sends(Content::Choice(choice));
    let asked = test.host.chatbot(call("older"), &event, &session(), Arc::new(NoKeyValues)).await.unwrap();
    let [Action::ReplyText(said), ..] = asked.actions.as_slice() else { panic!("{:?}", asked.actions) };
    assert!(said.text.starts_with("button START "), "{}", said.text);
}

/// The body that the older shaper writes about an event.
async fn shaped(test: &TestHost, event: Value) -> Value {
    let question = WorldQuestion::from_json(World::WebhookShaper, &event, &Value::Null).unwrap();
    test.host.dry_run(call("older"), &question, Arc::new(NoKeyValues)).await.unwrap().answer.to_json().1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shaper_of_the_track_before_finds_sms_in_the_metadata_and_other_channels_not() {
    let test = with("older_shaper").await;
    for (channel, named) in
        [(json!("sms"), ", channel=SMS"), (json!("telegram"), ""), (json!("whatsapp"), ""), (Value::Null, "")]
    {
        let event = json!({ "type": "incoming", "channel": channel, "metadata": { "a": "b" } });
        assert_eq!(shaped(&test, event).await, format!("incoming of none, a=b{named}"));
        let event = json!({ "type": "chatbot", "channel": channel, "chatParticipantId": "p" });
        assert_eq!(shaped(&test, event).await, format!("chat of p{named}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shaper_of_the_track_before_has_the_participant_of_a_long_lived_conversation_under_its_older_name() {
    let test = with("older_shaper").await;
    let incoming = json!({ "type": "incoming", "conversationParticipantId": "p" });
    assert_eq!(shaped(&test, incoming).await, "incoming of p");
    assert_eq!(shaped(&test, json!({ "type": "status", "conversationParticipantId": "p" })).await, "status of p");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_a_case_is_a_partner_event_for_a_shaper_of_the_track_before() {
    let test = with("older_shaper").await;
    let event = json!({ "type": "other", "name": "call-ended", "timestampMs": 7, "payload": { "seconds": 9 } });
    assert_eq!(shaped(&test, event).await, "partner call-ended at 7, payload={'seconds':9}");
}

#[tokio::test(flavor = "multi_thread")]
async fn plugins_of_every_world_of_releases_before_answer() {
    let answers = [
        ("older_desk", World::Router, r#"{"reason":"{\"a\":1} 27110000000","target":{"type":"queue"}}"#),
        ("former_desk", World::Router, r#"{"reason":"day 2, Channel::Whatsapp, []","target":{"type":"queue"}}"#),
        ("former_rule", World::SmsFallback, r#"{"text":"for 27820000001","type":"send","unicode":false}"#),
        ("older_rule", World::SmsFallback, r#"{"text":"for 27820000001","type":"send","unicode":false}"#),
        ("older_shaper", World::WebhookShaper, r#"{"status":"Connected"}"#),
    ];
    for (package, world, answer) in answers {
        let test = with(package).await;
        let question = WorldQuestion::from_json(world, &serde_json::Value::Null, &serde_json::Value::Null).unwrap();
        let call = PluginCall { config: r#"{"a":1}"#, record: true, ..call("older") };
        let asked = test.host.dry_run(call, &question, Arc::new(NoKeyValues)).await.unwrap();
        assert_eq!(asked.answer.to_json().1.to_string(), answer, "{package}");
        assert_eq!(asked.trace.logs.len(), 1, "{package}");
        let again = test.host.replay(client(1), call.plugin, asked.trace.recording.as_ref().unwrap()).await.unwrap();
        assert!(again.identical, "{package}: {:?}", again.first_difference);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_plugins_schema_is_read() {
    let test = with("older_desk").await;
    assert_eq!(test.host.shipped_config_schema("older").await, Ok(Some(r#"{"type":"object"}"#.to_owned())));
}

#[test]
fn plugins_of_earlier_releases_of_every_world_pass_the_check() {
    for (package, world, version) in [
        ("older_bot", World::Chatbot, "0.1.0"),
        ("former_rule", World::SmsFallback, "0.2.0"),
        ("former_bot", World::Chatbot, "0.2.1"),
        ("former_desk", World::Router, "0.2.1"),
        ("older_desk", World::Router, "0.1.1"),
        ("older_rule", World::SmsFallback, "0.1.1"),
        ("older_shaper", World::WebhookShaper, "0.1.1"),
    ] {
        let report = check(&guest(package));
        assert_eq!(report.problems, [""; 0], "{package}");
        assert_eq!((report.world, report.api_version.as_deref()), (Some(world), Some(version)), "{package}");
    }
}

#[test]
fn the_check_says_which_release_a_bot_was_built_against() {
    let report = check(&guest("older_bot"));
    assert_eq!(report.problems, [""; 0]);
    assert_eq!((report.world, report.api_version.as_deref()), (Some(World::Chatbot), Some("0.1.0")));
    assert!(report.imports.iter().any(|import| import == "patchbay:plugin/http@0.1.0"), "{:?}", report.imports);
}
