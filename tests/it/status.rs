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
    let status = eventually("the calls of the process", || async {
        let status = patchbay.admin(&["status", "--json"]);
        let slow =
            provider(&status, "smpp")?["calls"].as_array()?.iter().find(|call| call["outcome"] == "slow_down")?;
        (slow["calls"].as_u64()? > 0).then_some(status.clone())
    })
    .await;
    let lane = &queue(&status, "outbound")["oldestLanes"].as_array().unwrap()[0];
    assert_eq!(lane["clientRef"], "acme");
    assert!(!lane["reason"].as_str().unwrap().is_empty(), "{lane}");
}

fn provider<'s>(status: &'s Value, name: &str) -> Option<&'s Value> {
    status["providers"].as_array()?.iter().find(|provider| provider["provider"] == name)
}

#[tokio::test]
async fn a_lane_without_a_bind_names_it_as_its_reason_and_the_process_shows_the_bind() {
    let patchbay = PatchbaySetup::new().set("smpp.url", "smpp://a:b@127.0.0.1:1?name=closed").start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 50);
    let body = json!({ "messageText": "hello", "recipients": [{ "to": "27829000001" }] });
    patchbay.sms(&client, "/sms/json", &body).await.ok();

    let status = eventually("the reason", || async {
        let status = patchbay.admin(&["status", "--json"]);
        let lane = queue(&status, "outbound")["oldestLanes"].get(0)?;
        lane["reason"].as_str()?.contains("no SMSC is connected").then_some(status.clone())
    })
    .await;

    assert!(queue(&status, "outbound")["oldestLanes"][0]["until"].is_string(), "{status}");
    let process = &status["processes"][0];
    assert_eq!((&process["state"], &process["role"]), (&json!("RUNNING"), &json!("SERVE")));
    assert_eq!(process["smppBinds"][0]["bind"], "closed");
    assert_ne!(process["smppBinds"][0]["state"], "BOUND");
    let text = patchbay.printed(&["status"]);
    assert!(text.contains("no SMSC is connected (until ") && text.contains("SMPP bind closed: "), "{text}");
}

#[tokio::test]
async fn a_refused_token_is_shown_with_its_number_until_a_message_goes_out() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let phone = patchbay.phone("27820000001");
    phone.set(json!({ "rejectWith": { "status": 401, "code": 190 } })).await;
    client.send(&client.order_ready(&["27820000001"])).await.accepted();

    let refused = eventually("the refused token", || async {
        let status = patchbay.admin(&["status", "--json"]);
        status["refusedTokens"].get(0).cloned()
    })
    .await;

    assert_eq!((&refused["clientRef"], &refused["address"]), (&json!("acme"), &json!("27110000001")));
    assert_eq!((&refused["code"], &refused["kind"]), (&json!("190"), &json!("WHATSAPP_CLOUD")));
    assert!(patchbay.printed(&["status"]).contains("refused token: acme WHATSAPP_CLOUD 27110000001, code 190"));
}

#[tokio::test]
async fn each_process_reports_its_memory_files_connections_and_build_and_the_last_report_stays_after_a_stop() {
    let mut patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let worker = patchbay.listening_worker().await;
    let status = eventually("two reports", || async {
        let status = patchbay.admin(&["status", "--json"]);
        (status["processes"].as_array()?.len() == 2).then_some(status)
    })
    .await;

    let processes = status["processes"].as_array().unwrap();
    let roles: Vec<&str> = processes.iter().map(|process| process["role"].as_str().unwrap()).collect();
    assert!(roles.contains(&"SERVE_ONLY") && roles.contains(&"WORK"), "{roles:?}");
    for process in processes {
        assert_eq!(process["state"], "RUNNING");
        for figure in ["residentBytes", "openFiles", "openFilesMax", "pid"] {
            assert!(process[figure].as_u64().unwrap() > 0, "{figure}: {process}");
        }
        assert!(process["databaseConnections"]["max"].as_u64().unwrap() > 0, "{process}");
        assert_eq!((&process["version"], &process["commit"]), (&status["version"], &status["commit"]));
    }

    drop(worker);
    assert_eq!(patchbay.terminate().await, Some(0));

    let text = patchbay.printed(&["status"]);
    assert!(text.contains(" STOPPED, SERVE_ONLY"), "{text}");
}
