//! Shared secrets of a client (ADR 0072): named values that configurations of plugins refer to.

use harness::{
    ClientReply, Patchbay, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, altered, eventually, guest,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{plugin_commands::office, plugin_uploads::PLUGINS};

const SECRETS: &str = "/plugin-service/api/v1/secrets";
const KEEPER: &str = "keeper";
const VALUE: &str = "open-sesame-4711";
const FIRST_KEY: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const SECOND_KEY: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpBQkNERUY=";

async fn put(client: &TestClient, name: &str, body: Value) -> ClientReply {
    client.request(Method::PUT, &format!("{SECRETS}/{name}"), Some(&body), &[]).await
}

/// Makes or changes a secret.
async fn set(client: &TestClient, name: &str, body: Value) {
    let reply = put(client, name, body).await;
    assert!(reply.status < 300, "{}", reply.text);
}

async fn remove(client: &TestClient, name: &str) -> ClientReply {
    client.request(Method::DELETE, &format!("{SECRETS}/{name}"), None, &[]).await
}

async fn secrets(client: &TestClient) -> Vec<Value> {
    client.get(SECRETS).await.ok()["secrets"].as_array().unwrap().clone()
}

async fn activate(client: &TestClient, plugin: &str, config: Value) -> ClientReply {
    client.post(&format!("{PLUGINS}/{plugin}/activate"), &json!({ "config": config })).await
}

fn referring() -> Value {
    json!({ "apiKey": { "$secret": "crm-key" }, "shop": "books" })
}

/// A client whose live keeper uses the shared secret `crm-key`.
async fn sharing(client: &TestClient, hosts: &[String]) {
    client.upload(KEEPER, guest(KEEPER)).await;
    let made = put(client, "crm-key", json!({ "value": VALUE, "plugins": [KEEPER] })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    client.put_in_force(KEEPER, json!({ "config": referring(), "allowedHosts": hosts })).await;
}

/// The only fault of a refused request: its field and its text.
fn fault(reply: &ClientReply) -> (String, String) {
    let fields = reply.faulty_fields();
    assert_eq!(fields.len(), 1, "{}", reply.text);
    (fields[0].clone(), reply.json()["details"][0]["message"].as_str().unwrap().to_owned())
}

fn conflict(reply: &ClientReply) -> &str {
    assert_eq!(reply.status, 409, "{}", reply.text);
    &reply.text
}

#[tokio::test]
async fn a_plugin_gets_the_value_of_a_shared_secret_and_no_answer_has_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    sharing(&client, &[]).await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "length").await;

    phone.receives("the length", |message| message["text"] == "16 characters for books").await;
    let activation = &client.in_force(KEEPER).await[0];
    assert_eq!((&activation["config"], &activation["secrets"]), (&referring(), &json!([])));
    let listed = &secrets(&client).await[0];
    assert_eq!((&listed["name"], &listed["plugins"]), (&json!("crm-key"), &json!([KEEPER])));
    assert_eq!(
        listed["usedBy"],
        json!([{ "plugin": KEEPER, "version": 1, "world": "chatbot", "mode": "live", "whatsAppNumberId": null }])
    );
    let changed = put(&client, "crm-key", json!({ "value": VALUE })).await;
    assert_eq!((changed.status, &changed.json()["plugins"]), (200, &json!([KEEPER])), "the grants stay");
    let audited = client.get("/api/v1/audit?size=200").await;
    assert!(audited.text.contains("crm-key for keeper"), "{}", audited.text);
    for path in [SECRETS, PLUGINS, &format!("{PLUGINS}/{KEEPER}"), &format!("{PLUGINS}/{KEEPER}/events")] {
        assert!(!client.get(path).await.text.contains(VALUE), "{path}");
    }
    assert!(!changed.text.contains(VALUE) && !audited.text.contains(VALUE));
}

#[tokio::test]
async fn a_trial_call_has_a_placeholder_in_place_of_the_value() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    sharing(&client, &[]).await;

    let told = client
        .post(
            &format!("{PLUGINS}/{KEEPER}/invoke"),
            &json!({ "event": { "type": "message", "text": "spread http://a.example/" } }),
        )
        .await;
    let length = json!({ "event": { "type": "message", "text": "length" } });
    let counted = client.post(&format!("{PLUGINS}/{KEEPER}/invoke"), &length).await.ok();

    assert!(told.text.contains("(secret:/apiKey)") && !told.text.contains(VALUE), "{}", told.text);
    assert_eq!(counted["actions"][0]["text"], "16 characters for books");
    let given = json!({ "event": length["event"], "config": referring() });
    let refused = client.post(&format!("{PLUGINS}/{KEEPER}/invoke"), &given).await;
    assert_eq!(fault(&refused).0, "config/apiKey");
}

