//! Configurations of tests and chats, compared with the rules of an activation.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use author::{conversation, flow, terminal::Terminal};
use chrono::{DateTime, Utc};
use domain::clock::Clock;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{guest, passes, play};

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_767_603_600, 0).unwrap()
    }
}

/// The error of a run that must not begin.
async fn refusal(guest_name: &str, yaml: &str) -> String {
    play(guest_name, yaml).await.expect_err("the configuration is refused").to_string()
}

/// The error of a chat that must not begin.
async fn refused_chat(guest_name: &str, config: Value) -> String {
    let terminal = Terminal {
        name: guest_name.to_owned(),
        component: guest(guest_name),
        project: None,
        config,
        config_place: "in config.json".to_owned(),
        allowed_hosts: vec![],
        clock: Arc::new(StillClock),
    };
    let (_tell, lines) = mpsc::unbounded_channel();
    terminal.talk(lines, "", &mut vec![]).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_configuration_that_does_not_fit_the_schema_is_refused_with_its_place_before_the_first_test() {
    let refused = refusal(
        "keeper",
        "config: {apiKey: longer-than-seven}\nconversations:\n  - name: fits\n    steps: [{customer: length}, {bot: anything}]\n  \
         - name: does not\n    config: {apiKey: short, shop: 7}\n    steps: [{customer: length}, {bot: anything}]\n",
    )
    .await;
    assert!(refused.contains("t.yaml, line 6, would be refused at an activation:\n"), "{refused}");
    assert!(refused.contains("\n  - config/apiKey: the secret is shorter than 8 characters"), "{refused}");
    assert!(refused.contains("\n  - config/shop: the value is not of type \"string\""), "{refused}");
    assert!(refused.contains("Correct them, or the schema"), "{refused}");
    assert_eq!(refused.matches("would be refused").count(), 1, "{refused}");
}

#[tokio::test]
async fn a_test_without_a_configuration_has_an_empty_one() {
    let refused = refusal("keeper", "steps: [{customer: length}, {bot: anything}]").await;
    assert!(refused.contains("the configuration `{}` of ") && refused.contains("which gives no other"), "{refused}");
    assert!(refused.contains("\"apiKey\" is a required property"), "{refused}");
}

#[tokio::test]
async fn a_configuration_that_fits_is_accepted_and_one_of_a_test_that_expects_a_failure_is_not_compared() {
    passes(
        "keeper",
        "
conversations:
  - name: fits
    config: {apiKey: longer-than-seven, shop: books}
    steps: [{customer: length}, {bot: 17 characters for books}]
  - name: fails
    config: {}
    steps: [{customer: length}, {fails: bad-config}]
cases:
  - {name: fails too, config: {}, given: {type: message, text: length}, fails: bad-config}
",
    )
    .await;
}

#[tokio::test]
async fn a_shared_secret_is_refused_with_its_place_because_only_activations_can_use_it() {
    let config = "config: {apiKey: {$secret: crm-key}}\nsteps: [{customer: length}, {bot: anything}]";
    let refused = refusal("keeper", config).await;
    assert!(refused.contains("\n  - config/apiKey: names a shared secret"), "{refused}");
    assert!(refused.contains("write a value yourself"), "{refused}");
}

#[tokio::test]
async fn the_findings_of_the_plugin_itself_are_shown() {
    let refused = refusal("errand-bot", "config: {topics: [a, \"\"]}\nsteps: [{customer: read}]").await;
    assert!(refused.contains("\n  - config/topics/1: is empty; give the topic a name"), "{refused}");
}

#[tokio::test]
async fn a_chat_does_not_begin_with_a_configuration_that_would_be_refused() {
    let refused = refused_chat("keeper", json!({ "apiKey": "short" })).await;
    assert!(refused.starts_with("the configuration in config.json would be refused at an activation:\n"), "{refused}");
    assert!(refused.contains("config/apiKey: the secret is shorter than 8 characters"), "{refused}");
    let refused = refused_chat("errand-bot", json!({ "topics": [""] })).await;
    assert!(refused.contains("config/topics/0: is empty; give the topic a name"), "{refused}");
}

#[tokio::test]
async fn a_flow_with_a_fault_is_refused_before_its_first_test() {
    let place = tempfile::tempdir().unwrap();
    let component = place.path().join("flow.wasm");
    std::fs::write(&component, plugin_host::built_in_component(flow::PLUGIN).unwrap()).unwrap();
    std::fs::write(
        place.path().join("flow.json"),
        r#"{"start": "a", "nodes": {"a": {"type": "message", "text": "Hi", "next": "b"}}}"#,
    )
    .unwrap();
    let file = place.path().join("t.yaml");
    std::fs::write(&file, "config file: flow.json\nsteps: [{customer: hi}, {bot: Hi}]").unwrap();

    let refused = conversation::run(flow::PLUGIN, &component, &[file], None, &mut |_| {}).await.unwrap_err();

    let refused = refused.to_string();
    assert!(refused.contains("flow.json (named in ") && refused.contains("t.yaml, line 1)"), "{refused}");
    assert!(refused.contains("\n  - config/nodes/a/next: leads to `b`, and there is no such node"), "{refused}");
}

/// The guest `keeper` with another text of the same length in its schema.
fn altered_keeper(place: &Path, before: &str, after: &str) -> PathBuf {
    let component = place.join("keeper.wasm");
    let mut bytes = std::fs::read(guest("keeper")).unwrap();
    let at = bytes.windows(before.len()).position(|part| part == before.as_bytes()).unwrap();
    bytes.get_mut(at..at + after.len()).unwrap().copy_from_slice(after.as_bytes());
    std::fs::write(&component, bytes).unwrap();
    component
}

#[tokio::test]
async fn the_text_in_place_of_a_recorded_secret_fits_any_schema_and_another_text_does_not() {
    let place = tempfile::tempdir().unwrap();
    let component = altered_keeper(place.path(), "\"minLength\":8,", "\"maxLength\":8,");
    let run = async |secret: &str| {
        let file = place.path().join("t.yaml");
        std::fs::write(&file, format!("config: {{apiKey: '{secret}'}}\nsteps: [{{customer: hi}}, {{bot: nothing}}]\n"))
            .unwrap();
        conversation::run("keeper", &component, &[file], None, &mut |_| {}).await.map(drop)
    };

    run("(secret:/apiKey)").await.unwrap();
    let refused = run("longer-than-eight").await.unwrap_err().to_string();

    assert!(refused.contains("config/apiKey: the secret is longer than 8 characters"), "{refused}");
}

#[tokio::test]
async fn a_component_with_a_schema_that_cannot_be_used_is_refused_like_an_upload() {
    let place = tempfile::tempdir().unwrap();
    let component = altered_keeper(place.path(), r#"{"type":"object","required""#, r#"{"type":"objekt","required""#);

    let refused = conversation::run("keeper", &component, &[], None, &mut |_| {}).await.unwrap_err().to_string();

    assert!(refused.contains("cannot be used as a plugin"), "{refused}");
    assert!(refused.contains("the schema of its configuration cannot be used"), "{refused}");
}
