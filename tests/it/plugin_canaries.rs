//! Canaries of shapers and routers: they keep their share of conversations. If they fail, they are taken back, and the
//! live version does their work (DESIGN 4).

use std::collections::BTreeMap;

use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, altered, eventually, guest};
use serde_json::{Value, json};

const STAMP: &str = "stamp";
/// The shaper's answer to `nonsense`.
const NONSENSE: &str = r#"{"half": "of a body that never ends"#;
const DESK: &str = "desk";
/// The number of customers of which a canary gets a share.
const PHONES: usize = 12;

/// A client with webhooks for incoming messages only, so each message is one call of its shaper.
async fn listening(patchbay: &SharedPatchbay) -> (TestClient, WebhookSink) {
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let hooks = json!({ "incomingMessageURL": sink.url("incoming") });
    let reply = client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &hooks).await;
    assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
    (client, sink)
}

/// A client with a live shaper that stamps its name and answers `nonsense` with JSON, and the sink of its webhooks.
async fn with_shaper() -> (SharedPatchbay, TestClient, WebhookSink) {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, sink) = listening(&patchbay).await;
    let sensible = format!("{:<width$}}}", r#"{"a": 12"#, width = NONSENSE.len() - 1);
    client.install(STAMP, altered(guest("stamping-shaper"), NONSENSE, &sensible)).await;
    (patchbay, client, sink)
}

/// Starts a canary of the shaper with these terms. It stamps another name, and answers `nonsense` with invalid JSON.
async fn try_shaper(client: &TestClient, terms: Value) {
    let other = altered(guest("stamping-shaper"), "stamping-shaper", "stamping-canary");
    try_out(client, STAMP, other, terms).await;
}

async fn try_out(client: &TestClient, name: &str, component: Vec<u8>, mut terms: Value) {
    terms["version"] = json!(client.upload(name, component).await);
    terms["mode"] = json!("canary");
    client.put_in_force(name, terms).await;
}

/// The same plugin with other bytes: an empty custom section is added.
fn again(component: Vec<u8>) -> Vec<u8> {
    [component, vec![0, 2, 1, b'x']].concat()
}

/// At least one of the customers, and not all.
fn is_a_share(of_canary: usize) -> bool {
    (1..PHONES).contains(&of_canary)
}

/// All customers write. Returns the shaper of each customer's event.
async fn stamps(
    client: &TestClient,
    sink: &WebhookSink,
    phones: &[TestPhone],
    round: usize,
) -> BTreeMap<String, String> {
    let mut stamps = BTreeMap::new();
    for phone in phones {
        phone.write(&client.number, &format!("round {round} {}", phone.msisdn)).await;
    }
    for phone in phones {
        let words = format!("round {round} {}", phone.msisdn);
        let body = sink.receives("incoming", &words, |body| body["words"] == words).await;
        stamps.insert(phone.msisdn.clone(), body["stampedBy"].as_str().unwrap().to_owned());
    }
    stamps
}

#[tokio::test]
async fn a_shaper_on_trial_has_its_share_of_conversations_and_keeps_them() {
    let (patchbay, client, sink) = with_shaper().await;
    try_shaper(&client, json!({ "percent": 50 })).await;
    let phones: Vec<TestPhone> = (0..PHONES).map(|_| patchbay.new_phone()).collect();

    let first = stamps(&client, &sink, &phones, 1).await;
    let second = stamps(&client, &sink, &phones, 2).await;

    assert_eq!(first, second, "the same customers have the canary again");
    let of_canary = first.values().filter(|stamp| *stamp == "stamping-canary").count();
    assert!(is_a_share(of_canary), "{of_canary} of {PHONES} had the canary");
    assert!(first.values().all(|stamp| stamp == "stamping-canary" || stamp == "stamping-shaper"), "{first:?}");
    client.put_in_force(STAMP, json!({ "version": 2, "mode": "canary", "percent": 100 })).await;
    let third = stamps(&client, &sink, &phones, 3).await;
    assert!(third.values().all(|stamp| stamp == "stamping-canary"), "{third:?}");
}