#[tokio::test]
async fn a_reference_without_a_grant_or_outside_of_a_marked_value_is_refused_with_its_place() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    client.upload(KEEPER, guest(KEEPER)).await;
    client.upload("clerk", guest("clerk")).await;

    let (field, said) = fault(&activate(&client, KEEPER, referring()).await);
    assert_eq!(field, "config/apiKey");
    assert!(said.contains("`crm-key`, which does not exist"), "{said}");
    set(&client, "crm-key", json!({ "value": VALUE, "plugins": ["clerk"] })).await;
    let (field, said) = fault(&activate(&client, KEEPER, referring()).await);
    assert_eq!(field, "config/apiKey");
    assert!(said.contains("which is not granted to `keeper`"), "{said}");

    set(&client, "crm-key", json!({ "plugins": ["*"] })).await;
    let unmarked = json!({ "apiKey": "long enough", "shop": { "$secret": "crm-key" } });
    let refused = activate(&client, KEEPER, unmarked).await;
    assert_eq!(fault(&refused).0, "config/shop");
    assert!(refused.text.contains("writeOnly") && !refused.text.contains(VALUE), "{}", refused.text);
    let without_schema = activate(&client, "clerk", json!({ "a": [{ "$secret": "crm-key" }] })).await;
    assert_eq!(fault(&without_schema).0, "config/a/0");
    for odd in [json!({ "$secret": 7 }), json!({ "$secret": "a b" }), json!({ "$secret": "crm-key", "more": 1 })] {
        let (field, said) = fault(&activate(&client, KEEPER, json!({ "apiKey": odd })).await);
        assert!(field == "config/apiKey" && said.contains("and nothing else"), "{field}: {said}");
    }
    activate(&client, KEEPER, referring()).await.ok();
}

#[tokio::test]
async fn a_version_whose_schema_marks_the_value_no_longer_does_not_get_the_secret() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    sharing(&client, &[]).await;
    client.upload(KEEPER, altered(guest(KEEPER), "writeOnly", "writeonly")).await;

    let refused = client.post(&format!("{PLUGINS}/{KEEPER}/activate"), &json!({ "version": 2 })).await;

    assert_eq!(fault(&refused).0, "config/apiKey");
    assert!(!refused.text.contains(VALUE), "{}", refused.text);
}

#[tokio::test]
async fn a_value_that_the_schema_refuses_is_not_repeated() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    client.upload(KEEPER, guest(KEEPER)).await;
    set(&client, "crm-key", json!({ "value": "tiny", "plugins": [KEEPER] })).await;

    let refused = activate(&client, KEEPER, referring()).await;

    assert_eq!(fault(&refused).0, "config/apiKey");
    assert!(!refused.text.contains("tiny"), "{}", refused.text);
}

#[tokio::test]
async fn secrets_next_to_a_reference_within_a_marked_value_stay_sealed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    set(&client, "crm-key", json!({ "value": VALUE, "plugins": ["flow"] })).await;
    let flow = json!({
        "languages": ["en"], "start": "hello",
        "nodes": { "hello": { "type": "message", "text": { "en": "Hello" }, "next": "end" },
                   "end": { "type": "close", "text": { "en": "Bye" } } },
        "secrets": { "crm": { "$secret": "crm-key" }, "own": "of-this-flow-only" },
    });

    let activated = activate(&client, "flow", flow).await.ok();

    assert_eq!(activated["config"]["secrets"], json!({ "crm": { "$secret": "crm-key" } }));
    assert_eq!(activated["secrets"], json!(["/secrets/own"]));
    let mut db = patchbay.database().await;
    let stored: Vec<String> = sqlx::query_scalar("SELECT config::text FROM plugin_activation WHERE plugin = 'flow'")
        .fetch_all(&mut db)
        .await
        .unwrap();
    assert!(stored.iter().all(|config| !config.contains("of-this-flow-only")), "{stored:?}");
}

