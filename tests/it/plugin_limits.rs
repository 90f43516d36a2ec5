//! Limits of stored data, suspension after repeated failures, and failed calls without effect.

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, guest};
use serde_json::json;

const BOT: &str = "errands";

/// A separate server with these settings, a client with a guest as its plugin, and a phone.
async fn with(settings: &[(&str, &str)], plugin: &str, component: &str) -> (Patchbay, TestClient, TestPhone) {
    let setup = settings.iter().fold(PatchbaySetup::new(), |setup, (key, value)| setup.set(key, value));
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.install(plugin, guest(component)).await;
    let phone = patchbay.phone("27820000001");
    (patchbay, client, phone)
}

async fn asks(phone: &TestPhone, client: &TestClient, text: &str, answer: &str) {
    phone.write(&client.number, text).await;
    hears(phone, answer).await;
}

async fn hears(phone: &TestPhone, answer: &str) {
    phone.receives(answer, |message| message["text"].as_str().unwrap_or_default().starts_with(answer)).await;
}

/// Waits until the chat of a phone is in the queue, and advances the clock for repeated attempts. Returns the reason.
async fn is_queued(patchbay: &Patchbay, phone: &TestPhone) -> String {
    for _ in 0..40 {
        let mut db = patchbay.database().await;
        let statement = "SELECT participant.state, participant.queued_reason FROM participant
            JOIN customer_address identity USING (client_id, customer_id) WHERE identity.value = $1";
        let found: Option<(String, Option<String>)> =
            sqlx::query_as(statement).bind(&phone.msisdn).fetch_optional(&mut db).await.unwrap();
        if let Some((_, reason)) = found.filter(|(state, _)| state == "QUEUED") {
            return reason.unwrap_or_default();
        }
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
        patchbay.advance_clock(2).await;
    }
    panic!("the chat never came to people");
}

#[tokio::test]
async fn a_client_keeps_as_many_bytes_as_its_quota_and_none_beyond() {
    // Five keys need 5 x (5 + 1000 + 64) bytes, and the counter a few more.
    let (patchbay, client, phone) = with(&[("limits.kv_bytes_per_client", "6000")], BOT, "errand-bot").await;
    asks(&phone, &client, "keep-for-all 5 1000", "kept 5").await;
    let other = patchbay.phone("27820000002");

    other.write(&client.number, "keep-for-all 1 1000").await;

    let reason = is_queued(&patchbay, &other).await;
    assert!(reason.contains("6000 are allowed"), "{reason}");
    let refused = client.keeps(BOT, "invocations", |call| call["outcome"] == "bad-answer").await;
    assert!(refused["error"].as_str().unwrap().contains("6000 are allowed"), "{refused}");
    asks(&phone, &client, "keep-for-all 0 1", "kept 5").await;
    asks(&phone, &client, "forget", "forgotten").await;
    asks(&phone, &client, "keep-for-all 4 1000", "kept 4").await;
}

#[tokio::test]
async fn a_participant_has_as_many_keys_as_its_quota_and_none_beyond() {
    let (patchbay, client, phone) = with(&[("limits.kv_keys_per_participant", "5")], BOT, "errand-bot").await;
    // In addition to the counter.
    asks(&phone, &client, "keep 4 10", "kept 4").await;
    let other = patchbay.phone("27820000002");
    other.write(&client.number, "keep 5 10").await;
    let reason = is_queued(&patchbay, &other).await;
    assert!(reason.contains("6 keys") && reason.contains("5 are allowed"), "{reason}");
    asks(&phone, &client, "keep 0 1", "kept 4").await;
}

#[tokio::test]
async fn a_call_that_fails_leaves_nothing_behind() {
    let (patchbay, client, phone) = with(&[], BOT, "errand-bot").await;
    phone.write(&client.number, "state-and-trap").await;
    is_queued(&patchbay, &phone).await;
    asks(&patchbay.phone("27820000002"), &client, "trace", "None None").await;
    assert_eq!(patchbay.rows_of("acme").await["chatbot_value"], 0);
}