#[tokio::test]
async fn a_canary_shaper_that_fails_too_often_is_rolled_back_and_no_event_is_lost() {
    let (patchbay, client, sink) = with_shaper().await;
    try_shaper(&client, json!({ "percent": 100, "minimumCalls": 3, "errorThreshold": 50 })).await;
    let phone = patchbay.new_phone();

    for (count, text) in (1..).zip(["before", "nonsense", "nonsense"]) {
        phone.write(&client.number, text).await;
        sink.receives_many("incoming", count).await;
    }
    let event = client.keeps(STAMP, "events", |event| event["kind"] == "CANARY_FAILED").await;
    phone.write(&client.number, "after").await;
    sink.receives_many("incoming", 4).await;

    let before = json!({ "stampedBy": "stamping-canary", "words": "before" });
    let after = json!({ "stampedBy": "stamping-shaper", "words": "after" });
    assert_eq!(sink.bodies("incoming"), [before, json!({ "a": 12 }), json!({ "a": 12 }), after]);
    let reason = event["reason"].as_str().unwrap();
    assert!(reason.contains("2 of its 3 calls failed") && reason.contains("not JSON"), "{reason}");
    assert_eq!(event["version"], 2);
    let in_force = client.in_force(STAMP).await;
    assert_eq!(in_force.len(), 1, "{in_force:?}");
    assert_eq!((&in_force[0]["mode"], &in_force[0]["version"]), (&json!("live"), &json!(1)));
}

#[tokio::test]
async fn a_shaper_on_trial_within_its_threshold_stays() {
    let (patchbay, client, sink) = with_shaper().await;
    try_shaper(&client, json!({ "percent": 100, "minimumCalls": 2, "errorThreshold": 50 })).await;
    let phone = patchbay.new_phone();

    for (count, text) in (1..).zip(["before", "nonsense", "after"]) {
        phone.write(&client.number, text).await;
        sink.receives_many("incoming", count).await;
    }

    let last = sink.receives("incoming", "the last body", |body| body["words"] == "after").await;
    assert_eq!(last["stampedBy"], "stamping-canary");
    assert_eq!(client.in_force(STAMP).await.len(), 2, "live and canary");
    assert!(client.kept(STAMP, "events").await.iter().all(|event| event["kind"] != "CANARY_FAILED"));
}

#[tokio::test]
async fn a_shaper_that_leaves_an_event_unchanged_has_the_built_in_body_and_no_failure() {
    let (patchbay, client, sink) = with_shaper().await;
    try_shaper(&client, json!({ "percent": 100, "minimumCalls": 1, "errorThreshold": 0 })).await;
    let phone = patchbay.new_phone();

    for (count, text) in (1..).zip(["unchanged", "unchanged", "after"]) {
        phone.write(&client.number, text).await;
        sink.receives_many("incoming", count).await;
    }

    let bodies = sink.bodies("incoming");
    for body in &bodies[..2] {
        assert_eq!((&body["text"], &body["messageContentType"]), (&json!("unchanged"), &json!("TEXT")));
    }
    assert_eq!(bodies[2], json!({ "stampedBy": "stamping-canary", "words": "after" }));
    assert_eq!(client.in_force(STAMP).await.len(), 2, "live and canary");
    assert!(client.kept(STAMP, "events").await.iter().all(|event| event["kind"] != "CANARY_FAILED"));
    let live = client.kept(STAMP, "invocations").await.into_iter().find(|call| call["mode"] == "live");
    assert_eq!(live, None, "the live shaper is not asked about an event of the canary");
}

