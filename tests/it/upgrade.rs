//! Processes of this release on the schema of the next one (ADR 0060). `make soak` has the rolling upgrade from the previous
//! release.

use harness::{Patchbay, TestClient, WebhookSink, eventually};
use serde_json::{Value, json};

/// Uses many statements: a send, a text, and a message of a customer with its webhook.
async fn use_all_ways(patchbay: &Patchbay, client: &TestClient, sink: &WebhookSink, text: &str) {
    let phone = patchbay.phone("27820000001");
    phone.write(&client.number, text).await;
    sink.receives("incoming", "the message of the customer", |body| body["text"] == *text).await;
    let mut payload = client.order_ready(&["27820000001"]);
    payload["messages"][0]["recipients"][0]["ctId"] = json!(text);
    client.send_with_key(&payload, text).await.accepted();
    client.send(&client.chat("27820000001", &format!("{text} answered"))).await.accepted();
    client.statuses(sink, text, "DELIVERED").await;
    phone.receives("the answer", |message| message["text"] == *format!("{text} answered")).await;
    let sms = json!({ "ctid": text, "recipients": [{ "to": "27820000002" }], "messageText": text });
    assert_eq!(patchbay.sms(client, "/sms/json", &sms).await.status, 200);
    patchbay.phone("27820000002").receives("the SMS", |message| message["text"] == *text).await;
}

fn next_schema(patchbay: &Patchbay) -> i64 {
    patchbay.admin(&["status", "--json"])["programSchema"].as_i64().unwrap() + 1
}

#[tokio::test]
async fn a_program_works_on_the_schema_of_the_next_release_and_starts_on_it() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    patchbay.credits(&client, 10);
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    use_all_ways(&patchbay, &client, &sink, "before").await;
    let next = next_schema(&patchbay);

    patchbay.apply_later_migration("later columns").await;

    use_all_ways(&patchbay, &client, &sink, "during").await;
    let node = patchbay.second_node().await;
    use_all_ways(&patchbay, &node.client(&client), &sink, "after").await;
    assert_eq!(patchbay.get("/readyz").await.status, 200);
    assert_eq!(patchbay.admin(&["migrate"]), json!({ "applied": 0 }));
    let status = patchbay.admin(&["status", "--json"]);
    assert_eq!(status["schema"], next);
    assert!(patchbay.printed(&["status"]).contains(&format!("schema {next}; this program is of schema {}", next - 1)));
    for log in [patchbay.log(), node.log()] {
        assert!(!log.contains(" ERROR "), "{log}");
    }
}

#[tokio::test]
async fn a_program_that_the_next_release_does_not_allow_is_not_ready_and_does_not_start() {
    let patchbay = Patchbay::start().await;
    let next = next_schema(&patchbay);

    patchbay.apply_later_migration(&format!("contract {next:04} drop columns")).await;

    let ready: Value = eventually("/readyz is 503", || async {
        let reply = patchbay.get("/readyz").await;
        (reply.status == 503).then(|| reply.json())
    })
    .await;
    assert_eq!(ready["checks"]["migrations"], false, "{ready}");
    for command in ["migrate", "work"] {
        let refusal = patchbay.refused(&[command]);
        let reason = format!("needs a program of schema {next} or newer, and this program is of schema {}", next - 1);
        assert!(refusal.contains(&reason), "{refusal}");
        assert!(refusal.contains("Start the release of Patchbay that migrated the database"), "{refusal}");
    }
}
