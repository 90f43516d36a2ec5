//! Requests that plugins send: only to permitted hosts, through the guarded client, and with a key that stays the same
//! if a turn is repeated (DESIGN 4).

use std::time::Duration;

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, guest};
use serde_json::json;

use crate::plugin_uploads::PLUGINS;

const BOT: &str = "errands";

fn host(sink: &WebhookSink) -> String {
    let url = sink.url("");
    url.trim_start_matches("http://").trim_end_matches('/').to_owned()
}

async fn hears(phone: &TestPhone, text: &str) -> String {
    let heard = phone.receives(text, |message| message["text"].as_str().unwrap_or_default().starts_with(text)).await;
    heard["text"].as_str().unwrap().to_owned()
}

async fn give(client: &TestClient, hosts: &[&str]) {
    let version = client.upload(BOT, guest("errand-bot")).await;
    client.put_in_force(BOT, json!({ "version": version, "mode": "live", "allowedHosts": hosts })).await;
}

fn keys(sink: &WebhookSink) -> Vec<String> {
    sink.received("orders").iter().map(|request| request.header("idempotency-key")).collect()
}

#[tokio::test]
async fn a_plugin_reaches_the_hosts_that_it_was_given() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, phone, sink) = (patchbay.new_client().await, patchbay.new_phone(), WebhookSink::start().await);
    give(&client, &[&host(&sink)]).await;

    phone.write(&client.number, &format!("post-twice {}", sink.url("orders"))).await;

    hears(&phone, "posted 200").await;
    let received = sink.received("orders");
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].json(), json!({ "order": 7 }));
    let keys = keys(&sink);
    let (first, second) = (keys[0].strip_suffix("-1"), keys[1].strip_suffix("-2"));
    assert!(first.is_some() && first == second, "one key for each request of a turn: {keys:?}");
}

#[tokio::test]
async fn a_plugin_reaches_no_other_host() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    for hosts in [&[][..], &["api.example.org"], &["127.0.0.1:1"]] {
        give(&client, hosts).await;
        let phone = patchbay.new_phone();
        phone.write(&client.number, &format!("try {}", sink.url("orders"))).await;
        hears(&phone, "http-not-granted").await;
    }
    assert_eq!(sink.received("orders").len(), 0);
}

#[tokio::test]
async fn a_turn_that_is_made_again_sends_the_same_keys() {
    let patchbay = PatchbaySetup::new().start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    let sink = WebhookSink::start().await;
    give(&client, &[&host(&sink)]).await;

    sink.misbehave("orders", 500, Duration::ZERO, 2);
    phone.write(&client.number, &format!("post-moment {}", sink.url("orders"))).await;
    recovers(&patchbay, &phone, &sink, 3).await;

    let keys = keys(&sink);
    assert!(!keys[0].is_empty() && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_same_bodies(&sink);
    phone.write(&client.number, &format!("post-twice {}", sink.url("others"))).await;
    let others = sink.receives_many("others", 1).await;
    assert_ne!(others[0].header("idempotency-key"), keys[0], "another turn has keys of its own");
}

#[tokio::test]
async fn a_turn_about_a_timer_that_is_made_again_sees_the_same_clocks() {
    let patchbay = PatchbaySetup::new().start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    let sink = WebhookSink::start().await;
    give(&client, &[&host(&sink)]).await;
    sink.misbehave("orders", 500, Duration::ZERO, 2);
    phone.write(&client.number, &format!("post-moment-later {}", sink.url("orders"))).await;
    hears(&phone, "later").await;

    patchbay.advance_clock(90).await;
    recovers(&patchbay, &phone, &sink, 3).await;

    assert_same_bodies(&sink);
    let moment = &sink.bodies("orders")[0];
    assert_eq!(moment["now"], moment["happened"], "the clock shows when the timer ran out");
}

/// Advances the clock between the runs of a turn until the bot has recovered.
async fn recovers(patchbay: &Patchbay, phone: &TestPhone, sink: &WebhookSink, runs: usize) {
    for run in 1..runs {
        sink.receives_many("orders", run).await;
        patchbay.advance_clock(30).await;
    }
    hears(phone, "posted 200").await;
    assert_eq!(sink.received("orders").len(), runs);
}

/// Requests with one key have the same bytes in every run.
fn assert_same_bodies(sink: &WebhookSink) {
    let bodies = sink.bodies("orders");
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

#[tokio::test]
async fn private_addresses_are_out_of_reach_unless_the_operator_says_otherwise() {
    let patchbay = PatchbaySetup::new().set("webhooks.allow_private_targets", "false").start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    let sink = WebhookSink::start().await;
    give(&client, &[&host(&sink)]).await;

    phone.write(&client.number, &format!("try {}", sink.url("orders"))).await;

    hears(&phone, "http-failed").await;
    assert_eq!(sink.received("orders").len(), 0);
}

#[tokio::test]
async fn requests_are_refused_beyond_their_number() {
    let patchbay = PatchbaySetup::new().set("limits.plugin_http_requests", "1").start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    let sink = WebhookSink::start().await;
    give(&client, &[&host(&sink)]).await;

    phone.write(&client.number, &format!("post-twice {}", sink.url("orders"))).await;

    client.keeps(BOT, "invocations", |call| call["outcome"] != "answered").await;
    assert_eq!(sink.received("orders").len(), 1);
}

#[tokio::test]
async fn an_activation_lowers_the_limits_of_http_and_cannot_raise_them() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, phone, sink) = (patchbay.new_client().await, patchbay.new_phone(), WebhookSink::start().await);
    let version = client.upload(BOT, guest("errand-bot")).await;
    let activate = async |limits: serde_json::Value| {
        let body = json!({ "version": version, "allowedHosts": [host(&sink)], "httpLimits": limits });
        client.post(&format!("{PLUGINS}/{BOT}/activate"), &body).await
    };
    let refused = activate(json!({ "timeoutMs": 60_000, "responseBytes": 1, "requests": 0 })).await;
    let fields = ["httpLimits.timeoutMs", "httpLimits.requests"].map(str::to_owned).to_vec();
    assert_eq!((refused.status, refused.faulty_fields()), (400, fields), "{}", refused.text);
    assert!(refused.text.contains("limits.plugin_http_timeout"), "{}", refused.text);

    let active = activate(json!({ "requests": 1 })).await.ok();
    assert_eq!(active["httpLimits"], json!({ "timeoutMs": null, "responseBytes": null, "requests": 1 }));
    phone.write(&client.number, &format!("post-twice {}", sink.url("orders"))).await;
    client.keeps(BOT, "invocations", |call| call["outcome"] != "answered").await;
    assert_eq!(sink.received("orders").len(), 1);

    let again = client.post(&format!("{PLUGINS}/{BOT}/activate"), &json!({ "version": version })).await.ok();
    assert_eq!((&again["id"], &again["kept"][2]), (&active["id"], &json!("httpLimits")), "{again}");
}

