//! `patchbay master-key rotate` (CONTRACT 9).

use std::{fs, path::Path};

use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink};
use reqwest::Method;
use serde_json::json;

pub(crate) const FIRST: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
pub(crate) const SECOND: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpBQkNERUY=";

/// The stored key of the first user, which only the master key opens.
async fn api_key(patchbay: &Patchbay, client: &TestClient) -> String {
    let email = format!("{}@example.com", client.client_ref);
    let body = json!({ "email": email, "password": "correct horse", "clientRef": client.client_ref }).to_string();
    let path = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
    let reply = patchbay.ask(Method::POST, path, &[("Content-Type", "application/json")], body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.text
}

/// Sends a template, and waits until it and its status have arrived.
async fn works(patchbay: &Patchbay, client: &TestClient, sink: &WebhookSink, phone: &str) {
    client.send(&client.order_ready(&[phone])).await.accepted();
    patchbay.phone(phone).receives("the template", |_| true).await;
    client.statuses(sink, &format!("ct-{phone}"), "DELIVERED").await;
}

#[tokio::test]
async fn a_running_program_works_before_during_and_after_the_change_of_the_key() {
    let mut patchbay = PatchbaySetup::new().set("security.master_key", FIRST).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    works(&patchbay, &client, &sink, "27820000001").await;
    let key = api_key(&patchbay, &client).await;
    let said = patchbay.refused(&["master-key", "rotate"]);
    assert!(said.contains("`security.previous_master_key`"), "{said}");

    patchbay.set("security.master_key", SECOND);
    patchbay.set("security.previous_master_key", FIRST);
    patchbay.terminate().await;
    patchbay.launch().await;
    works(&patchbay, &client, &sink, "27820000002").await;

    let rotated = patchbay.admin(&["master-key", "rotate"]);
    assert!(rotated["resealed"].as_u64().unwrap() >= 3, "{rotated}");
    works(&patchbay, &client, &sink, "27820000003").await;
    assert_eq!(api_key(&patchbay, &client).await, key);
    let other = patchbay.bare_client("other");
    assert_eq!(patchbay.admin(&["master-key", "rotate"])["resealed"], 0, "it can be repeated");

    patchbay.set("security.previous_master_key", "");
    patchbay.terminate().await;
    patchbay.launch().await;
    works(&patchbay, &client, &sink, "27820000004").await;
    assert_eq!(api_key(&patchbay, &client).await, key);
    assert!(api_key(&patchbay, &other).await.contains(&other.key));
    patchbay.set("security.master_key", FIRST);
    let said = patchbay.refused(&["client", "list"]);
    assert!(said.contains("sealed with another master key"), "{said}");
}

#[tokio::test]
async fn a_start_without_the_key_of_the_data_fails_with_that_reason_and_creates_no_key() {
    let mut patchbay = Patchbay::start().await;
    patchbay.bare_client("acme");
    patchbay.terminate().await;
    let key = patchbay.data_dir().join("data/master.key");
    fs::remove_file(&key).unwrap();
    let said = patchbay.refused(&["client", "list"]);
    assert!(said.contains("the master key is missing"), "{said}");
    assert!(!key.exists());
}

#[tokio::test]
async fn the_key_of_a_data_directory_is_renewed_and_then_used_after_a_restart() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let key = api_key(&patchbay, &client).await;

    let said = patchbay.refused(&["master-key", "rotate"]);
    assert!(said.contains("Restart `patchbay serve`"), "{said}");
    works(&patchbay, &client, &sink, "27820000001").await;
    patchbay.terminate().await;
    patchbay.launch().await;
    let rotated = patchbay.admin(&["master-key", "rotate"]);
    assert!(rotated["resealed"].as_u64().unwrap() >= 3, "{rotated}");
    works(&patchbay, &client, &sink, "27820000002").await;

    fs::remove_file(Path::new(&patchbay.data_dir()).join("data/master.key.previous")).unwrap();
    patchbay.terminate().await;
    patchbay.launch().await;
    works(&patchbay, &client, &sink, "27820000003").await;
    assert_eq!(api_key(&patchbay, &client).await, key);
}
