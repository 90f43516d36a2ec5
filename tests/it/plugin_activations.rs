//! The version in force: activations, trials, rollbacks, deactivations, deletions (CONTRACT 6).

use harness::{ClientReply, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, guest};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::Connection;

use crate::plugin_uploads::{PLUGINS, bot, misfit};

/// A client with versions 1 to `versions` of the chatbot `shop`, which answers with its version.
async fn with_versions(versions: u32) -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    for number in 1..=versions {
        client.upload("shop", bot(number)).await;
    }
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

async fn rollback(client: &TestClient, plugin: &str, body: Value) -> ClientReply {
    client.post(&format!("{PLUGINS}/{plugin}/rollback"), &body).await
}

async fn deactivate(client: &TestClient, plugin: &str, body: Value) -> ClientReply {
    client.post(&format!("{PLUGINS}/{plugin}/deactivate"), &body).await
}

async fn delete(client: &TestClient, plugin: &str) -> ClientReply {
    client.request(Method::DELETE, &format!("{PLUGINS}/{plugin}"), None, &[]).await
}

/// Asks the bot for its version. `nth`: the number of earlier questions of this phone.
async fn answering(client: &TestClient, phone: &TestPhone, nth: usize) -> String {
    phone.write(&client.number, "version 0").await;
    let answer = harness::eventually("the answer", || async {
        let inbox = phone.inbox().await;
        let said: Vec<String> = inbox
            .iter()
            .filter_map(|message| message["text"].as_str())
            .filter(|text| text.starts_with("version"))
            .map(str::to_owned)
            .collect();
        said.get(nth).cloned()
    });
    answer.await
}

fn said(reply: &ClientReply, status: u16) -> String {
    assert_eq!(reply.status, status, "{}", reply.text);
    reply.json()["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_activation_answers_the_next_event_and_rollback_goes_back_one_by_one() {
    let (_patchbay, client, phone) = with_versions(3).await;
    let activation = client.put_in_force("shop", json!({ "version": 1 })).await;
    assert_eq!((&activation["plugin"], &activation["version"]), (&json!("shop"), &json!(1)));
    assert_eq!((&activation["mode"], &activation["world"]), (&json!("live"), &json!("chatbot")));
    assert_eq!(answering(&client, &phone, 0).await, "version-0001");
    client.put_in_force("shop", json!({ "version": "2" })).await;
    assert_eq!(answering(&client, &phone, 1).await, "version-0002");
    client.put_in_force("shop", json!({})).await;
    assert_eq!(answering(&client, &phone, 2).await, "version-0003", "without a version it is the newest");

    assert_eq!(rollback(&client, "shop", json!({})).await.ok()["version"], 2);
    assert_eq!(answering(&client, &phone, 3).await, "version-0002");
    assert_eq!(rollback(&client, "shop", json!({ "whatsAppNumberId": null })).await.ok()["version"], 1);
    assert_eq!(answering(&client, &phone, 4).await, "version-0001");
    let nothing_before = said(&rollback(&client, "shop", json!({})).await, 409);
    assert!(nothing_before.contains("deactivate it"), "{nothing_before}");
    assert_eq!(client.in_force("shop").await[0]["version"], 1);
}

#[tokio::test]
async fn a_preview_of_an_activation_runs_all_checks_and_changes_nothing() {
    let (_patchbay, client, phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1 })).await;
    let activate = async |body: Value| client.post(&format!("{PLUGINS}/shop/activate"), &body).await;

    let shown = activate(json!({ "version": 2, "allowedHosts": ["api.example.org"], "preview": true })).await.ok();
    let refused = activate(json!({ "allowedHosts": ["http://api.example.org/x"], "preview": true })).await;

    assert_eq!(shown["version"], 2);
    assert_eq!(shown["allowedHosts"], json!(["api.example.org"]));
    assert_eq!(shown["replaced"], json!({ "plugin": "shop", "version": 1 }));
    assert_eq!(
        (refused.status, refused.faulty_fields()),
        (400, vec!["allowedHosts[0]".to_owned()]),
        "{}",
        refused.text
    );
    assert_eq!(client.in_force("shop").await[0]["version"], 1);
    let events = client.kept("shop", "events").await;
    assert_eq!(events.iter().filter(|event| event["kind"] == "ACTIVATED").count(), 1, "{events:?}");
    assert_eq!(answering(&client, &phone, 0).await, "version-0001");
}

