//! Versions next to the live one: a shadow gets the same calls and changes nothing. A canary answers for its share, and
//! is taken back if it fails (DESIGN 4).

use std::collections::HashMap;

use harness::{PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, greeter, guest};
use serde_json::{Value, json};

const SHOP: &str = "shop";

async fn setup() -> (SharedPatchbay, TestClient) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    (patchbay, client)
}

async fn hears(phone: &TestPhone, text: &str) {
    phone.receives(text, |message| message["text"].as_str().unwrap_or_default().starts_with(text)).await;
}

async fn texts(phone: &TestPhone) -> Vec<String> {
    phone.inbox().await.iter().map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn calls(client: &TestClient, mode: &str, number: usize) -> Vec<Value> {
    eventually(&format!("{number} calls of the {mode}"), || async {
        let all = client.kept(SHOP, "invocations").await;
        let of_mode: Vec<Value> = all.into_iter().filter(|call| call["mode"] == mode).collect();
        (of_mode.len() >= number).then_some(of_mode)
    })
    .await
}

#[tokio::test]
async fn a_shadow_with_another_answer_is_reported_and_changes_nothing() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("good day")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    client.put_in_force(SHOP, json!({ "version": version, "mode": "shadow" })).await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "hi").await;

    hears(&phone, "good day").await;
    let difference = client.keeps(SHOP, "differences", |entry| entry.to_string().contains("echo hi")).await;
    assert!(difference["live"].to_string().contains("good day"), "{difference}");
    assert!(!difference["shadow"].to_string().contains("good day"), "{difference}");
    let shadows = calls(&client, "shadow", 2).await;
    assert!(shadows.iter().all(|call| call["outcome"] == "answered" && call["version"] == 2), "{shadows:?}");
    assert!(texts(&phone).await.iter().all(|text| text == "good day"), "{:?}", texts(&phone).await);
}

#[tokio::test]
async fn a_shadow_with_the_same_answer_leaves_no_difference() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, guest("clerk")).await;
    let version = client.upload(SHOP, [guest("clerk"), custom_section()].concat()).await;
    client.put_in_force(SHOP, json!({ "version": version, "mode": "shadow" })).await;
    let phone = patchbay.new_phone();

    for total in 1..=3 {
        phone.write(&client.number, "total").await;
        hears(&phone, &format!("total {total}")).await;
    }

    let shadows = calls(&client, "shadow", 4).await;
    assert!(shadows.iter().all(|call| call["outcome"] == "answered"), "{shadows:?}");
    assert_eq!(client.kept(SHOP, "differences").await, Vec::<Value>::new(), "it sees what the live version saw");
    assert_eq!(skipped(&client).await, Vec::<Value>::new(), "there is room for one after the other");
    assert_eq!(texts(&phone).await, ["total 1", "total 2", "total 3"], "and writes nothing");
}

#[tokio::test]
async fn the_memory_of_a_shadow_is_measured() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, guest("clerk")).await;
    let version = client.upload(SHOP, [guest("clerk"), custom_section()].concat()).await;
    client.put_in_force(SHOP, json!({ "version": version, "mode": "shadow" })).await;
    patchbay.new_phone().write(&client.number, "say hello").await;
    let shadows = calls(&client, "shadow", 2).await;
    assert!(shadows.iter().all(|call| call["peakMemoryBytes"].as_u64() > Some(0)), "{shadows:?}");
}

async fn skipped(client: &TestClient) -> Vec<Value> {
    let page = client.get(&format!("/plugin-service/api/v1/plugins/{SHOP}/differences")).await.ok();
    page["skipped"].as_array().cloned().unwrap()
}

#[tokio::test]
async fn a_hanging_shadow_takes_no_place_of_live_calls_and_its_missed_comparisons_are_counted() {
    // Only one live call can run, and it does not wait for its place. A shadow hangs for seconds.
    let settings = [
        ("limits.plugin_concurrency_per_client", "1"),
        ("limits.plugin_queue_wait", "50ms"),
        ("limits.plugin_shadows_per_client", "1"),
        ("limits.plugin_cpu", "3s"),
    ];
    let setup = settings.iter().fold(PatchbaySetup::new(), |setup, (key, value)| setup.set(key, value));
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.install(SHOP, greeter("good day")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    let shadow = client.put_in_force(SHOP, json!({ "version": version, "mode": "shadow" })).await;

    for number in 1..=8 {
        let phone = patchbay.phone(&format!("2782000000{number}"));
        phone.write(&client.number, "spin").await;
        hears(&phone, "good day").await;
    }

    let live = calls(&client, "live", 16).await;
    assert!(live.iter().all(|call| call["outcome"] == "answered"), "{live:?}");
    let (told, compared) = eventually("every live call to be compared or counted", || async {
        let (told, compared) = (skipped(&client).await, calls(&client, "shadow", 1).await.len());
        let missed: u64 = told.iter().map(|one| one["comparisons"].as_u64().unwrap()).sum();
        (missed + compared as u64 == 16).then_some((told, compared))
    })
    .await;
    assert!(compared < 16, "the shadow hangs");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["activationId"], &told[0]["version"]), (&shadow["id"], &json!(2)));
    assert!(told[0]["lastTime"].as_str().unwrap().ends_with('Z'), "{told:?}");
}

