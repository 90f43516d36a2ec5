//! `patchbay status` (CONTRACT 9): the waiting rows of each queue, their age, and failures of providers.

use harness::{PatchbaySetup, SharedPatchbay, eventually};
use serde_json::{Value, json};

fn queue<'s>(status: &'s Value, name: &str) -> &'s Value {
    status["queues"].as_array().unwrap().iter().find(|queue| queue["name"] == name).unwrap()
}

#[tokio::test]
async fn every_queue_and_the_process_are_shown() {
    let patchbay = SharedPatchbay::get().await;
    let status = patchbay.admin(&["status", "--json"]);
    let names: Vec<&str> =
        status["queues"].as_array().unwrap().iter().map(|queue| queue["name"].as_str().unwrap()).collect();
    assert!(["outbound", "callback", "webhook", "media"].iter().all(|name| names.contains(name)), "{names:?}");
    assert_eq!(status["nodes"].as_array().unwrap().len(), 1);
    assert!(status["commit"].is_string(), "{status}");
    let text = patchbay.printed(&["status"]);
    assert!(text.contains("oldest due") && text.contains("processes with background work: 1"), "{text}");
}

#[tokio::test]
async fn a_provider_that_fails_is_seen_with_the_messages_that_wait() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 50);
    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 100_000 })).await;
    let body = json!({ "messageText": "hello", "recipients": [{ "to": "27829000001" }] });
    patchbay.sms(&client, "/sms/json", &body).await.ok();

    let status = eventually("a failed call", || async {
        let status = patchbay.admin(&["status", "--json"]);
        let failures = status["providerFailures"].as_array().unwrap();
        failures.iter().any(|one| one["channel"] == "SMS" && one["outcome"] == "RETRY").then_some(status.clone())
    })
    .await;

    assert_eq!(queue(&status, "outbound")["waiting"], 1);
    assert_eq!(queue(&status, "webhook")["waiting"], 0);
    assert!(patchbay.printed(&["status"]).contains("SMS RETRY"));
}