#[tokio::test]
async fn a_preview_of_an_activation_waits_for_no_other_change_of_the_client() {
    let (patchbay, client, _phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1 })).await;
    let mut db = patchbay.database().await;
    let mut other = db.begin().await.unwrap();
    let lock = "SELECT 1 FROM client WHERE client_ref = $1 FOR NO KEY UPDATE";
    sqlx::query(lock).bind(&client.client_ref).execute(&mut *other).await.unwrap();

    let shown = client.post(&format!("{PLUGINS}/shop/activate"), &json!({ "version": 2, "preview": true })).await.ok();

    assert_eq!(shown["replaced"], json!({ "plugin": "shop", "version": 1 }));
    other.rollback().await.unwrap();
}

#[tokio::test]
async fn a_number_without_an_activation_of_its_own_keeps_the_hosts_and_the_configuration_for_all_numbers() {
    let (_patchbay, client, _phone) = with_versions(1).await;
    client.put_in_force("shop", json!({ "allowedHosts": ["api.example.org"], "config": { "shop": 7 } })).await;

    let active = client.put_in_force("shop", json!({ "whatsAppNumberId": client.number_id })).await;

    assert_eq!(active["allowedHosts"], json!(["api.example.org"]));
    assert_eq!(active["config"], json!({ "shop": 7 }));
}

#[tokio::test]
async fn a_rollback_goes_back_to_another_plugin_and_after_a_deactivation_to_the_same() {
    let (_patchbay, client, phone) = with_versions(1).await;
    client.put_in_force("default-chatbot", json!({ "config": { "greeting": "Hi" } })).await;
    client.put_in_force("shop", json!({})).await;
    let wrong = said(&rollback(&client, "default-chatbot", json!({})).await, 409);
    assert!(wrong.contains("shop version 1 is live for all numbers, and not `default-chatbot`"), "{wrong}");

    let back = rollback(&client, "shop", json!({})).await.ok();

    assert_eq!((&back["plugin"], &back["config"]), (&json!("default-chatbot"), &json!({ "greeting": "Hi" })));
    client.put_in_force("shop", json!({})).await;
    assert_eq!(deactivate(&client, "shop", json!({})).await.status, 204);
    assert_eq!(deactivate(&client, "shop", json!({})).await.status, 404);
    assert_eq!(client.in_force("shop").await, Vec::<Value>::new());
    assert_eq!(
        rollback(&client, "shop", json!({})).await.ok()["version"],
        1,
        "the activation that was switched off comes back"
    );
    assert_eq!(answering(&client, &phone, 0).await, "version-0001");
    assert_eq!(rollback(&client, "shop", json!({})).await.ok()["plugin"], "default-chatbot");
    let idle = said(&rollback(&client, "shop", json!({})).await, 409);
    assert!(idle.contains("default-chatbot is live for all numbers"), "{idle}");
    client.put_in_force("shop", json!({ "whatsAppNumberId": client.number_id })).await;
    let elsewhere = said(&rollback(&client, "shop", json!({})).await, 409);
    assert!(
        elsewhere.contains(&format!("which is live for number {}: name that place", client.number_id)),
        "{elsewhere}"
    );
}

#[tokio::test]
async fn a_repeated_activation_changes_nothing() {
    let (_patchbay, client, _phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1 })).await;
    let first = client.put_in_force("shop", json!({ "version": 2, "config": { "a": 1 } })).await;
    let again = client.put_in_force("shop", json!({ "version": 2, "config": { "a": 1 } })).await;
    assert_eq!(first, again);
    let kept = client.put_in_force("shop", json!({ "version": 2 })).await;
    assert_eq!(kept, first, "a configuration that is left out stays as it is");
    assert_eq!(rollback(&client, "shop", json!({})).await.ok()["version"], 1);
}

#[tokio::test]
async fn a_number_has_its_own_plugin_before_the_clients() {
    let (_patchbay, client, phone) = with_versions(2).await;
    let scope = json!({ "whatsAppNumberId": client.number_id });
    client.put_in_force("shop", json!({ "version": 1 })).await;
    let own = client.put_in_force("shop", json!({ "version": 2, "whatsAppNumberId": client.number_id })).await;
    assert_eq!(own["whatsAppNumberId"], client.number_id);
    assert_eq!(answering(&client, &phone, 0).await, "version-0002");
    assert_eq!(client.in_force("shop").await.len(), 2);
    let nothing_before = said(&rollback(&client, "shop", scope.clone()).await, 409);
    assert!(nothing_before.contains("nothing was in force there before"), "{nothing_before}");

    assert_eq!(deactivate(&client, "shop", scope).await.status, 204);

    assert_eq!(answering(&client, &phone, 1).await, "version-0001");
    for not_yours in ["nonsense", "00000000-0000-7000-8000-000000000000"] {
        let reply = client.post(&format!("{PLUGINS}/shop/activate"), &json!({ "whatsAppNumberId": not_yours })).await;
        assert_eq!(reply.faulty_fields(), ["whatsAppNumberId"]);
    }
}