#[tokio::test]
async fn a_request_that_was_started_is_answered_in_the_chat() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, phone, sink) = (patchbay.new_client().await, patchbay.new_phone(), WebhookSink::start().await);
    give(&client, &[&host(&sink)]).await;
    phone.write(&client.number, &format!("start {}", sink.url("orders"))).await;
    hears(&phone, "200 ").await;
    let received = sink.received("orders");
    assert_eq!((received.len(), received[0].header("authorization")), (1, "Bearer errand".to_owned()));
    assert!(keys(&sink)[0].ends_with("-1"), "{:?}", keys(&sink));
}

#[tokio::test]
async fn the_end_of_a_request_that_the_bot_does_not_hear_is_among_its_calls() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, phone, sink) = (patchbay.new_client().await, patchbay.new_phone(), WebhookSink::start().await);
    give(&client, &[&host(&sink)]).await;
    let user = patchbay.new_user(&client.client_ref, &format!("agent@{}.example", client.client_ref), "AGENT");
    let mut agent = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
    // Room for a slow machine to give the chat to the agent before the answer.
    sink.misbehave("orders", 200, Duration::from_secs(15), 1);
    phone.write(&client.number, &format!("start {}", sink.url("orders"))).await;
    eventually("the request", || async { (!sink.received("orders").is_empty()).then_some(()) }).await;
    let chats = agent.get("/chat-service/api/v2/chats?scope=open").await.ok();
    let chat = chats["content"][0]["id"].as_str().unwrap();

    agent.post(&format!("/chat-service/api/v2/chats/{chat}/assign"), &json!({})).await.ok();

    let missed = client.keeps(BOT, "invocations", |call| call["event"] == "http-finished").await;
    assert_eq!((&missed["outcome"], &missed["subjectId"]), (&json!("not-started"), &json!(chat)), "{missed}");
    assert!(missed["consequence"].as_str().unwrap().contains("was dropped: the chat has changed hands"), "{missed}");
}

#[tokio::test]
async fn findings_of_a_plugin_about_its_configuration_are_a_400_with_the_places() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    let version = client.upload(BOT, guest("errand-bot")).await;
    let wrong = json!({ "version": version, "config": { "opens": "08:00", "topics": ["", "prices"] } });
    let refused = client.post(&format!("{PLUGINS}/{BOT}/activate"), &wrong).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let details = refused.json()["details"].clone();
    assert_eq!(details[0]["field"], "config/topics/0", "{details}");
    assert!(refused.text.contains("is empty"), "{}", refused.text);
    client.put_in_force(BOT, json!({ "version": version, "config": { "topics": ["prices"] } })).await;
}
