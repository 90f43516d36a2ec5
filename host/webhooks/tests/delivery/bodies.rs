//! Every body of a webhook, with chatbot events in version 1 and in version 2, as a receiver gets it (SPEC 6.1 to 6.5).
//! The expected bodies are in `snapshots`; `UPDATE_SNAPSHOTS=1` writes them again, for a reviewer.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::{
    sample_events,
    sink::{Answer, Sink},
    stage::Stage,
};

const FIELDS: [&str; 5] =
    ["incomingMessageURL", "statusUpdateURL", "sessionStatusURL", "eventWebhookURL", "chatbotWebhookURL"];

/// The bodies at each address, by the name of the event.
async fn bodies(version: &str) -> Value {
    let stage = Stage::new().await;
    stage.store_chat().await;
    let mut sinks = Vec::new();
    let mut configuration = json!({ "chatbotPayloadVersion": version, "chatbotIncludeOutgoing": true });
    for field in FIELDS {
        let sink = Sink::answering(|_| Answer::at_once(200)).await;
        configuration[field] = json!(sink.url);
        sinks.push((field, sink));
    }
    stage.configure(configuration).await;
    let mut all = Map::new();
    for (name, event) in sample_events::all() {
        let before: Vec<usize> = sinks.iter().map(|(_, sink)| sink.received().len()).collect();
        for endpoint in stage.record(event).await {
            stage.work(endpoint).await.unwrap();
        }
        let mut told = Map::new();
        for ((field, sink), before) in sinks.iter().zip(before) {
            for received in sink.received().into_iter().skip(before) {
                // In the order in which they were written: receivers read them in any, people in this one.
                let text = String::from_utf8(received.body).unwrap();
                told.insert((*field).to_owned(), masked(&text));
            }
        }
        all.insert(name.to_owned(), Value::Object(told));
    }
    Value::Object(all)
}

/// A body without its event id, which is always a new one.
fn masked(text: &str) -> Value {
    let mut body: Value = serde_json::from_str(text).unwrap();
    if let Some(id) = body.get_mut("eventId") {
        assert!(id.as_str().unwrap().parse::<uuid::Uuid>().is_ok());
        *id = json!("EVENT-ID");
    }
    body
}

fn snapshot(version: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap())
        .join(format!("tests/delivery/snapshots/{version}.json"))
}

async fn check(version: &str) {
    let found = bodies(version).await;
    let path = snapshot(version);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, format!("{found:#}\n")).unwrap();
    }
    let expected: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    for (name, bodies) in found.as_object().unwrap() {
        assert_eq!(*bodies, expected[name], "{version}: {name}");
    }
    assert_eq!(found.as_object().unwrap().len(), expected.as_object().unwrap().len());
}

#[tokio::test]
async fn every_event_has_its_documented_body_with_chatbot_events_of_version_1() {
    check("v1").await;
}

#[tokio::test]
async fn every_event_has_its_documented_body_with_chatbot_events_of_version_2() {
    check("v2").await;
}

fn read(version: &str) -> Map<String, Value> {
    serde_json::from_slice(&std::fs::read(snapshot(version)).unwrap()).unwrap()
}

#[test]
fn every_body_is_flat_and_has_no_nulls() {
    for version in ["v1", "v2"] {
        for (name, bodies) in read(version) {
            for body in bodies.as_object().unwrap().values() {
                for (field, value) in body.as_object().unwrap() {
                    assert!(!value.is_null(), "{version}: {name}: {field}");
                    // Of all fields the values of a template alone are keyed.
                    assert!(field == "bodyParameters" || !(value.is_object() || value.is_array()), "{name}: {field}");
                }
            }
        }
    }
}

#[test]
fn version_2_adds_only_the_team_quoted_reply_and_bsuid_fields_to_version_1() {
    const ADDED: [&str; 8] = [
        "senderUserId",
        "recipientUserId",
        "username",
        "quotedMessageId",
        "quotedText",
        "teamId",
        "teamName",
        "routedToAnotherTeam",
    ];
    let (one, two) = (read("v1"), read("v2"));
    for (name, bodies) in &one {
        for (field, body) in bodies.as_object().unwrap() {
            let other = two[name][field].as_object().unwrap();
            if field != "chatbotWebhookURL" {
                assert_eq!(body.as_object().unwrap(), other, "{name}: only chatbot events have versions");
                continue;
            }
            for (key, value) in body.as_object().unwrap() {
                assert_eq!(other.get(key), Some(value), "{name}: {key}");
                assert!(!ADDED.contains(&key.as_str()), "{name}: {key} is of version 2");
            }
            for key in other.keys().filter(|key| body.get(key.as_str()).is_none()) {
                assert!(ADDED.contains(&key.as_str()), "{name}: {key}");
            }
        }
    }
}

#[test]
fn template_fields_stand_only_in_replies_right_after_a_template_send() {
    for version in ["v1", "v2"] {
        for (name, bodies) in read(version) {
            for field in ["incomingMessageURL", "chatbotWebhookURL"] {
                let Some(body) = bodies.get(field) else { continue };
                let has = body.get("templateId").is_some() || body.get("templateName").is_some();
                assert_eq!(has, name.contains("after a template"), "{version}: {name}: {body}");
            }
        }
    }
}

#[test]
fn an_assignment_is_outgoing_without_a_message_and_version_2_shows_a_change_of_team() {
    for (name, routed) in [
        ("an agent takes a chat", false),
        ("a chat is passed on to another agent", false),
        ("a chat is passed on to a team", false),
        ("a chat is passed on to another team", true),
        ("a chat is passed on to an agent of another team", true),
    ] {
        for version in ["v1", "v2"] {
            let body = &read(version)[name]["chatbotWebhookURL"];
            assert_eq!(body["direction"], "OUTGOING", "{name}");
            for field in ["messageId", "messageType", "messageText", "mediaUrl"] {
                assert_eq!(body.get(field), None, "{name}: {field}");
            }
            let told = (version == "v2").then_some(&json!(routed)).cloned();
            assert_eq!(body.get("routedToAnotherTeam"), told.as_ref(), "{version}: {name}");
        }
    }
    for version in ["v1", "v2"] {
        assert_eq!(read(version)["a chat that is assigned to nobody"], json!({}));
        let others = read(version).into_iter().filter(|(name, _)| !name.starts_with("a chat is passed on"));
        let told = others.filter(|(_, bodies)| bodies["chatbotWebhookURL"].get("routedToAnotherTeam").is_some());
        let told: Vec<String> = told.map(|(name, _)| name).collect();
        assert!(told.iter().all(|name| name == "an agent takes a chat"), "only assignments: {told:?}");
    }
}