#[tokio::test]
async fn a_new_value_reaches_a_running_activation_on_every_node() {
    let patchbay = Patchbay::start().await;
    let here = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let there = node.client(&here);
    sharing(&here, &[]).await;
    let before = here.in_force(KEEPER).await;
    let event = json!({ "event": { "type": "message", "text": "length" } });
    let counted = async |side: &TestClient| {
        let told = side.post(&format!("{PLUGINS}/{KEEPER}/invoke"), &event).await.ok();
        told["actions"][0]["text"].clone()
    };
    assert_eq!(counted(&there).await, "16 characters for books");

    set(&there, "crm-key", json!({ "value": "another-key" })).await;

    for side in [&here, &there] {
        assert_eq!(counted(side).await, "11 characters for books");
    }
    let phone = patchbay.phone("27820000001");
    phone.write("27110000001", "length").await;
    phone.receives("the new length", |message| message["text"] == "11 characters for books").await;
    assert_eq!(here.in_force(KEEPER).await, before, "without an activation");
}

#[tokio::test]
async fn a_recording_and_its_log_lines_have_a_placeholder_and_replay_the_same_after_a_new_value() {
    let sink = WebhookSink::start().await;
    let host = sink.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    sharing(&client, &[host]).await;
    client.post(&format!("{PLUGINS}/{KEEPER}/recording"), &json!({})).await.ok();
    let phone = patchbay.new_phone();
    phone.write(&client.number, &format!("spread {}", sink.url("orders"))).await;
    phone.receives("the answer", |message| message["text"] == "sent 200").await;
    assert_eq!(sink.received("orders")[0].header("authorization"), format!("Bearer {VALUE}"), "the real value");

    let is_it = |entry: &Value| entry["recording"]["result"]["actions"].as_array().is_some_and(|all| all.len() == 2);
    let recorded = client.keeps(KEEPER, "recordings", is_it).await["recording"].clone();

    assert_eq!(recorded["config"], json!({ "apiKey": "(secret:/apiKey)", "shop": "books" }));
    assert_eq!(recorded["hostCalls"][0]["body"], r#"{"key":"(secret:/apiKey)"}"#);
    assert_eq!(recorded["result"]["logs"][0]["message"], "the key is (secret:/apiKey)");
    set(&client, "crm-key", json!({ "value": "another-key" })).await;
    let replayed = client.post(&format!("{PLUGINS}/{KEEPER}/replay"), &json!({ "version": 1 })).await.ok();
    assert_eq!((&replayed["different"], &replayed["replayed"]), (&json!([]), &replayed["identical"]), "{replayed}");
    patchbay.new_phone().write(&client.number, "panic").await;
    let crashed = client.keeps(KEEPER, "invocations", |call| call["outcome"] == "trapped").await;
    assert!(crashed["error"].as_str().unwrap().contains("(secret:/apiKey)"), "{crashed}");
    assert!(!crashed.to_string().contains("another-key"), "{crashed}");
    let mut db = patchbay.database().await;
    for table in
        ["plugin_activation", "plugin_activation_history", "plugin_recording", "plugin_invocation", "plugin_secret"]
    {
        let found: i64 = sqlx::query_scalar(&format!(
            "SELECT count(*) FROM {table} t JOIN client c ON c.id = t.client_id
             WHERE c.client_ref = $1 AND (t::text LIKE '%{VALUE}%' OR t::text LIKE '%another-key%'
                   OR t::text LIKE '%' || encode('{VALUE}', 'hex') || '%')"
        ))
        .bind(&client.client_ref)
        .fetch_one(&mut db)
        .await
        .unwrap();
        assert_eq!(found, 0, "{table}");
    }
}

#[tokio::test]
async fn a_secret_in_use_can_neither_be_removed_nor_lose_its_grant() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    sharing(&client, &[]).await;

    for refused in [remove(&client, "crm-key").await, put(&client, "crm-key", json!({ "plugins": [] })).await] {
        let said = conflict(&refused);
        assert!(said.contains("keeper") && said.contains("live for all numbers"), "{said}");
    }
    set(&client, "crm-key", json!({ "plugins": ["*"] })).await;
    client.post(&format!("{PLUGINS}/{KEEPER}/deactivate"), &json!({})).await;
    assert_eq!(remove(&client, "crm-key").await.status, 204);
    assert_eq!(remove(&client, "crm-key").await.status, 404);
    assert_eq!(secrets(&client).await, Vec::<Value>::new());
    let back = client.post(&format!("{PLUGINS}/{KEEPER}/rollback"), &json!({})).await;
    assert!(conflict(&back).contains("`crm-key`"), "{}", back.text);
}