#[tokio::test]
async fn a_canary_ends_by_rollback_or_becomes_live() {
    let (_patchbay, client, _phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1, "config": { "a": 1 } })).await;
    let canary = client.put_in_force("shop", json!({ "mode": "canary", "percent": 25, "config": { "b": 2 } })).await;
    assert_eq!((&canary["mode"], &canary["percent"], &canary["version"]), (&json!("canary"), &json!(25), &json!(2)));
    let live = rollback(&client, "shop", json!({})).await.ok();
    assert_eq!((&live["version"], &live["mode"]), (&json!(1), &json!("live")));
    assert_eq!(client.in_force("shop").await.len(), 1);

    client.put_in_force("shop", json!({ "mode": "canary", "config": { "b": 2 } })).await;
    let promoted = client.put_in_force("shop", json!({ "version": 2 })).await;

    assert_eq!(promoted["config"], json!({ "b": 2 }), "it goes on with the configuration that was tried");
    assert_eq!(client.in_force("shop").await, [promoted], "the canary is over");
    assert_eq!(rollback(&client, "shop", json!({})).await.ok()["config"], json!({ "a": 1 }));
    let kinds: Vec<Value> = client.kept("shop", "events").await.iter().map(|event| event["kind"].clone()).collect();
    assert!(kinds.contains(&json!("ROLLED_BACK")) && kinds.contains(&json!("UPLOADED")), "{kinds:?}");
}

#[tokio::test]
async fn a_canary_keeps_its_share_and_thresholds_until_an_activation_names_others() {
    let (_patchbay, client, _phone) = with_versions(2).await;
    let terms =
        |canary: &Value| ["percent", "errorThreshold", "minimumCalls"].map(|field| canary[field].as_u64().unwrap());
    let first = client.put_in_force("shop", json!({ "version": 1, "mode": "canary" })).await;
    assert_eq!(terms(&first), [10, 10, 20]);
    let given = json!({ "version": 1, "mode": "canary", "percent": 50, "errorThreshold": 30, "minimumCalls": 40 });
    client.put_in_force("shop", given).await;

    let other = client.put_in_force("shop", json!({ "version": 2, "mode": "canary", "config": { "a": 1 } })).await;
    assert_eq!(terms(&other), [50, 30, 40]);
    let smaller = client.put_in_force("shop", json!({ "version": 2, "mode": "canary", "percent": 5 })).await;
    assert_eq!(terms(&smaller), [5, 30, 40]);
    rollback(&client, "shop", json!({})).await;
    let again = client.put_in_force("shop", json!({ "version": 2, "mode": "canary" })).await;
    assert_eq!(terms(&again), [10, 10, 20]);
}

#[tokio::test]
async fn a_canary_that_is_the_same_as_the_live_version_is_refused() {
    let (_patchbay, client, _phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1, "config": { "a": 1 } })).await;
    client.put_in_force("shop", json!({ "version": 2, "mode": "canary" })).await;

    let same = client.post(&format!("{PLUGINS}/shop/activate"), &json!({ "version": 1, "mode": "canary" })).await;

    assert_eq!((same.status, same.faulty_fields()), (400, vec!["version".to_owned()]), "{}", same.text);
    assert!(same.text.contains("name the version to try"), "{}", same.text);
    let versions: Vec<Value> = client.in_force("shop").await.iter().map(|one| one["version"].clone()).collect();
    assert!(versions.contains(&json!(2)), "the canary stays: {versions:?}");
    client.put_in_force("shop", json!({ "version": 1, "mode": "canary", "config": { "a": 2 } })).await;
}

#[tokio::test]
async fn a_trial_without_a_live_plugin_ends_without_an_answer() {
    let (_patchbay, client, _phone) = with_versions(1).await;
    client.put_in_force("shop", json!({ "mode": "canary" })).await;
    let reply = rollback(&client, "shop", json!({})).await;
    assert_eq!((reply.status, reply.text.as_str()), (204, ""));
    let lonely = client.post(&format!("{PLUGINS}/shop/activate"), &json!({ "mode": "shadow" })).await;
    assert_eq!(lonely.faulty_fields(), ["mode"]);
    client.upload("words", guest("picky-fallback")).await;
    client.put_in_force("words", json!({ "mode": "shadow" })).await;
}