#[tokio::test]
async fn a_custom_answer_of_a_shaper_is_the_built_in_body_with_a_line_in_the_log_and_no_failure() {
    let (patchbay, client, sink) = with_shaper().await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "custom").await;

    let body = sink.receives("incoming", "the built-in body", |_| true).await;
    assert_eq!((&body["text"], &body["messageContentType"]), (&json!("custom"), &json!("TEXT")));
    let call = client.keeps(STAMP, "invocations", |call| call["logs"][0] != Value::Null).await;
    assert_eq!(call["outcome"], "answered");
    let line = "warn: this version does not know the `custom` of the shaper; the built-in shaper was used";
    assert_eq!(call["logs"], json!([line]));
}

#[tokio::test]
async fn a_shaper_on_trial_without_a_live_one_leaves_its_failures_to_the_built_in_one() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, sink) = listening(&patchbay).await;
    let terms = json!({ "percent": 100, "minimumCalls": 1, "errorThreshold": 0 });
    try_out(&client, STAMP, guest("stamping-shaper"), terms).await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "trap").await;

    let body = sink.receives("incoming", "the built-in body", |_| true).await;
    assert_eq!((&body["text"], &body["messageContentType"]), (&json!("trap"), &json!("TEXT")));
    client.keeps(STAMP, "events", |event| event["kind"] == "CANARY_FAILED").await;
    assert_eq!(client.in_force(STAMP).await, Vec::<Value>::new());
}

async fn with_router() -> (SharedPatchbay, TestClient) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.install(DESK, guest("usher")).await;
    client.activate("clerk").await;
    (patchbay, client)
}

async fn hears(phone: &TestPhone, text: &str) {
    phone.receives(text, |message| message["text"].as_str().unwrap_or_default() == text).await;
}

/// Waits for this number of decisions of a client. Returns them oldest first.
async fn decisions(client: &TestClient, number: usize) -> Vec<Value> {
    eventually(&format!("{number} decisions"), || async {
        let mut all = client.decisions().await;
        all.reverse();
        (all.len() >= number).then_some(all)
    })
    .await
}

/// All customers begin a conversation and end it. Returns the version that decided about each chat.
async fn deciders(client: &TestClient, phones: &[TestPhone], round: usize) -> BTreeMap<String, Value> {
    for phone in phones {
        phone.write(&client.number, &format!("say round {round}")).await;
    }
    for phone in phones {
        hears(phone, &format!("round {round}")).await;
        phone.write(&client.number, "bye").await;
    }
    for phone in phones {
        eventually("the chat to end", || async {
            let heard = phone.inbox().await;
            (heard.iter().filter(|message| message["text"] == "goodbye").count() == round).then_some(())
        })
        .await;
    }
    let all = decisions(client, round * phones.len()).await;
    let of_round = all.iter().skip((round - 1) * phones.len());
    of_round.map(|one| (one["participantId"].as_str().unwrap().to_owned(), one["version"].clone())).collect()
}

#[tokio::test]
async fn a_router_on_trial_has_its_share_of_customers_and_keeps_them() {
    let (patchbay, client) = with_router().await;
    try_out(&client, DESK, again(guest("usher")), json!({ "percent": 50 })).await;
    let phones: Vec<TestPhone> = (0..PHONES).map(|_| patchbay.new_phone()).collect();

    let first = deciders(&client, &phones, 1).await;
    let second = deciders(&client, &phones, 2).await;

    assert_eq!(first.len(), PHONES);
    assert_eq!(first, second, "the same customers have the canary again");
    let of_canary = first.values().filter(|version| **version == 2).count();
    assert!(is_a_share(of_canary), "{of_canary} of {PHONES} had the canary");
    client.put_in_force(DESK, json!({ "version": 2, "mode": "canary", "percent": 100 })).await;
    let third = deciders(&client, &phones, 3).await;
    assert!(third.values().all(|version| *version == 2), "{third:?}");
}

