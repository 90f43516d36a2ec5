//! Operators (ADR 0068): their keys at the command line, and the report that `patchbay status` prints.

use harness::{ClientReply, Patchbay, PatchbaySetup, SharedPatchbay, eventually, guest};
use reqwest::Method;
use serde_json::{Value, json};

const STATUS: &str = "/operator-service/api/v1/status";

fn add(patchbay: &Patchbay, name: &str) -> String {
    patchbay.admin(&["operator", "add", "--name", name])["key"].as_str().unwrap().to_owned()
}

async fn status(patchbay: &Patchbay, key: &str) -> ClientReply {
    patchbay.ask(Method::GET, STATUS, &[("Authorization", key)], Vec::new()).await
}

fn fields(value: &Value) -> Vec<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn a_key_is_shown_once_opens_the_report_and_is_refused_after_its_removal() {
    let patchbay = SharedPatchbay::get().await;
    // The shared database keeps the names of earlier runs.
    let name = patchbay.new_client().await.client_ref;
    let key = add(&patchbay, &name);
    let listed = || {
        let all = patchbay.admin(&["operator", "list"]);
        let found = all["operators"].as_array().unwrap().iter().find(|one| one["name"] == name.as_str()).cloned();
        (found.unwrap(), all.to_string())
    };
    assert_eq!(listed().0["usedTime"], Value::Null);

    let report = status(&patchbay, &key).await.ok();

    assert_eq!(fields(&report), fields(&patchbay.admin(&["status", "--json"])));
    let (record, text) = listed();
    assert!(record["usedTime"].is_string() && record["removedTime"].is_null() && !text.contains(&key), "{text}");
    assert!(patchbay.refused(&["operator", "add", "--name", &name]).contains("has a key"));
    patchbay.admin(&["operator", "remove", "--name", &name]);
    assert_eq!(status(&patchbay, &key).await.status, 401);
    assert!(listed().0["removedTime"].is_string());
    assert_ne!(add(&patchbay, &name), key);
}

#[tokio::test]
async fn the_report_names_disks_partitions_clients_with_their_load_and_problems_without_numbers() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    patchbay.phone("27820000001").set(json!({ "rejectWith": { "status": 401, "code": 190 } })).await;
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    let key = add(&patchbay, "ada");

    let report = eventually("a refused token, a disk and the messages of the client", || async {
        let reply = status(&patchbay, &key).await;
        let report = reply.json();
        let load = report["clients"].as_array()?.iter().find(|one| one["clientRef"] == "acme")?;
        let complete = report["refusedTokens"].get(0).is_some() && load["messages"] == 1;
        (complete && report["processes"][0]["disks"].get(0).is_some()).then_some(report)
    })
    .await;

    let text = report.to_string();
    assert!(!text.contains("27110000001") && !text.contains("27820000001"), "{text}");
    assert_eq!(report["refusedTokens"][0]["address"], "********001");
    let disk = &report["processes"][0]["disks"][0];
    assert!(disk["freeBytes"].as_u64().unwrap() < disk["sizeBytes"].as_u64().unwrap(), "{disk}");
    let tables = report["storage"]["tables"].as_array().unwrap();
    assert!(report["storage"]["databaseBytes"].as_u64().unwrap() > 1_000_000 && tables.len() == 14, "{tables:?}");
    assert!(tables.iter().all(|table| table["partitions"].as_u64().unwrap() > 0), "{tables:?}");
    let problems = report["problems"].as_array().unwrap();
    let refused = problems.iter().find(|problem| problem["kind"] == "TOKEN_REFUSED").unwrap();
    assert_eq!(refused["subject"], "acme WHATSAPP_CLOUD");
    let safeguards = problems.iter().filter(|problem| problem["kind"] == "SAFEGUARD_DISABLED");
    let safeguards: Vec<&str> = safeguards.map(|problem| problem["subject"].as_str().unwrap()).collect();
    assert_eq!(safeguards, ["fsync", "full_page_writes"], "the server of the tests has none");
    let printed = patchbay.printed(&["status"]);
    for said in [
        "problem: acme WHATSAPP_CLOUD: code 190",
        "problem: fsync: it is off",
        "disk of data_dir: ",
        "outbound_message: ",
        "    acme: ",
    ] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
}

#[tokio::test]
async fn a_bot_that_a_process_has_polled_for_long_is_no_problem() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.bot(&client, "123456", "--polling");
    let key = add(&patchbay, "ada");
    let polled = "UPDATE account_link SET due_at = now() - interval '1 hour'";
    sqlx::query(polled).execute(&mut patchbay.database().await).await.unwrap();

    let report = eventually("the lane of the bot", || async {
        let report = status(&patchbay, &key).await.json();
        let queue = report["queues"].as_array()?.iter().find(|queue| queue["name"] == "account")?;
        let is_polled = queue["oldestLanes"][0]["state"] == "WORKING" && queue["oldestDueSeconds"].as_i64()? >= 3600;
        is_polled.then_some(report)
    })
    .await;

    let problems = report["problems"].as_array().unwrap();
    assert!(problems.iter().all(|problem| problem["kind"] != "QUEUE_LATE"), "{problems:?}");
}

#[tokio::test]
async fn a_suspended_plugin_is_a_problem_with_its_begin_its_end_and_a_reason_without_its_own_words() {
    let patchbay = PatchbaySetup::new()
        .set("limits.plugin_failures_in_a_row", "1")
        .set("limits.plugin_suspended_for", "1h")
        .start()
        .await;
    let client = patchbay.client("acme", "27110000001").await;
    client.install("hostile", guest("hostile-bot")).await;
    let key = add(&patchbay, "ada");
    patchbay.phone("27820000001").write(&client.number, "panic").await;

    let report = eventually("the suspension", || async {
        let report = status(&patchbay, &key).await.json();
        (report["plugins"].get(0)?["condition"] == "SUSPENDED").then_some(report)
    })
    .await;

    let plugin = &report["plugins"][0];
    assert_eq!(
        (&plugin["clientRef"], &plugin["plugin"], &plugin["suspendedIn"]),
        (&json!("acme"), &json!("hostile"), &json!(1))
    );
    assert_eq!(plugin["reason"], "1 calls in a row failed");
    assert!(plugin["since"].as_str().unwrap() < plugin["until"].as_str().unwrap(), "{plugin}");
    let count = |name: &str| plugin[name].as_i64().unwrap();
    assert!(count("failures") >= 1 && count("calls") >= count("failures"), "{plugin}");
    let problems = report["problems"].as_array().unwrap();
    assert!(
        problems.iter().any(|one| one["kind"] == "PLUGIN_SUSPENDED" && one["subject"] == "acme hostile"),
        "{report}"
    );
    assert!(patchbay.printed(&["status"]).contains("acme hostile SUSPENDED: "));
}