#[tokio::test]
async fn a_version_that_cannot_be_activated_is_refused_with_the_reason() {
    let (_patchbay, client, _phone) = with_versions(2).await;
    client.upload("tidy", misfit("deed-fail")).await;
    let activate = async |plugin: &str, body: Value| client.post(&format!("{PLUGINS}/{plugin}/activate"), &body).await;
    for (body, fields) in [
        (json!({ "version": 3 }), vec!["version"]),
        (json!({ "version": 0 }), vec!["version"]),
        (json!({ "version": -1 }), vec!["version"]),
        (json!({ "version": "two" }), vec!["version"]),
        (json!({ "version": 99_999_999_999_u64 }), vec!["version"]),
        (json!({ "mode": "dead" }), vec!["mode"]),
        (json!({ "mode": "canary", "percent": 0 }), vec!["percent"]),
        (json!({ "mode": "canary", "percent": 101 }), vec!["percent"]),
        (json!({ "config": [1] }), vec!["config"]),
        (json!({ "config": { "a": "x".repeat(70_000) } }), vec!["config"]),
        (json!({ "allowedHosts": ["api.example.org", "https://example.org"] }), vec!["allowedHosts[1]"]),
        (json!({ "mode": "canary", "errorThreshold": 101, "minimumCalls": 0 }), vec!["errorThreshold", "minimumCalls"]),
    ] {
        assert_eq!(activate("shop", body.clone()).await.faulty_fields(), fields, "{body}");
    }
    let missing = activate("shop", json!({ "version": 3 })).await;
    assert!(said(&missing, 400).contains("`shop` has versions 1 to 2"), "{}", missing.text);
    assert_eq!(activate("nothing", json!({})).await.status, 404);
    assert_eq!(activate("tidy", json!({})).await.faulty_fields(), ["config"], "`shop` is required");
    assert_eq!(activate("tidy", json!({ "config": { "shop": 7 } })).await.faulty_fields(), ["config/shop"]);
    assert_eq!(client.in_force("tidy").await, Vec::<Value>::new());
    let fine = client.put_in_force("tidy", json!({ "config": { "shop": "books" }, "allowedHosts": ["*.example.org"] }));
    assert_eq!(fine.await["allowedHosts"], json!(["*.example.org"]));
}

#[tokio::test]
async fn a_configuration_that_breaks_the_schema_of_a_plugin_that_ships_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let activate = async |name: &str, config: Value| {
        client.post(&format!("{PLUGINS}/{name}/activate"), &json!({ "config": config })).await
    };
    let topic = json!({ "id": "prices", "title": "Prices", "answer": "Ten rand." });
    for (config, field) in [
        (json!({ "greting": "Hi" }), "config"),
        (json!({ "greeting": "" }), "config/greeting"),
        (json!({ "idleMinutes": -1 }), "config/idleMinutes"),
        (json!({ "topics": vec![topic.clone(); 9] }), "config/topics"),
        (json!({ "topics": [{ "id": "prices", "title": "Prices" }] }), "config/topics/0"),
        (json!({ "hours": { "monday": ["from nine to five"] } }), "config/hours/monday/0"),
    ] {
        assert_eq!(activate("default-chatbot", config.clone()).await.faulty_fields(), [field], "{config}");
    }
    assert_eq!(activate("router", json!({ "otherwise": "anybody" })).await.faulty_fields(), ["config/otherwise"]);
    assert_eq!(client.in_force("default-chatbot").await, Vec::<Value>::new());

    let named =
        |at: usize| json!({ "id": format!("prices-{at}"), "title": format!("Prices {at}"), "answer": "Ten rand." });
    let topics: Vec<Value> = (0..8).map(named).collect();
    let fine = json!({
        "greeting": "Hi {name}!", "team": null, "idleMinutes": 30, "personWords": ["human"],
        "topics": topics, "hours": { "monday": ["08:00-12:00", "13:00 - 17:00"] },
    });
    let done = activate("default-chatbot", fine.clone()).await;
    assert_eq!((done.status, &done.json()["config"]), (200, &fine), "{}", done.text);
    assert_eq!(activate("router", json!({ "otherwise": { "team": "sales" } })).await.status, 200);
    let shown = client.get(&format!("{PLUGINS}/default-chatbot")).await.ok();
    assert_eq!(shown["configSchema"]["properties"]["topics"]["maxItems"], 8, "authors can read it");
    assert_eq!(client.get(&format!("{PLUGINS}/sms-fallback")).await.ok()["configSchema"], Value::Null);
}

