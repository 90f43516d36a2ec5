//! Secrets in the configuration of a plugin: only the plugin gets them.

use harness::{SharedPatchbay, TestClient, WebhookSink, altered, guest};
use serde_json::{Value, json};

use crate::plugin_uploads::PLUGINS;

const KEEPER: &str = "keeper";
const SECRET: &str = "open-sesame-4711";

fn keeper(number: u32) -> Vec<u8> {
    altered(guest(KEEPER), "keeper-0000", &format!("keeper-{number:04}"))
}

async fn with_secret(hosts: &[String]) -> (SharedPatchbay, TestClient) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.upload(KEEPER, keeper(1)).await;
    let body = json!({ "config": { "apiKey": SECRET, "shop": "books" }, "allowedHosts": hosts });
    let activation = client.put_in_force(KEEPER, body).await;
    assert_eq!((&activation["config"], &activation["secrets"]), (&json!({ "shop": "books" }), &json!(["/apiKey"])));
    (patchbay, client)
}

/// All contents of the tables of plugins, as text.
async fn stored(patchbay: &SharedPatchbay) -> String {
    let mut db = patchbay.database().await;
    let mut all = String::new();
    for table in
        ["plugin_activation", "plugin_activation_history", "plugin_recording", "plugin_invocation", "plugin_difference"]
    {
        let statement = format!("SELECT t::text FROM {table} t");
        let rows: Vec<String> = sqlx::query_scalar(&statement).fetch_all(&mut db).await.unwrap();
        all.extend(rows);
    }
    all
}

#[tokio::test]
async fn a_secret_reaches_the_plugin_and_is_neither_shown_nor_kept_in_plain() {
    let (patchbay, client) = with_secret(&[]).await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, "length").await;
    phone.receives("the length", |message| message["text"] == "16 characters for books").await;

    for path in [format!("{PLUGINS}?size=200"), format!("{PLUGINS}/{KEEPER}"), format!("{PLUGINS}/{KEEPER}/events")] {
        assert!(!client.get(&path).await.text.contains(SECRET), "{path}");
    }
    assert!(!stored(&patchbay).await.contains(SECRET));
}

#[tokio::test]
async fn a_secret_is_kept_by_an_activation_without_config_and_brought_back_by_a_rollback() {
    let (patchbay, client) = with_secret(&[]).await;
    let phone = patchbay.new_phone();
    let length = async |round: usize, expected: &str| {
        phone.write(&client.number, "length").await;
        harness::eventually(&format!("answer {round}: {expected}"), || async {
            let said = phone.inbox().await;
            let answers =
                said.iter().filter_map(|message| message["text"].as_str()).filter(|text| text.contains("characters"));
            let answers: Vec<&str> = answers.collect();
            (answers.len() == round && answers.last() == Some(&expected)).then_some(())
        })
        .await;
    };
    let first = client.in_force(KEEPER).await;
    let same = json!({ "config": { "apiKey": SECRET, "shop": "books" } });
    assert_eq!(client.put_in_force(KEEPER, same).await["id"], first[0]["id"], "nothing has changed");
    client.upload(KEEPER, keeper(2)).await;
    let kept = client.post(&format!("{PLUGINS}/{KEEPER}/activate"), &json!({ "version": 2 })).await.ok();
    assert_eq!((&kept["kept"], &kept["secrets"]), (&json!(["config", "allowedHosts"]), &json!(["/apiKey"])));
    length(1, "16 characters for books").await;
    client.put_in_force(KEEPER, json!({ "config": { "apiKey": "another-key", "shop": "toys" } })).await;
    length(2, "11 characters for toys").await;
    client.post(&format!("{PLUGINS}/{KEEPER}/rollback"), &json!({})).await.ok();
    length(3, "16 characters for books").await;
}

#[tokio::test]
async fn a_secret_that_the_schema_refuses_is_not_repeated() {
    let (_patchbay, client) = with_secret(&[]).await;
    let activate =
        async |config: Value| client.post(&format!("{PLUGINS}/{KEEPER}/activate"), &json!({ "config": config })).await;
    let short = activate(json!({ "apiKey": "tiny" })).await;
    assert_eq!(short.faulty_fields(), ["config/apiKey"]);
    assert!(!short.text.contains("tiny"), "{}", short.text);
    let many = activate(json!({ "apiKey": vec!["e"; 64] })).await;
    assert_eq!(many.faulty_fields(), ["config/apiKey"], "however many texts it has that are said in every message");
    let more = activate(json!({ "apiKey": vec!["e"; 65] })).await;
    assert_eq!(more.faulty_fields(), ["config"]);
    assert!(more.text.contains("more than 64 secrets"), "{}", more.text);
    let forged = activate(json!({ "apiKey": { "$sealed": "AAAA" } })).await;
    assert_eq!(forged.faulty_fields(), ["config"]);
    let invoked = json!({ "config": { "apiKey": { "$sealed": "AAAA" } } });
    assert_eq!(client.post(&format!("{PLUGINS}/{KEEPER}/invoke"), &invoked).await.faulty_fields(), ["config"]);
}

