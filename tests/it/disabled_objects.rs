//! `disable` and `enable` of clients, numbers, users, keys, sites and senders: nothing leaves, and nothing that was
//! acknowledged is lost (docs/operations.md).

use std::time::Duration;

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestVisitor, WebhookSink, eventually};
use serde_json::{Value, json};

const ORIGIN: &str = "https://shop.example";
const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const OWN: &str = "/api/v1/users/me";

fn switch(patchbay: &Patchbay, kind: &str, action: &str, client: &TestClient, more: &[&str]) -> Value {
    patchbay.admin(&[&[kind, action, "--client", client.client_ref.as_str()], more].concat())
}

/// The reasons of the lanes of a client in a queue.
fn reasons(patchbay: &Patchbay, client: &TestClient, queue: &str) -> Vec<String> {
    let status = patchbay.admin(&["status", "--json"]);
    let queues = status["queues"].as_array().unwrap();
    let lanes = queues.iter().find(|one| one["name"] == queue).unwrap()["oldestLanes"].as_array().unwrap();
    let own = lanes.iter().filter(|lane| lane["clientRef"] == client.client_ref.as_str());
    own.map(|lane| lane["reason"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn messages_of_a_disabled_number_wait_while_its_callbacks_and_webhooks_go_on() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.phone("27820000001");
    let number = ["--number", client.number.as_str()];

    let disabled = switch(&patchbay, "number", "disable", &client, &number);

    assert_eq!((&disabled["enabled"], &disabled["lanesAtWork"]), (&json!(false), &json!(0)));
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    phone.write(&client.number, "are you there?").await;
    sink.receives("incoming", "the question", |body| body["text"] == "are you there?").await;
    assert_eq!(reasons(&patchbay, &client, "outbound"), ["the inbox is disabled"]);
    assert!(patchbay.provider_sends(&client).await.is_empty());
    let listed = patchbay.admin(&["number", "list", "--client", "acme"]);
    assert!(listed["numbers"][0]["disabledTime"].is_string(), "{listed}");

    switch(&patchbay, "number", "enable", &client, &number);

    phone.receives("the message", |_| true).await;
    let unknown = patchbay.refused(&["number", "disable", "--client", "acme", "--number", "27110000009"]);
    assert!(unknown.contains("has no number `27110000009`") && unknown.contains("number list"), "{unknown}");
}

#[tokio::test]
async fn a_disabled_client_is_refused_and_sends_nothing_and_gets_its_webhooks_after_it_is_enabled() {
    let patchbay = PatchbaySetup::new().set("limits.cloud_rate_per_number", "1").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let numbers: Vec<String> = (0..40).map(|at| format!("2784{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    client.send(&client.order_ready(&numbers)).await.accepted();

    let disabled = switch(&patchbay, "client", "disable", &client, &[]);

    assert_eq!(disabled["lanesAtWork"], 0);
    let (sent, told) = (patchbay.provider_sends(&client).await.len(), sink.received("incoming").len());
    let refused = client.get(OWN).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("the client of this API key is disabled"), "{}", refused.text);
    let login = json!({ "email": "acme@example.com", "password": "correct horse", "clientRef": "acme" });
    let refused =
        patchbay.ask(reqwest::Method::POST, LOGIN, &[("Content-Type", "application/json")], login.to_string());
    let refused = refused.await;
    assert!(refused.status == 403 && refused.text.contains("your client is disabled"), "{}", refused.text);
    let phone = patchbay.phone("27820000001");
    phone.write(&client.number, "are you there?").await;
    eventually("the stored question", || async { (patchbay.rows_of("acme").await["chat_message"] > 0).then_some(()) })
        .await;
    assert!(reasons(&patchbay, &client, "webhook").iter().all(|reason| reason == "the client is disabled"));
    // Two searches for due work.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(patchbay.provider_sends(&client).await.len(), sent, "something was sent");
    assert_eq!(sink.received("incoming").len(), told, "a webhook was sent");
    assert!(sent < 40, "the command came too late to test anything");

    switch(&patchbay, "client", "enable", &client, &[]);

    sink.receives("incoming", "the question", |body| body["text"] == "are you there?").await;
    switch(&patchbay, "number", "set-rate", &client, &["--number", "27110000001", "--per-second", "1000"]);
    eventually("the rest", || async { (patchbay.provider_sends(&client).await.len() >= 40).then_some(()) }).await;
    assert_eq!(client.get(OWN).await.status, 200);
}

#[tokio::test]
async fn a_disabled_user_and_a_disabled_key_are_refused_with_the_reason() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let user = patchbay.new_user(&client.client_ref, "dev@shop.example", "DEVELOPER");
    let mut dev = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut dev.key);
    let email = ["--email", "dev@shop.example"];

    for (kind, said) in [("user", "the user of this API key is disabled"), ("key", "this API key is disabled")] {
        switch(&patchbay, kind, "disable", &client, &email);
        let refused = dev.get(OWN).await;
        assert!(refused.status == 403 && refused.text.contains(said), "{kind}: {}", refused.text);
        assert_eq!(client.get(OWN).await.status, 200, "another user");
        let listed = patchbay.admin(&[kind, "list", "--client", &client.client_ref]);
        let times = listed[format!("{kind}s")].as_array().unwrap().iter();
        assert_eq!(times.filter(|one| one["disabledTime"].is_string()).count(), 1, "{listed}");
        switch(&patchbay, kind, "enable", &client, &email);
        assert_eq!(dev.get(OWN).await.status, 200, "{kind}");
    }
    assert_eq!(switch(&patchbay, "key", "remove", &client, &email)["removed"], true);
    assert_eq!(dev.get(OWN).await.status, 401);
}

#[tokio::test]
async fn the_widget_of_a_disabled_site_ends_and_works_again_after_it_is_enabled() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("hello").await;
    visitor.sees("hello").await;
    let listed = patchbay.admin(&["site", "list", "--client", &client.client_ref]);
    let id = listed["sites"][0]["id"].as_str().unwrap();

    switch(&patchbay, "site", "disable", &client, &["--id", id]);

    visitor.closed().await;
    let refused = harness::visitors::session(&patchbay.url(), &patchbay.http, &site, ORIGIN, &json!({})).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    switch(&patchbay, "site", "enable", &client, &["--id", id]);
    let mut again = visitor.again(&patchbay.url()).await;
    again.sees("hello").await;
}