/// An empty custom section, which changes the bytes of a component and not its behaviour.
fn custom_section() -> Vec<u8> {
    vec![0, 2, 1, b'x']
}

#[tokio::test]
async fn a_failed_shadow_is_a_difference_and_causes_no_delay() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("good day")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    client.put_in_force(SHOP, json!({ "version": version, "mode": "shadow" })).await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "panic").await;
    phone.write(&client.number, "spin").await;
    phone.write(&client.number, "hi").await;

    client.keeps(SHOP, "differences", |entry| entry["shadow"]["outcome"] == "trapped").await;
    let answers = eventually("three answers", || async {
        let texts = texts(&phone).await;
        (texts.len() >= 3).then_some(texts)
    })
    .await;
    assert!(answers.iter().all(|text| text == "good day"), "{answers:?}");
    client.keeps(SHOP, "differences", |entry| entry["shadow"].to_string().contains("echo hi")).await;
    let live: Vec<Value> = client.kept(SHOP, "invocations").await;
    assert!(live.iter().filter(|call| call["mode"] == "live").all(|call| call["outcome"] == "answered"), "{live:?}");
}

#[tokio::test]
async fn a_canary_has_its_share_of_customers_and_keeps_them() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("one")).await;
    let version = client.upload(SHOP, greeter("two")).await;
    client.put_in_force(SHOP, json!({ "version": version, "mode": "canary", "percent": 50 })).await;
    let phones: Vec<TestPhone> = (0..16).map(|_| patchbay.new_phone()).collect();

    let first = asked_by_all(&client, &phones, 1).await;
    let second = asked_by_all(&client, &phones, 2).await;

    assert_eq!(first, second, "the same customers have the canary again");
    let of_canary = first.values().filter(|answer| *answer == "two").count();
    assert!((1..16).contains(&of_canary), "{of_canary} of 16 had the canary");
    calls(&client, "canary", of_canary).await;
    client.put_in_force(SHOP, json!({ "version": version, "mode": "canary", "percent": 100 })).await;
    let third = asked_by_all(&client, &phones, 3).await;
    assert!(third.values().all(|answer| answer == "two"), "{third:?}");
}

/// All customers write once more. Returns the last answer for each of them.
async fn asked_by_all(client: &TestClient, phones: &[TestPhone], round: usize) -> HashMap<String, String> {
    let mut heard = HashMap::new();
    for phone in phones {
        phone.write(&client.number, "hello").await;
    }
    for phone in phones {
        let answers = eventually("an answer", || async {
            let texts = texts(phone).await;
            (texts.len() >= round).then_some(texts)
        })
        .await;
        heard.insert(phone.msisdn.clone(), answers[round - 1].clone());
    }
    heard
}

#[tokio::test]
async fn a_canary_that_fails_too_often_is_rolled_back_and_its_customers_are_served() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("steady")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    let terms =
        json!({ "version": version, "mode": "canary", "percent": 100, "minimumCalls": 3, "errorThreshold": 40 });
    client.put_in_force(SHOP, terms).await;
    let phone = patchbay.new_phone();

    for answers in 1..=2 {
        phone.write(&client.number, "panic").await;
        hears_steady(&phone, answers).await;
    }

    let event = client.keeps(SHOP, "events", |event| event["kind"] == "CANARY_FAILED").await;
    let reason = event["reason"].as_str().unwrap();
    assert!(reason.contains("2 of its 3 calls failed") && reason.contains("crashed"), "{reason}");
    assert_eq!(event["version"], 2);
    let in_force = client.in_force(SHOP).await;
    assert_eq!(in_force.len(), 1, "{in_force:?}");
    assert_eq!((&in_force[0]["mode"], &in_force[0]["version"]), (&json!("live"), &json!(1)));
    let mut db = patchbay.database().await;
    let statement = "SELECT mode, end_reason FROM plugin_activation_history
        WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) AND ended_at IS NOT NULL";
    let ended: Vec<(String, String)> =
        sqlx::query_as(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
    assert_eq!(ended, [("canary".to_owned(), "canary-failed".to_owned())]);
    phone.write(&client.number, "panic").await;
    hears_steady(&phone, 3).await;
}