#[tokio::test]
async fn a_kept_secret_that_a_newer_schema_refuses_is_not_repeated() {
    let (_patchbay, client) = with_secret(&[]).await;
    client.put_in_force(KEEPER, json!({ "config": { "apiKey": "line one\nline \"two\"" } })).await;
    client.upload(KEEPER, altered(keeper(2), r#""minLength":8"#, r#""maxLength":8"#)).await;
    let refused = client.post(&format!("{PLUGINS}/{KEEPER}/activate"), &json!({ "version": 2 })).await;
    assert_eq!(refused.faulty_fields(), ["config/apiKey"]);
    assert!(refused.text.contains("longer than 8 characters") && !refused.text.contains("line"), "{}", refused.text);
}

#[tokio::test]
async fn a_schema_without_the_mark_keeps_an_old_secret_sealed() {
    let (patchbay, client) = with_secret(&[]).await;
    client.upload(KEEPER, altered(keeper(2), "writeOnly", "writeonly")).await;
    let kept = client.post(&format!("{PLUGINS}/{KEEPER}/activate"), &json!({ "version": 2 })).await.ok();
    assert_eq!((&kept["config"], &kept["secrets"]), (&json!({ "shop": "books" }), &json!(["/apiKey"])));
    let phone = patchbay.new_phone();
    phone.write(&client.number, "length").await;
    phone.receives("the length", |message| message["text"] == "16 characters for books").await;
    assert!(!stored(&patchbay).await.contains(SECRET));
}

#[tokio::test]
async fn a_recording_has_a_placeholder_in_place_of_each_secret_and_replays_the_same() {
    let sink = WebhookSink::start().await;
    let host = sink.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let (patchbay, client) = with_secret(&[host]).await;
    client.post(&format!("{PLUGINS}/{KEEPER}/recording"), &json!({})).await.ok();
    client.upload(KEEPER, keeper(2)).await;
    client.put_in_force(KEEPER, json!({ "version": 2, "mode": "shadow" })).await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, &format!("spread {}", sink.url("orders"))).await;
    phone.receives("the answer", |message| message["text"] == "sent 200").await;
    let sent = &sink.received("orders")[0];
    assert_eq!((sent.header("authorization"), sent.json()), (format!("Bearer {SECRET}"), json!({ "key": SECRET })));

    let is_it = |entry: &Value| entry["recording"]["result"]["actions"].as_array().is_some_and(|all| all.len() == 2);
    let recorded = client.keeps(KEEPER, "recordings", is_it).await["recording"].clone();

    assert_eq!(recorded["config"], json!({ "apiKey": "(secret:/apiKey)", "shop": "books" }));
    assert_eq!(recorded["hostCalls"][0]["body"], r#"{"key":"(secret:/apiKey)"}"#);
    assert_eq!(recorded["hostCalls"][0]["headers"][0], json!(["authorization", "Bearer (secret:/apiKey)"]));
    assert_eq!(recorded["result"]["writes"][0]["value"], "(secret:/apiKey)");
    assert_eq!(recorded["result"]["logs"][0]["message"], "the key is (secret:/apiKey)");
    let both = [
        client.get(&format!("{PLUGINS}/{KEEPER}/recordings")).await.text,
        client.get(&format!("{PLUGINS}/{KEEPER}/recordings?form=exact")).await.text,
    ];
    assert!(both.iter().all(|text| !text.contains(SECRET)));
    let replayed = client.post(&format!("{PLUGINS}/{KEEPER}/replay"), &json!({ "version": 2 })).await.ok();
    assert_eq!((&replayed["different"], &replayed["replayed"]), (&json!([]), &replayed["identical"]), "{replayed}");
    client.keeps(KEEPER, "invocations", |call| call["mode"] == "shadow" && call["logs"][0] != Value::Null).await;
    assert_eq!(
        client.kept(KEEPER, "differences").await,
        Vec::<Value>::new(),
        "the shadow saw what the recording holds"
    );
    assert!(!stored(&patchbay).await.contains(SECRET));
}

#[tokio::test]
async fn a_secret_that_a_plugin_prints_as_it_crashes_is_not_kept() {
    let (patchbay, client) = with_secret(&[]).await;
    patchbay.new_phone().write(&client.number, "panic").await;
    let crashed = client.keeps(KEEPER, "invocations", |call| call["outcome"] == "trapped").await;
    assert!(crashed["error"].as_str().unwrap().contains("(secret:/apiKey)"), "{crashed}");
    assert!(!crashed.to_string().contains(SECRET), "{crashed}");
}

#[tokio::test]
async fn nothing_is_kept_of_a_secret_of_several_lines_that_a_plugin_prints_as_it_crashes() {
    let (patchbay, client) = with_secret(&[]).await;
    client.put_in_force(KEEPER, json!({ "config": { "apiKey": "first-of-the-key\nsecond-of-the-key" } })).await;
    patchbay.new_phone().write(&client.number, "panic").await;
    let crashed = client.keeps(KEEPER, "invocations", |call| call["outcome"] == "trapped").await;
    assert!(crashed["error"].as_str().unwrap().contains("(secret:/apiKey)"), "{crashed}");
    assert!(
        !crashed.to_string().contains("of-the-key") && !stored(&patchbay).await.contains("of-the-key"),
        "{crashed}"
    );
}