#[tokio::test]
async fn a_plugin_that_is_in_force_is_not_deleted() {
    let (patchbay, client, phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1 })).await;
    assert_eq!(answering(&client, &phone, 0).await, "version-0001");
    client.put_in_force("shop", json!({ "version": 2, "mode": "shadow", "whatsAppNumberId": client.number_id })).await;

    let refused = said(&delete(&client, "shop").await, 409);

    assert!(refused.contains("live for all numbers") && refused.contains(&client.number_id), "{refused}");
    deactivate(&client, "shop", json!({})).await;
    deactivate(&client, "shop", json!({ "whatsAppNumberId": client.number_id })).await;
    assert_eq!(delete(&client, "shop").await.status, 204);
    assert_eq!(client.get(&format!("{PLUGINS}/shop")).await.status, 404);
    assert_eq!(delete(&client, "shop").await.status, 404);
    let rows = patchbay.rows_of(&client.client_ref).await;
    assert_eq!((rows["plugin_version"], rows["plugin_component"]), (0, 0));
    assert!(rows["plugin_invocation"] > 0, "finished calls stay on record");
    assert_eq!(delete(&client, "default-chatbot").await.status, 409);
    assert_eq!(client.upload("shop", bot(9)).await, 1, "the name is free again");
}

#[tokio::test]
async fn everything_is_still_there_after_a_restart() {
    let mut patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let phone = patchbay.phone("27820000001");
    for number in 1..=2 {
        client.upload("shop", bot(number)).await;
        client.put_in_force("shop", json!({ "config": { "n": number } })).await;
    }
    let before = client.get(&format!("{PLUGINS}/shop")).await.ok();

    patchbay.kill();
    patchbay.launch().await;

    assert_eq!(client.get(&format!("{PLUGINS}/shop")).await.ok(), before);
    assert_eq!(answering(&client, &phone, 0).await, "version-0002");
    assert_eq!(rollback(&client, "shop", json!({})).await.ok()["config"], json!({ "n": 1 }));
    assert_eq!(answering(&client, &phone, 1).await, "version-0001");
}

#[tokio::test]
async fn a_version_is_in_force_on_the_nodes_that_did_not_hear_of_it_before() {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let phone = patchbay.phone("27820000001");
    let _worker = patchbay.worker();
    for number in 1..=3 {
        client.install("shop", bot(number)).await;
        let nth = usize::try_from(number - 1).unwrap();
        assert_eq!(answering(&client, &phone, nth).await, format!("version-{number:04}"));
    }
}

#[tokio::test]
async fn every_change_is_in_the_audit_trail() {
    let (patchbay, client, _phone) = with_versions(2).await;
    client.put_in_force("shop", json!({ "version": 1 })).await;
    client.put_in_force("shop", json!({ "version": 2 })).await;
    rollback(&client, "shop", json!({})).await.ok();
    deactivate(&client, "shop", json!({})).await;
    delete(&client, "shop").await;

    let mut db = patchbay.database().await;
    let actions: Vec<String> = sqlx::query_scalar(
        "SELECT action FROM audit WHERE object_kind = 'plugin'
           AND client_id = (SELECT id FROM client WHERE client_ref = $1) ORDER BY id",
    )
    .bind(&client.client_ref)
    .fetch_all(&mut db)
    .await
    .unwrap();

    assert_eq!(actions, ["upload", "upload", "activate", "activate", "rollback", "deactivate", "delete"]);
}

#[tokio::test]
async fn a_chatbot_gets_the_state_that_it_set_and_not_that_of_another() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    for name in ["first", "second"] {
        client.upload(name, guest("clerk")).await;
    }
    let says = async |text: &str, answer: &'static str| {
        phone.write(&client.number, text).await;
        phone.receives(answer, |message| message["text"].as_str().is_some_and(|text| text.trim() == answer)).await;
    };
    client.put_in_force("first", json!({})).await;
    says("remember tea", "noted").await;
    client.put_in_force("second", json!({})).await;

    says("recall", "you said:").await;

    client.put_in_force("first", json!({})).await;
    says("recall", "you said: tea").await;
}
