//! The webhooks of the document are those that are sent. The bodies come from the snapshots of the crate `webhooks`, which the
//! built-in shapers wrote.

use std::{collections::BTreeSet, path::PathBuf};

use serde_json::Value;

use super::{
    document::{Case, document, faults, resolved},
    service::Service,
};

/// The webhook of each address, with the schema of each payload version.
const WEBHOOKS: [(&str, &str, [&str; 2]); 5] = [
    ("incomingMessageURL", "incomingMessage", ["IncomingMessage", "IncomingMessage"]),
    ("statusUpdateURL", "messageStatus", ["MessageStatus", "MessageStatus"]),
    ("sessionStatusURL", "sessionStatus", ["SessionStatus", "SessionStatus"]),
    ("eventWebhookURL", "partnerEvent", ["PartnerEvent", "PartnerEvent"]),
    ("chatbotWebhookURL", "chatbotEvent", ["ChatbotEventV1", "ChatbotEventV2"]),
];

/// The bodies that were sent to each address.
fn sent(version: &str) -> Vec<(String, Value)> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let file = root.join(format!("../webhooks/tests/delivery/snapshots/{version}.json"));
    let events: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let events = events.as_object().unwrap().values();
    let bodies = events.flat_map(|event| event.as_object().unwrap().clone());
    bodies
        .map(|(address, mut body)| {
            if body.get("eventId").is_some() {
                body["eventId"] = "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f50".into();
            }
            (address, body)
        })
        .collect()
}

/// The fields of a schema, those of its parts included.
fn fields(document: &Value, schema: &str) -> BTreeSet<String> {
    let schema = &document["components"]["schemas"][schema];
    let parts = schema["allOf"].as_array().into_iter().flatten().map(|part| resolved(document, part));
    let all = std::iter::once(schema).chain(parts);
    all.flat_map(|part| part["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone())).collect()
}

#[tokio::test]
async fn every_body_that_is_sent_is_described() {
    let service = Service::start().await;
    let document = document(&service).await;
    let mut cases = Vec::new();
    for (version, which) in [("v1", 0), ("v2", 1)] {
        for (address, body) in sent(version) {
            let (_, webhook, schemas) = WEBHOOKS.iter().find(|(known, _, _)| *known == address).unwrap();
            let schema = schemas[which];
            let offered = document["webhooks"][webhook]["post"]["requestBody"]["content"]["application/json"]["schema"]
                .to_string();
            assert!(offered.contains(&format!("\"#/components/schemas/{schema}\"")), "{webhook}: {offered}");
            let known = fields(&document, schema);
            let unknown: Vec<&String> = body.as_object().unwrap().keys().filter(|key| !known.contains(*key)).collect();
            assert!(unknown.is_empty(), "{schema} lacks {unknown:?}");
            cases.push(Case {
                name: schema.to_owned(),
                schema: document["components"]["schemas"][schema].clone(),
                instance: body,
            });
        }
    }
    let faults = faults(&document, cases);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[tokio::test]
async fn every_described_field_is_sent() {
    let service = Service::start().await;
    let document = document(&service).await;
    let bodies = [sent("v1"), sent("v2")].concat();
    for (address, _, schemas) in WEBHOOKS {
        let of_address = bodies.iter().filter(|(known, _)| *known == address);
        let seen: BTreeSet<String> =
            of_address.flat_map(|(_, body)| body.as_object().unwrap().keys().cloned()).collect();
        let described: BTreeSet<String> = schemas.iter().flat_map(|schema| fields(&document, schema)).collect();
        let missing: Vec<&String> = described.difference(&seen).filter(|name| !RARE.contains(&name.as_str())).collect();
        assert!(missing.is_empty(), "{address}: no sample event has {missing:?}");
    }
}

/// Fields of SPEC 6.1 and 6.2 that need a conversation, a rate card or an error, which the samples do not have.
const RARE: [&str; 10] = [
    "conversationCtId",
    "conversationId",
    "conversationStatusCode",
    "conversationStatusMessage",
    "cost",
    "errorCode",
    "errorCodeString",
    "participantId",
    "requestId",
    "tqrmtId",
];

#[tokio::test]
async fn webhooks_have_rules_and_answers() {
    let service = Service::start().await;
    let document = document(&service).await;
    let webhooks = document["webhooks"].as_object().unwrap();
    let names: BTreeSet<&str> = webhooks.keys().map(String::as_str).collect();
    for name in ["incomingMessage", "messageStatus", "chatbotEvent", "partnerEvent", "smsReceipt", "smsReply"] {
        assert!(names.contains(name), "{name} is missing in {names:?}");
    }
    for (name, item) in webhooks {
        for operation in item.as_object().unwrap().values() {
            let said = operation["description"].as_str().unwrap();
            assert!(said.contains("is repeated after"), "{name} says nothing about retries");
            assert!(operation["responses"].get("2XX").is_some(), "{name} has no answer");
        }
    }
}