#[tokio::test]
async fn a_deleted_plugin_leaves_no_grant_to_the_next_of_its_name() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    sharing(&client, &[]).await;
    client.post(&format!("{PLUGINS}/{KEEPER}/deactivate"), &json!({})).await;

    let deleted = client.request(Method::DELETE, &format!("{PLUGINS}/{KEEPER}"), None, &[]).await;

    assert_eq!(deleted.status, 204, "{}", deleted.text);
    assert_eq!(secrets(&client).await[0]["plugins"], json!([]));
    client.upload(KEEPER, guest(KEEPER)).await;
    assert!(fault(&activate(&client, KEEPER, referring()).await).1.contains("not granted"));
}

#[tokio::test]
async fn a_deleted_plugin_takes_no_grant_from_the_operators_plugin_of_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let patchbay = PatchbaySetup::new().set("plugins.dir", directory.path().to_str().unwrap()).start().await;
    let client = patchbay.bare_client("acme");
    client.upload(KEEPER, guest(KEEPER)).await;
    set(&client, "crm-key", json!({ "value": VALUE, "plugins": [KEEPER] })).await;
    std::fs::write(directory.path().join("keeper.wasm"), guest(KEEPER)).unwrap();
    patchbay.until_logged("a plugin file is live").await;

    let deleted = client.request(Method::DELETE, &format!("{PLUGINS}/{KEEPER}"), None, &[]).await;

    assert_eq!(deleted.status, 204, "{}", deleted.text);
    assert_eq!(secrets(&client).await[0]["plugins"], json!([KEEPER]));
}

#[tokio::test]
async fn the_secrets_of_a_client_are_unknown_to_others() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    sharing(&client, &[]).await;
    other.upload(KEEPER, guest(KEEPER)).await;

    assert_eq!(secrets(&other).await, Vec::<Value>::new());
    assert_eq!(remove(&other, "crm-key").await.status, 404);
    assert!(fault(&activate(&other, KEEPER, referring()).await).1.contains("does not exist"));
    set(&other, "crm-key", json!({ "value": "of the other client", "plugins": [KEEPER] })).await;
    activate(&other, KEEPER, referring()).await.ok();
    let event = json!({ "event": { "type": "message", "text": "length" } });
    let told = client.post(&format!("{PLUGINS}/{KEEPER}/invoke"), &event).await.ok();
    assert_eq!(told["actions"][0]["text"], "16 characters for books");
}

#[tokio::test]
async fn names_values_and_grants_have_limits() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    client.upload(KEEPER, guest(KEEPER)).await;

    let longest = "n".repeat(64);
    for value in ["v".repeat(4), "v".repeat(8192), "ü".repeat(4096)] {
        assert!(put(&client, &longest, json!({ "value": value })).await.status < 300, "{} bytes", value.len());
    }
    for value in [String::new(), "v".repeat(3), "v".repeat(8193), "ü".repeat(4097)] {
        assert_eq!(fault(&put(&client, "crm-key", json!({ "value": value })).await).0, "value");
    }
    for name in ["n".repeat(65), "-a".to_owned(), "a%20b".to_owned(), "%C3%BC".to_owned()] {
        assert_eq!(fault(&put(&client, &name, json!({ "value": VALUE })).await).0, "name", "{name}");
    }
    assert_eq!(fault(&put(&client, "crm-key", json!({ "plugins": [KEEPER] })).await).0, "value");
    let names = |count: usize| (0..count).map(|at| format!("p{at}")).collect::<Vec<_>>();
    for (plugins, said) in [
        (json!(["keeper", "*"]), "alone"),
        (json!(["no-such-plugin"]), "`no-such-plugin`"),
        (json!(["a b"]), "`a b`"),
        (json!(names(50)), "there is no plugin of that name"),
        (json!(names(51)), "at most 50"),
    ] {
        let (field, words) = fault(&put(&client, "crm-key", json!({ "value": VALUE, "plugins": plugins })).await);
        assert!(field == "plugins" && words.contains(said), "{field}: {words}");
    }
    set(&client, "crm-key", json!({ "value": VALUE, "plugins": ["flow", KEEPER, "flow"] })).await;
    assert_eq!(secrets(&client).await[0]["plugins"], json!(["flow", KEEPER]));
}