#[tokio::test]
async fn a_canary_that_is_taken_back_is_reported_to_the_event_webhook() {
    let (patchbay, client) = setup().await;
    let sink = WebhookSink::start().await;
    let hooks = json!({ "eventWebhookURL": sink.url("events") });
    let reply = client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &hooks).await;
    assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
    client.install(SHOP, greeter("steady")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    let terms = json!({ "version": version, "mode": "canary", "percent": 100, "minimumCalls": 1, "errorThreshold": 0 });
    client.put_in_force(SHOP, terms).await;

    patchbay.new_phone().write(&client.number, "panic").await;

    let canary_failed = |event: &Value| event["eventType"] == "PLUGIN_CANARY_FAILED";
    let told = sink.receives("events", "the partner event", canary_failed).await;
    assert_eq!((&told["plugin"], &told["pluginVersion"]), (&json!(SHOP), &json!("2")));
    assert_eq!(told["whatsAppNumber"], client.number);
    let reason = told["reason"].as_str().unwrap();
    assert!(reason.contains("calls failed") && reason.contains("crashed"), "{reason}");
}

async fn hears_steady(phone: &TestPhone, answers: usize) {
    eventually("the live version to answer", || async {
        (texts(phone).await.iter().filter(|text| *text == "steady").count() == answers).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_live_version_answers_at_once_if_a_canary_fails() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("steady")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    let terms = json!({ "version": version, "mode": "canary", "percent": 100, "minimumCalls": 1000 });
    client.put_in_force(SHOP, terms).await;
    let phone = patchbay.new_phone();

    for (answers, deed) in (1..).zip(["panic", "reply 4097", "refuse", "refuse-for-now"]) {
        phone.write(&client.number, deed).await;
        hears_steady(&phone, answers).await;
    }

    let of_canary = calls(&client, "canary", 5).await;
    let outcomes: Vec<&str> = of_canary.iter().rev().map(|call| call["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["answered", "trapped", "bad-answer", "refused", "refused"], "each is asked once");
    assert_eq!(client.in_force(SHOP).await.len(), 2, "it stays on trial");
}

#[tokio::test]
async fn a_failed_call_of_a_canary_without_a_live_version_goes_to_agents_at_once() {
    let (patchbay, client) = setup().await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    let terms = json!({ "version": version, "mode": "canary", "percent": 100, "minimumCalls": 1000 });
    client.put_in_force(SHOP, terms).await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "panic").await;

    let reason = eventually("people to take over", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT queued_reason FROM participant
            WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) AND state = 'QUEUED'";
        let reason: Option<String> =
            sqlx::query_scalar(statement).bind(&client.client_ref).fetch_optional(&mut db).await.unwrap();
        reason
    })
    .await;
    assert!(reason.contains("crashed") && reason.contains("no version is live"), "{reason}");
    let trapped = calls(&client, "canary", 2).await.iter().filter(|call| call["outcome"] == "trapped").count();
    assert_eq!(trapped, 1);
}

#[tokio::test]
async fn a_canary_within_its_threshold_stays() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("steady")).await;
    let version = client.upload(SHOP, guest("hostile-bot")).await;
    let terms =
        json!({ "version": version, "mode": "canary", "percent": 100, "minimumCalls": 2, "errorThreshold": 50 });
    client.put_in_force(SHOP, terms).await;
    let phone = patchbay.new_phone();

    // Two calls succeed for each that fails; one of them is the start of the conversation.
    for deed in ["hi", "refuse", "hello"] {
        phone.write(&client.number, deed).await;
        eventually("the call to be made", || async {
            let calls = client.kept(SHOP, "invocations").await;
            (!calls.is_empty()).then_some(())
        })
        .await;
    }

    client.keeps(SHOP, "invocations", |call| call["outcome"] == "refused" && call["mode"] == "canary").await;
    assert_eq!(client.in_force(SHOP).await.len(), 2, "live and canary");
    assert!(client.kept(SHOP, "events").await.iter().all(|event| event["kind"] != "CANARY_FAILED"));
}

#[tokio::test]
async fn the_trace_of_a_call_names_its_activation_and_mode() {
    let (patchbay, client) = setup().await;
    client.install(SHOP, greeter("hello")).await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, "hi").await;
    hears(&phone, "hello").await;
    let call = client.keeps(SHOP, "invocations", |call| call["outcome"] == "answered").await;
    assert_eq!((&call["mode"], &call["version"]), (&json!("live"), &json!(1)));
    let in_force = client.in_force(SHOP).await;
    let mut db = patchbay.database().await;
    let statement = "SELECT DISTINCT activation_id::text FROM plugin_invocation
        WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) AND plugin = 'shop'";
    let named: Vec<String> = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
    assert_eq!(json!(named), json!([in_force[0]["id"]]));
}

#[tokio::test]
async fn a_fallback_plugin_on_trial_that_fails_leaves_the_decision_to_the_live_one() {
    let (patchbay, client) = setup().await;
    client.activate("sms-fallback").await;
    let version = client.upload("picky", guest("picky-fallback")).await;
    let terms = json!({ "version": version, "mode": "canary", "percent": 100, "minimumCalls": 1, "errorThreshold": 0 });
    client.put_in_force("picky", terms).await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": "it is a trap" });

    client.send(&payload).await.accepted();

    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(sms["text"], "it is a trap", "as the live plugin writes it");
    client.keeps("picky", "events", |event| event["kind"] == "CANARY_FAILED").await;
    assert_eq!(client.in_force("picky").await, Vec::<Value>::new());
}
