//! The ready flows of the built-in plugin `flow`: their checks and conversations, and projects that copy them.

use std::path::{Path, PathBuf};

use author::{
    Project, build,
    conversation::{self, Summary, TestReport},
    flow,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/flow/flows")
}

/// Plays test files with the built-in plugin. Returns the output of the tests that failed.
async fn play(files: &[PathBuf]) -> (Vec<String>, Summary) {
    let place = tempfile::tempdir().unwrap();
    let component = place.path().join("flow.wasm");
    std::fs::write(&component, plugin_host::built_in_component(flow::PLUGIN).unwrap()).unwrap();
    let mut failed = vec![];
    let mut done = |report: &TestReport| {
        if matches!(report.outcome, conversation::TestOutcome::Failed(_)) {
            failed.push(report.to_string());
        }
    };
    let summary = conversation::run(flow::PLUGIN, &component, files, None, &mut done).await;
    let summary = summary.unwrap_or_else(|error| panic!("{error}"));
    (failed, summary)
}

#[test]
fn every_ready_flow_has_no_faults() {
    assert!(flow::ready_flows().len() >= 10);
    for name in flow::ready_flows() {
        let text = std::fs::read_to_string(folder().join(name).join("flow.json")).unwrap();
        let findings: Vec<String> = flow::check(&text).iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

#[tokio::test]
async fn the_conversations_of_every_ready_flow_pass() {
    let tests: Vec<PathBuf> = flow::ready_flows().iter().map(|name| folder().join(name).join("tests")).collect();
    let (failed, summary) = play(&tests).await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(summary.passed >= 2 * tests.len(), "{summary}");
}

#[tokio::test]
async fn a_copy_of_a_ready_flow_is_a_project_that_builds_and_passes() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("bookings");
    let created = flow::create(&root, "appointment").unwrap();
    assert!(created.next_steps().contains("activate flow --config flow.json"), "{}", created.next_steps());
    let project = Project::open(&root).unwrap();
    let component = build::build(&project, &mut |_| {}).unwrap();
    assert_eq!(std::fs::read(component).unwrap(), plugin_host::built_in_component(flow::PLUGIN).unwrap());
    let (failed, summary) = play(&[root.join("tests")]).await;
    assert!(failed.is_empty() && summary.passed == 3, "{}", failed.join("\n"));

    std::fs::write(root.join("flow.json"), r#"{"start": "a", "nodes": {"a": {"type": "message", "text": "Hi"}}}"#)
        .unwrap();
    let refused = build::build(&project, &mut |_| {}).unwrap_err().to_string();
    assert!(refused.contains("node `a`, next: is missing"), "{refused}");
}

#[test]
fn an_unknown_flow_and_a_used_folder_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let unknown = flow::create(&place.path().join("one"), "weather").unwrap_err().to_string();
    assert!(unknown.contains("`weather`") && unknown.contains("appointment, complaint"), "{unknown}");
    let folder = place.path().join("two");
    flow::create(&folder, "faq").unwrap();
    assert!(flow::create(&folder, "faq").unwrap_err().to_string().contains("exists and is not empty"));
}

#[tokio::test]
async fn a_configuration_file_of_a_test_must_exist_and_excludes_another_configuration() {
    let place = tempfile::tempdir().unwrap();
    for (yaml, words) in [
        ("config file: none.json\nsteps: [{customer: hi}]", "none.json"),
        ("config: {}\nconfig file: none.json\nsteps: [{customer: hi}]", "not both"),
    ] {
        let file = place.path().join("t.yaml");
        std::fs::write(&file, yaml).unwrap();
        let component = place.path().join("flow.wasm");
        std::fs::write(&component, plugin_host::built_in_component(flow::PLUGIN).unwrap()).unwrap();
        let refused = conversation::run(flow::PLUGIN, &component, &[file], None, &mut |_| {}).await.unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
    }
}

#[tokio::test]
async fn a_flow_reads_and_sets_attributes_of_the_contact() {
    let place = tempfile::tempdir().unwrap();
    let config = serde_json::json!({
        "start": "vip",
        "contactAttributes": {"plan": "choice", "visits": "number", "vip": "boolean", "born": "date", "city": "text"},
        "nodes": {
            "vip": {"type": "condition", "cases": [{"attribute": "contact.vip", "equals": "true", "next": "known"}], "otherwise": "ask"},
            "ask": {"type": "question", "text": "Your city? Your plan is {contact.plan}.", "save": "city", "next": "count"},
            "count": {"type": "question", "text": "How often?", "save": "visits", "next": "set"},
            "set": {
                "type": "set",
                "contact": {"plan": "gold", "visits": "{visits}", "vip": "yes", "born": "", "city": "{city}"},
                "next": "done"
            },
            "done": {"type": "close", "text": "{contact.city}, {contact.plan}, {contact.visits}, {contact.vip}{contact.born}"},
            "known": {"type": "close", "text": "Welcome back to {contact.city}"}
        }
    });
    assert_eq!(flow::check(&config.to_string()), []);
    std::fs::write(place.path().join("flow.json"), config.to_string()).unwrap();
    let attributes = "attributes:
  plan: {type: choice, choices: [silver, gold], value: silver}
  visits: {type: number, value: 6.5}
  vip: {type: boolean}
  born: {type: date, value: 1990-05-31}
  city: {type: text}
";
    let yaml = format!(
        "name: contact\nconfig file: flow.json\n{attributes}conversations:
  - name: values of the types are set and read at once
    steps:
      - customer: hi
      - bot: Your city? Your plan is silver.
      - customer: Cape Town
      - bot: How often?
      - customer: 7,5
      - bot: Cape Town, gold, 7.5, true
      - attributes: {{plan: gold, visits: 7.5, vip: true, born: null, city: Cape Town}}
      - closed: true
      - customer: hi
      - bot: Welcome back to Cape Town
  - name: a text that is no number leaves the number as it is
    steps:
      - customer: hi
      - bot: anything
      - customer: Cape Town
      - bot: anything
      - customer: often
      - bot: Cape Town, gold, 6.5, true
      - attributes: {{visits: 6.5, city: Cape Town}}
"
    );
    let file = place.path().join("contact.yaml");
    std::fs::write(&file, yaml).unwrap();
    let (failed, summary) = play(&[file]).await;
    assert!(failed.is_empty() && summary.passed == 2, "{summary}\n{}", failed.join("\n"));
}