#[tokio::test]
async fn a_client_has_a_hundred_secrets_and_no_more() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for at in 0..100 {
        let made = put(&client, &format!("s{at}"), json!({ "value": VALUE })).await;
        assert_eq!(made.status, 201, "{}", made.text);
    }

    assert!(conflict(&put(&client, "one-more", json!({ "value": VALUE })).await).contains("100 secrets"));
    assert_eq!(put(&client, "s7", json!({ "value": "another" })).await.status, 200);
    assert_eq!(secrets(&client).await.len(), 100);
    assert_eq!(remove(&client, "s7").await.status, 204);
    assert_eq!(put(&client, "one-more", json!({ "value": VALUE })).await.status, 201);
}

#[tokio::test]
async fn a_change_of_the_master_key_seals_shared_secrets_again_and_a_removed_client_leaves_none() {
    let mut patchbay = PatchbaySetup::new().set("security.master_key", FIRST_KEY).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    sharing(&client, &[]).await;
    let sealed = async |patchbay: &Patchbay| -> Vec<Vec<u8>> {
        let mut db = patchbay.database().await;
        sqlx::query_scalar("SELECT value_sealed FROM plugin_secret").fetch_all(&mut db).await.unwrap()
    };
    let before = sealed(&patchbay).await;
    patchbay.set("security.master_key", SECOND_KEY);
    patchbay.set("security.previous_master_key", FIRST_KEY);
    patchbay.terminate().await;
    patchbay.launch().await;

    patchbay.admin(&["master-key", "rotate"]);

    let after = sealed(&patchbay).await;
    assert!(before.len() == 1 && after.len() == 1 && before != after);
    patchbay.set("security.previous_master_key", "");
    patchbay.terminate().await;
    patchbay.launch().await;
    let phone = patchbay.phone("27820000001");
    phone.write("27110000001", "length").await;
    phone.receives("the length", |message| message["text"] == "16 characters for books").await;
    eventually("the end of all work", || async {
        let said = patchbay.refused(&["client", "remove", "--client", "acme"]);
        (!said.contains("Waiting work")).then_some(())
    })
    .await;
    patchbay.admin(&["client", "remove", "--client", "acme", "--yes"]);
    assert_eq!(sealed(&patchbay).await, Vec::<Vec<u8>>::new());
}

#[tokio::test]
async fn the_command_reads_the_value_from_standard_input_and_never_shows_it() {
    let (_patchbay, client, machine) = office().await;
    client.upload(KEEPER, guest(KEEPER)).await;

    let made = machine.types_with(&["secret", "set", "crm-key", "--plugin", KEEPER], &format!("{VALUE}\n"));

    assert_eq!(made.status, 0, "{}", made.err);
    assert!(made.out.starts_with("crm-key") && made.out.contains("for keeper"), "{}", made.out);
    let config = r#"{"apiKey": {"$secret": "crm-key"}, "shop": "books"}"#;
    machine.does(&["activate", KEEPER, "--config", config]);
    assert!(machine.does(&["invoke", KEEPER, "length"]).contains("16 characters for books"), "without the end of line");
    let listed = machine.does(&["secret", "list"]);
    assert!(listed.contains("used by keeper 1, live for all numbers") && !listed.contains(VALUE), "{listed}");
    machine.does(&["activate", KEEPER, "--number", &client.number, "--config", config]);
    let listed = machine.does(&["secret", "list"]);
    assert!(listed.contains(&format!("used by keeper 1, live for number {}", client.number)), "{listed}");
    machine.does(&["deactivate", KEEPER, "--number", &client.number]);
    let kept = machine.does(&["secret", "set", "crm-key", "--all-plugins", "--keep-value", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap()["plugins"], json!(["*"]));
    assert!(machine.fails(&["secret", "remove", "crm-key"]).contains("is used by keeper"));
    assert!(machine.fails(&["secret", "set", "other"]).contains("no value on standard input"));
    assert!(machine.fails(&["secret", "set", "other", VALUE]).contains("unexpected argument"));
    machine.does(&["deactivate", KEEPER]);
    machine.does(&["secret", "remove", "crm-key"]);
    assert_eq!(machine.does(&["secret", "list"]).trim(), "there are no shared secrets");
}