#[tokio::test]
async fn a_removed_number_is_free_for_another_client_until_it_is_enabled_again() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let other = patchbay.bare_client("other");
    let id: String = sqlx::query_scalar("SELECT phone_number_id FROM phone_number_directory")
        .fetch_one(&mut patchbay.database().await)
        .await
        .unwrap();
    let number = ["number", "add", "--client", "other", "--number", "27110000001", "--access-token", "token"];
    let provider = ["--provider", "WHATSAPP_CLOUD", "--phone-number-id", &id, "--waba-id", "waba"];
    let add = [&number[..], &provider].concat();
    patchbay.refused(&add);

    switch(&patchbay, "number", "remove", &client, &["--number", "27110000001"]);

    let listed = patchbay.admin(&["number", "list", "--client", "acme"]);
    assert!(listed["numbers"][0]["disabledTime"].is_string(), "{listed}");
    patchbay.admin(&add);
    let refused = patchbay.refused(&["number", "enable", "--client", "acme", "--number", "27110000001"]);
    assert!(refused.contains("another client has connected `27110000001`"), "{refused}");
    switch(&patchbay, "number", "remove", &other, &["--number", "27110000001"]);
    switch(&patchbay, "number", "enable", &client, &["--number", "27110000001"]);
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    patchbay.phone("27820000001").receives("the message", |_| true).await;
}
