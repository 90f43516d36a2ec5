//! Requests that a chatbot starts and that the host sends after the call, and the facts of its conversation.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use plugin_host::chatbot::{Action, Author, EventKind, HttpError, HttpFinished, HttpOutcome, HttpReply, PastMessage};
use plugin_host::chatbot::{Attribute, AttributeChange, AttributeValue, Reaction, RunningTimer, Session};
use plugin_host::{
    ChatbotOutcome, ConversationAnswer, ConversationQuestion, KeyValueError, KeyValueSnapshot, KeysWanted, NoKeyValues,
    PluginCall, Scope, StartedRequest, World, WorldQuestion,
};
use serde_json::json;

use crate::support::{TestHost, call, client, guest, happens, limits, only_text, says, session};

async fn errands() -> TestHost {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("errand.wasm"), guest("errand_bot")).unwrap();
    TestHost::start(directory, limits(), false).await
}

fn allowed() -> Vec<String> {
    vec!["api.example".to_owned()]
}

async fn ask(test: &TestHost, text: &str) -> ChatbotOutcome {
    let allowed = allowed();
    let call = PluginCall { allowed_hosts: &allowed, record: true, ..call("errand") };
    test.host.chatbot(call, &says(text), &session(), Arc::new(NoKeyValues)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_started_request_is_part_of_the_outcome_and_not_sent_in_the_call() {
    let test = errands().await;
    let outcome = ask(&test, "start https://api.example/chat").await;
    assert_eq!(outcome.actions, [Action::Typing, Action::SetState("event-1-1".into())]);
    assert_eq!(outcome.trace.http_requests, 1, "it counts as a request of the call");
    let [StartedRequest { job, request }] = outcome.requests.as_slice() else { panic!("{:?}", outcome.requests) };
    assert_eq!(
        (job.as_str(), request.method.as_str(), request.timeout),
        ("event-1-1", "POST", Duration::from_secs(90))
    );
    let header = |name: &str| request.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    assert_eq!((header("idempotency-key"), header("authorization")), (Some("event-1-1"), Some("Bearer errand")));

    let recording = outcome.trace.recording.unwrap();
    assert!(recording.result.contains("https://api.example/chat"), "{}", recording.result);
    let again = test.host.replay(client(1), call("errand").plugin, &recording).await.unwrap();
    assert!(again.identical, "{:?}", again.first_difference);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_to_a_host_that_was_not_granted_is_not_started() {
    let test = errands().await;
    let refused = test
        .host
        .chatbot(call("errand"), &says("start https://api.example/"), &session(), Arc::new(NoKeyValues))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("may not reach `api.example`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_of_1_to_120_seconds_is_taken_and_any_other_is_refused() {
    let test = errands().await;
    for seconds in [1, 120] {
        let outcome = ask(&test, &format!("start-within {seconds} https://api.example/chat")).await;
        assert_eq!(outcome.requests[0].request.timeout, Duration::from_secs(seconds));
    }
    let allowed = allowed();
    for seconds in [0, 121] {
        let call = PluginCall { allowed_hosts: &allowed, ..call("errand") };
        let text = says(&format!("start-within {seconds} https://api.example/chat"));
        let refused = test.host.chatbot(call, &text, &session(), Arc::new(NoKeyValues)).await.unwrap_err().to_string();
        let reason = format!("`timeout-ms` is {}; 1000 to 120000 are allowed", seconds * 1_000);
        assert!(refused.contains(&reason), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_request_is_an_event() {
    let test = errands().await;
    let response = HttpReply { status: 200, headers: vec![], body: b"hello".to_vec() };
    for (outcome, said) in [
        (HttpOutcome::Response(response), "200 hello"),
        (HttpOutcome::Failed(HttpError::TimedOut), "http-timed-out: no response in time"),
        (HttpOutcome::Failed(HttpError::Failed("down".into())), "http-failed: down"),
    ] {
        let event = happens(EventKind::HttpFinished(HttpFinished { job: "event-1-1".into(), outcome }));
        let asked = test.host.chatbot(call("errand"), &event, &session(), Arc::new(NoKeyValues)).await.unwrap();
        assert_eq!(only_text(&asked.actions[..1]), said);
        assert_eq!(asked.actions[1], Action::SetState("finished event-1-1".into()));
    }
}

#[test]
fn the_end_of_a_request_has_a_readable_form_with_text_or_base64() {
    for (body, written) in [
        (json!({ "body": "hello" }), json!({ "body": "hello" })),
        (json!({ "body": { "a": 1 } }), json!({ "body": "{\"a\":1}" })),
        (json!({ "bodyBase64": "/w==" }), json!({ "bodyBase64": "/w==" })),
    ] {
        let mut outcome = json!({ "type": "response", "status": 200, "headers": { "a": "b" } });
        outcome.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let event = json!({ "type": "http-finished", "job": "7", "outcome": outcome });
        let question = WorldQuestion::from_json(World::Chatbot, &event, &serde_json::Value::Null).unwrap();
        let again = question.to_json();
        let mut expected = json!({ "type": "response", "status": 200, "headers": { "a": "b" } });
        expected.as_object_mut().unwrap().extend(written.as_object().unwrap().clone());
        assert_eq!(again["event"]["outcome"], expected);
        let recorded = serde_json::to_string(&question).unwrap();
        assert_eq!(WorldQuestion::recorded(World::Chatbot, &recorded).unwrap(), question);
    }
    let failed = json!({ "type": "http-finished", "job": "7", "outcome": { "type": "failed", "error": { "type": "timed-out" } } });
    assert!(WorldQuestion::from_json(World::Chatbot, &failed, &serde_json::Value::Null).is_ok());
}

/// A conversation with one tag, one timer and two messages.
#[derive(Default)]
struct Talk {
    asked: Mutex<Vec<ConversationQuestion>>,
}

#[async_trait]
impl KeyValueSnapshot for Talk {
    async fn get(&self, _: Scope, _: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(None)
    }

    async fn list(&self, _: Scope, _: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        Ok(vec![])
    }

    async fn conversation(&self, question: ConversationQuestion) -> Result<ConversationAnswer, KeyValueError> {
        self.asked.lock().unwrap().push(question);
        let message = |author, text: &str| PastMessage {
            id: "m".into(),
            author,
            timestamp_ms: 1,
            kind: "TEXT".into(),
            text: text.into(),
        };
        Ok(match question {
            ConversationQuestion::Tags => ConversationAnswer::Tags(vec!["vip".into()]),
            ConversationQuestion::History(_) => {
                ConversationAnswer::History(vec![message(Author::Bot, "hi"), message(Author::Customer, "recall")])
            }
            ConversationQuestion::Timers => {
                ConversationAnswer::Timers(vec![RunningTimer { name: "tea".into(), due_ms: 5 }])
            }
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_reads_tags_timers_and_history_and_a_replay_gives_the_same() {
    let test = errands().await;
    let talk = Arc::new(Talk::default());
    let call_once = PluginCall { record: true, ..call("errand") };
    let outcome = test.host.chatbot(call_once, &says("recall"), &session(), Arc::<Talk>::clone(&talk)).await.unwrap();
    let said = "vip | tea | Author::Bot TEXT hi; Author::Customer TEXT recall";
    assert_eq!(only_text(&outcome.actions), said);
    assert!(talk.asked.lock().unwrap().contains(&ConversationQuestion::History(3)));
    let recording = outcome.trace.recording.unwrap();
    let again = test.host.replay(client(1), call("errand").plugin, &recording).await.unwrap();
    assert!(again.identical, "{:?}", again.first_difference);
    let shown = recording.to_json();
    assert!(shown["hostCalls"].to_string().contains("\"conversation\""), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reactions_marks_and_tags_are_actions() {
    let test = errands().await;
    for (text, action) in [
        ("like", Action::React(Reaction { emoji: Some("👍".into()), message_id: "message-1".into() })),
        ("read", Action::MarkRead),
        ("type", Action::Typing),
        ("untag vip", Action::RemoveTag("vip".into())),
    ] {
        assert_eq!(ask(&test, text).await.actions, [action]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_judges_its_configuration_and_one_without_that_export_finds_nothing() {
    let test = errands().await;
    let judge = async |plugin: &str, config: &str| {
        test.host.validate_config(client(1), call(plugin).plugin, config).await.unwrap()
    };
    assert!(judge("errand", r#"{"topics":["a","b"]}"#).await.is_empty());
    let findings = judge("errand", r#"{"topics":["a",""]}"#).await;
    assert_eq!((findings.len(), findings[0].field.as_str()), (1, "topics[1]"));
    let older = tempfile::tempdir().unwrap();
    std::fs::write(older.path().join("errand.wasm"), guest("former_bot")).unwrap();
    let older = TestHost::start(older, limits(), false).await;
    assert!(older.host.validate_config(client(1), call("errand").plugin, "{}").await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_reads_the_attributes_of_the_contact_and_a_replay_gives_the_same() {
    let test = errands().await;
    let attribute = |name: &str, value| Attribute { name: name.to_owned(), value };
    let attributes = vec![
        attribute("born", AttributeValue::Date("1990-05-31".into())),
        attribute("plan", AttributeValue::Choice("gold".into())),
        attribute("vip", AttributeValue::Boolean(true)),
        attribute("visits", AttributeValue::Number(7.5)),
        attribute("zone", AttributeValue::Other("within 10 km".into())),
    ];
    let session = Session { attributes, ..session() };
    let call_once = PluginCall { record: true, ..call("errand") };
    let outcome = test.host.chatbot(call_once, &says("attributes"), &session, Arc::new(NoKeyValues)).await.unwrap();
    assert_eq!(only_text(&outcome.actions), "born=1990-05-31, plan=gold, vip=true, visits=7.5, zone=within 10 km");
    let recording = outcome.trace.recording.unwrap();
    let again = test.host.replay(client(1), call("errand").plugin, &recording).await.unwrap();
    assert!(again.identical, "{:?}", again.first_difference);
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_an_attribute_is_an_action_with_a_value_of_its_type() {
    let test = errands().await;
    for (text, value) in [
        ("attribute a text two words", Some(AttributeValue::Text("two words".into()))),
        ("attribute a number -1.5", Some(AttributeValue::Number(-1.5))),
        ("attribute a boolean true", Some(AttributeValue::Boolean(true))),
        ("attribute a date 1990-05-31", Some(AttributeValue::Date("1990-05-31".into()))),
        ("attribute a choice gold", Some(AttributeValue::Choice("gold".into()))),
        ("attribute a", None),
    ] {
        let set = Action::SetAttribute(AttributeChange { name: "a".into(), value });
        assert_eq!(ask(&test, text).await.actions[0], set, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_no_attribute_can_have_makes_the_answer_impossible() {
    let test = errands().await;
    for (text, said) in [
        ("attribute a date 31.5.1990", "action 1 (set-attribute): the value of `a` must be a date such as 1990-05-31"),
        ("attribute a number inf", "the value of `a` must be a number between"),
        ("attribute a text ", "the value of `a` must have 1 to 1000 characters"),
        (
            "attribute a other x",
            "the value of `a` is `other`: an attribute has a text, a number, a boolean, a date or a choice",
        ),
        ("attribute A boolean true", "the name `A` must have 1 to 40 lower-case letters"),
    ] {
        let asked = test.host.chatbot(call("errand"), &says(text), &session(), Arc::new(NoKeyValues)).await;
        let refused = asked.unwrap_err().to_string();
        assert!(refused.contains(said), "{text}: {refused}");
    }
}