#[tokio::test]
async fn a_chatbot_that_keeps_failing_is_suspended_and_its_client_gets_a_webhook() {
    let settings = [("limits.plugin_failures_in_a_row", "3"), ("limits.plugin_suspended_for", "10s")];
    let (patchbay, client, phone) = with(&settings, "hostile", "hostile-bot").await;
    let sink = WebhookSink::start().await;
    let hooks = json!({ "eventWebhookURL": sink.url("events") });
    let reply = client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &hooks).await;
    assert!(matches!(reply.status, 200 | 201), "{}", reply.text);

    phone.write(&client.number, "panic").await;

    is_queued(&patchbay, &phone).await;
    let event = client.keeps("hostile", "events", |event| event["kind"] == "CIRCUIT_OPENED").await;
    assert_eq!(event["version"], 1);
    let told = sink.receives("events", "the partner event", |event| event["eventType"] == "PLUGIN_SUSPENDED").await;
    assert_eq!((&told["plugin"], &told["pluginVersion"]), (&json!("hostile"), &json!("1")));
    assert_eq!(told["whatsAppNumber"], client.number);

    let health = client.get("/plugin-service/api/v1/plugins/hostile/health").await.ok();
    let activation = &health["activations"][0];
    let suspension = &activation["suspension"];
    assert!(suspension["reason"].as_str().unwrap().starts_with("3 calls in a row failed; the last one: "), "{health}");
    assert!(suspension["since"].as_str().unwrap() < suspension["until"].as_str().unwrap(), "{health}");
    assert_eq!(suspension["processes"], 1);
    let count = |name: &str| activation[name].as_i64().unwrap();
    assert!(count("failures") >= 3 && count("calls") >= count("failures"), "{health}");
    assert!(activation["p95Micros"].as_i64().unwrap() > 0 && activation["meanMicros"].is_i64(), "{health}");

    // If a plugin is suspended, chats go to agents without a call.
    let next = patchbay.phone("27820000002");
    next.write(&client.number, "hello").await;
    let reason = eventually("people to take over at once", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT participant.queued_reason FROM participant
            JOIN customer_address identity USING (client_id, customer_id)
            WHERE identity.value = $1 AND participant.state = 'QUEUED'";
        let found: Option<Option<String>> =
            sqlx::query_scalar(statement).bind(&next.msisdn).fetch_optional(&mut db).await.unwrap();
        found.flatten()
    })
    .await;
    assert!(reason.contains("suspended"), "{reason}");

    // Suspensions end by the real clock.
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    asks(&patchbay.phone("27820000003"), &client, "hello", "echo hello").await;
    client.keeps("hostile", "events", |event| event["kind"] == "CIRCUIT_CLOSED").await;
    let health = client.get("/plugin-service/api/v1/plugins/hostile/health").await.ok();
    assert!(health["activations"][0]["suspension"].is_null(), "{health}");
}

#[tokio::test]
async fn a_shaper_that_fails_is_suspended_and_the_built_in_one_writes() {
    let settings = [("limits.plugin_failures_in_a_row", "1")];
    let (_patchbay, client, phone) = with(&settings, "stamp", "stamping-shaper").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let arrived = async |text: &str| phone.write(&client.number, text).await;
    arrived("first").await;
    let stamped = sink.receives("incoming", "a stamped body", |body| body["words"] == "first").await;
    assert_eq!(stamped["stampedBy"], "stamping-shaper");

    arrived("trap").await;
    sink.receives_many("incoming", 2).await;
    client.keeps("stamp", "events", |event| event["kind"] == "CIRCUIT_OPENED").await;
    arrived("last").await;

    let bodies = sink.receives_many("incoming", 3).await;
    assert!(bodies[2].json().get("stampedBy").is_none(), "{}", bodies[2].json());
    assert!(bodies[2].json().to_string().contains("last"));
}

#[tokio::test]
async fn a_router_that_is_suspended_leaves_conversations_to_the_default_chatbot() {
    let settings = [("limits.plugin_failures_in_a_row", "2")];
    let (patchbay, client, _phone) = with(&settings, "usher", "usher").await;
    client.install("clerk", guest("clerk")).await;
    for index in 0..2 {
        patchbay.phone(&format!("2782000001{index}")).write(&client.number, "trap").await;
    }
    client.keeps("usher", "events", |event| event["kind"] == "CIRCUIT_OPENED").await;

    asks(&patchbay.phone("27820000020"), &client, "say served", "served").await;

    let newest = client.decisions().await.remove(0);
    assert_eq!(newest["fallback"], true);
    assert!(newest["reason"].as_str().unwrap().contains("suspended"), "{newest}");
}

#[tokio::test]
async fn the_calls_of_one_client_do_not_use_up_those_of_another() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (busy, quiet) = (patchbay.new_client().await, patchbay.new_client().await);
    busy.install("hostile", guest("hostile-bot")).await;
    quiet.install("clerk", guest("clerk")).await;
    for _ in 0..12 {
        patchbay.new_phone().write(&busy.number, "spin").await;
    }
    for index in 0..5 {
        asks(&patchbay.new_phone(), &quiet, &format!("say served {index}"), &format!("served {index}")).await;
    }
}
