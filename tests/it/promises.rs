//! The promises in the first paragraph of the README, one test each.

use harness::{Patchbay, PatchbaySetup, WebhookSink, eventually};
use serde_json::json;

const CUSTOMER: &str = "27820000001";

#[tokio::test]
async fn a_client_sends_a_template_and_gets_receipts_on_its_webhook() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    patchbay.phone(CUSTOMER).set(json!({ "autoRead": true })).await;

    let accepted = client.send(&client.order_ready(&[CUSTOMER])).await.accepted();

    assert_eq!(accepted["acceptedCount"], 1);
    let statuses = client.statuses(&sink, "ct-27820000001", "READ").await;
    assert_eq!(statuses, ["ACCEPTED", "SENT", "DELIVERED", "READ"]);
    let inbox = patchbay.phone(CUSTOMER).inbox().await;
    assert!(inbox[0]["text"].as_str().unwrap().contains("Thandi"), "{inbox:?}");
}

#[tokio::test]
async fn a_customer_writes_and_a_chatbot_component_answers() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.activate("default-chatbot").await;
    let phone = patchbay.phone(CUSTOMER);

    phone.write("27110000001", "hi").await;

    phone.receives("the bot's answer", |message| message["channel"] == "WHATSAPP").await;
    let incoming = eventually("the incoming webhook", || async { sink.received("incoming").first().cloned() }).await;
    assert_eq!(incoming.json()["text"], "hi");
    let events = eventually("both chatbot events", || async {
        let events: Vec<_> = sink.received("chatbot").iter().map(|event| event.json()).collect();
        (events.len() >= 2).then_some(events)
    })
    .await;
    assert_eq!(events[0]["direction"], "INCOMING");
    assert!(events.iter().any(|event| event["direction"] == "OUTGOING"), "{events:?}");
}

#[tokio::test]
async fn a_recipient_that_is_not_on_whatsapp_gets_an_sms_by_decision_of_a_plugin() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.phone("27820000009");
    phone.set(json!({ "onWhatsApp": false })).await;
    let mut payload = client.order_ready(&["27820000009"]);
    payload["fallback"] = json!({ "sendFallback": true, "unicode": false });

    client.send(&payload).await.accepted();

    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert!(sms["text"].as_str().unwrap().contains("Hi Thandi, order #42 is ready."), "{sms}");
    let statuses = client.statuses(&sink, "ct-27820000009", "DELIVERED").await;
    assert!(!statuses.contains(&"FAILED".to_owned()), "{statuses:?}");
    let delivered = sink.received("status").iter().map(|one| one.json()).find(|body| body["status"] == "DELIVERED");
    assert_eq!(delivered.unwrap()["channel"], "SMS");
}

#[tokio::test]
async fn webhook_bodies_are_shaped_by_the_components_v1_and_v2() {
    let patchbay = Patchbay::start().await;
    let (first, second) =
        (patchbay.client("first", "27110000001").await, patchbay.client("second", "27110000002").await);
    let (flat, full) = (WebhookSink::start().await, WebhookSink::start().await);
    first.webhooks_to(&flat, "v1").await;
    second.webhooks_to(&full, "v2").await;
    let phone = patchbay.phone(CUSTOMER);

    phone.write("27110000001", "to the first").await;
    phone.write("27110000002", "to the second").await;

    let flat = eventually("the v1 event", || async { flat.received("chatbot").first().cloned() }).await.json();
    let full = eventually("the v2 event", || async { full.received("chatbot").first().cloned() }).await.json();
    assert_eq!(flat["messageText"], "to the first");
    assert!(flat.get("senderUserId").is_none(), "v1 has no BSUID: {flat}");
    assert_eq!(full["messageText"], "to the second");
    assert!(full["senderUserId"].is_string(), "v2 has the BSUID: {full}");
}

#[tokio::test]
async fn a_changed_plugin_file_is_live_without_a_restart() {
    let plugins = tempfile::tempdir().unwrap();
    let patchbay = PatchbaySetup::new().set("plugins.dir", plugins.path().to_str().unwrap()).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let file = plugins.path().join("greeter.wasm");
    std::fs::write(&file, harness::greeter("Hello from version one")).unwrap();
    let first = eventually("the plugin to be loaded", || async {
        let plugins = client.get("/plugin-service/api/v1/plugins?size=50").await.ok();
        plugins["content"].as_array().unwrap().iter().find(|plugin| plugin["name"] == "greeter").cloned()
    })
    .await;
    client.activate("greeter").await;
    let phone = patchbay.phone(CUSTOMER);
    phone.write("27110000001", "hi").await;
    phone.receives("the first version's answer", |message| message["text"] == "Hello from version one").await;
    let process = patchbay.process_id();

    std::fs::write(&file, harness::greeter("Hello from version two")).unwrap();

    eventually("the second version to be loaded", || async {
        let plugin = client.get("/plugin-service/api/v1/plugins/greeter").await.ok();
        (plugin["sha256"] != first["sha256"]).then_some(())
    })
    .await;
    phone.write("27110000001", "hi again").await;
    phone.receives("the second version's answer", |message| message["text"] == "Hello from version two").await;
    assert_eq!(patchbay.process_id(), process);
}