#[tokio::test]
async fn a_canary_router_that_fails_too_often_is_rolled_back_and_its_customers_are_served() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate("clerk").await;
    client.put_in_force("router", json!({})).await;
    let terms = json!({ "percent": 100, "minimumCalls": 3, "errorThreshold": 50 });
    try_out(&client, DESK, guest("usher"), terms).await;

    let mut of_canary = Vec::new();
    for (count, text) in (1..).zip(["say hello", "trap", "bot nobody", "trap"]) {
        patchbay.new_phone().write(&client.number, text).await;
        let last = decisions(&client, count).await.pop().unwrap();
        assert_eq!((&last["target"]["type"], &last["fallback"]), (&json!("bot"), &json!(false)), "{text}: {last}");
        of_canary.push(last["plugin"] == DESK);
    }

    assert_eq!(of_canary, [true, false, false, false], "the live router decides where the canary fails");
    let event = client.keeps(DESK, "events", |event| event["kind"] == "CANARY_FAILED").await;
    let reason = event["reason"].as_str().unwrap();
    assert!(reason.contains("2 of its 3 calls failed") && reason.contains("no chatbot `nobody`"), "{reason}");
    assert_eq!(client.in_force(DESK).await, Vec::<Value>::new());
    assert_eq!(client.in_force("router").await.len(), 1);
    let calls = client.kept(DESK, "invocations").await;
    assert_eq!(calls.len(), 3, "the fourth conversation was not its any more: {calls:?}");
}

#[tokio::test]
async fn a_router_on_trial_within_its_threshold_stays() {
    let (patchbay, client) = with_router().await;
    try_out(&client, DESK, again(guest("usher")), json!({ "percent": 100, "minimumCalls": 2, "errorThreshold": 50 }))
        .await;

    for (count, text) in (1..).zip(["say hello", "trap", "say more"]) {
        patchbay.new_phone().write(&client.number, text).await;
        decisions(&client, count).await;
    }

    let versions: Vec<Value> = decisions(&client, 3).await.iter().map(|one| one["version"].clone()).collect();
    assert_eq!(versions, [2, 1, 2]);
    assert_eq!(client.in_force(DESK).await.len(), 2, "live and canary");
    assert!(client.kept(DESK, "events").await.iter().all(|event| event["kind"] != "CANARY_FAILED"));
}

#[tokio::test]
async fn a_router_on_trial_without_a_live_one_decides_for_its_share_and_leaves_the_rest_alone() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate("clerk").await;
    try_out(&client, DESK, guest("usher"), json!({ "percent": 50 })).await;
    let phones: Vec<TestPhone> = (0..PHONES).map(|_| patchbay.new_phone()).collect();

    for phone in &phones {
        phone.write(&client.number, "say hello").await;
    }
    for phone in &phones {
        hears(phone, "hello").await;
    }

    let decided = client.decisions().await;
    assert!(is_a_share(decided.len()), "{} of {PHONES} conversations were decided", decided.len());
    assert!(decided.iter().all(|one| one["plugin"] == DESK && one["fallback"] == false), "{decided:?}");
}

#[tokio::test]
async fn a_router_on_trial_without_a_live_one_leaves_its_failures_to_the_default_chatbot() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate("clerk").await;
    let terms = json!({ "percent": 100, "minimumCalls": 1, "errorThreshold": 0 });
    try_out(&client, DESK, guest("usher"), terms).await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "trap").await;
    phone.write(&client.number, "say still here").await;

    hears(&phone, "still here").await;
    let decision = decisions(&client, 1).await.pop().unwrap();
    assert_eq!((&decision["target"], &decision["fallback"]), (&json!({ "type": "bot" }), &json!(true)));
    assert!(decision["reason"].as_str().unwrap().contains("crashed"), "{decision}");
    client.keeps(DESK, "events", |event| event["kind"] == "CANARY_FAILED").await;
    assert_eq!(client.in_force(DESK).await, Vec::<Value>::new());
}
