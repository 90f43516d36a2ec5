//! Keys and permissions of roles (SPEC 4.6, part 5; `docs/roles.md`).

use harness::{ClientReply, Patchbay, PatchbaySetup, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const RETRIEVE: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const GENERATE: &str = "/messaging-service/WhatsApp/SystemUsers/generateAPIKey";
const WEBHOOK: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const SYNC: &str = "/messaging-service/WhatsApp/templates/sync";
const PLUGINS: &str = "/plugin-service/api/v1/plugins";
const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";
/// The password that the harness gives to the first user of every client.
const PASSWORD: &str = "correct horse";

fn assert_refused(reply: &ClientReply, status: u16, error: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert_eq!(reply.json()["error"], error);
}

async fn with_header(patchbay: &Patchbay, value: &str) -> ClientReply {
    patchbay.ask(Method::GET, NUMBERS, &[("Authorization", value)], "").await
}

async fn retrieve(patchbay: &Patchbay, client_ref: &str, email: &str, password: &str) -> ClientReply {
    let body = json!({ "email": email, "password": password, "clientRef": client_ref }).to_string();
    patchbay.ask(Method::POST, RETRIEVE, &[("Content-Type", "application/json")], body).await
}

fn email(client: &TestClient) -> String {
    format!("{}@example.com", client.client_ref)
}

fn as_role(patchbay: &Patchbay, client: &TestClient, role: &str) -> TestClient {
    let email = format!("{}@{}.example", role.to_lowercase(), client.client_ref);
    let user = patchbay.new_user(&client.client_ref, &email, role);
    assert_eq!(user["role"], role);
    let mut client = client.clone();
    client.key = user["apiKey"].as_str().unwrap().to_owned();
    client
}

#[tokio::test]
async fn the_key_itself_is_the_header() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    assert_eq!(client.key.len(), 36);
    assert_eq!(with_header(&patchbay, &client.key).await.status, 200);
}

#[tokio::test]
async fn anything_around_the_key_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let key = patchbay.new_bare_client().key;
    let wrong = [
        format!("Bearer {key}"),
        format!("bearer {key}"),
        format!("Basic {key}"),
        format!("\"{key}\""),
        format!("{key},"),
        format!("{key} {key}"),
        format!("{{{key}}}"),
    ];
    for value in wrong {
        assert_refused(&with_header(&patchbay, &value).await, 401, "Unauthorized user");
    }
}

#[tokio::test]
async fn a_missing_wrong_or_truncated_key_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let key = patchbay.new_bare_client().key;
    assert_refused(&patchbay.get(NUMBERS).await, 401, "Unauthorized user");
    let wrong = ["", &key[..35], &format!("{key}0"), &key.to_uppercase(), "00000000-0000-4000-8000-000000000000"];
    for value in wrong {
        assert_refused(&with_header(&patchbay, value).await, 401, "Unauthorized user");
    }
}

#[tokio::test]
async fn the_key_is_taken_from_no_other_place() {
    let patchbay = SharedPatchbay::get().await;
    let key = patchbay.new_bare_client().key;
    for (name, value) in
        [("X-API-Key", key.clone()), ("Cookie", format!("Authorization={key}")), ("Proxy-Authorization", key.clone())]
    {
        let reply = patchbay.ask(Method::GET, NUMBERS, &[(name, &value)], "").await;
        assert_refused(&reply, 401, "Unauthorized user");
    }
    assert_refused(
        &patchbay.get(&format!("{NUMBERS}?Authorization={key}&apiKey={key}")).await,
        401,
        "Unauthorized user",
    );
}

#[tokio::test]
async fn every_endpoint_of_a_client_wants_a_key() {
    let patchbay = SharedPatchbay::get().await;
    let id = uuid::Uuid::nil();
    for (method, path) in [
        (Method::POST, "/whatsapp-api-service/v2/messages".to_owned()),
        (Method::POST, CHANNEL.to_owned()),
        (Method::POST, GENERATE.to_owned()),
        (Method::POST, WEBHOOK.to_owned()),
        (Method::GET, format!("{WEBHOOK}/getForCurrentLoginUser")),
        (Method::GET, format!("{WEBHOOK}/{id}/secret")),
        (Method::POST, format!("{WEBHOOK}/{id}/secret/rotate")),
        (Method::GET, NUMBERS.to_owned()),
        (Method::GET, "/messaging-service/WhatsApp/templates".to_owned()),
        (Method::POST, SYNC.to_owned()),
        (Method::GET, PLUGINS.to_owned()),
        (Method::POST, format!("{PLUGINS}/default-chatbot/activate")),
    ] {
        let reply = patchbay.ask(method, &path, &[("Content-Type", "application/json")], "{}").await;
        assert_refused(&reply, 401, "Unauthorized user");
    }
}

#[tokio::test]
async fn a_regenerated_key_is_valid_and_the_old_one_is_not_any_more() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();

    let token = client.request(Method::POST, GENERATE, None, &[]).await.ok()["token"].as_str().unwrap().to_owned();

    assert_refused(&with_header(&patchbay, &client.key).await, 401, "Unauthorized user");
    assert_eq!(with_header(&patchbay, &token).await.status, 200);
    let retrieved = retrieve(&patchbay, &client.client_ref, &email(&client), PASSWORD).await.ok();
    assert_eq!(retrieved, json!({ "apiKey": token }), "the new key is the one to retrieve");
}

#[tokio::test]
async fn the_key_is_retrieved_with_the_password_and_is_the_same_every_time() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for email in [email(&client), email(&client).to_uppercase()] {
        let reply = retrieve(&patchbay, &client.client_ref, &email, PASSWORD).await;
        assert_eq!(reply.ok(), json!({ "apiKey": client.key }));
    }
}

#[tokio::test]
async fn wrong_credentials_are_refused_without_saying_which() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let (reference, address) = (client.client_ref.as_str(), email(&client));
    let mut said = Vec::new();
    for (reference, address, password) in [
        (reference, address.as_str(), "wrong horse"),
        (reference, address.as_str(), ""),
        (reference, address.as_str(), "correct horse "),
        (reference, "nobody@example.com", PASSWORD),
        ("no-such-client", address.as_str(), PASSWORD),
        (other.client_ref.as_str(), address.as_str(), PASSWORD),
    ] {
        let reply = retrieve(&patchbay, reference, address, password).await;
        assert_refused(&reply, 401, "Invalid credentials");
        said.push(reply.json()["message"].clone());
    }
    assert!(said.iter().all(|message| *message == said[0]), "{said:?}");
}

#[tokio::test]
async fn ten_wrong_passwords_close_an_account_for_fifteen_minutes() {
    let patchbay = PatchbaySetup::new().start().await;
    let (client, other) = (patchbay.bare_client("acme"), patchbay.bare_client("beta"));
    for _ in 0..10 {
        assert_refused(&retrieve(&patchbay, "acme", &email(&client), "guess").await, 401, "Invalid credentials");
    }

    let locked = retrieve(&patchbay, "acme", &email(&client), PASSWORD).await;
    assert_refused(&locked, 429, "Too many requests");
    let seconds: u64 = locked.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=900).contains(&seconds), "{seconds}");
    assert_eq!(retrieve(&patchbay, "beta", &email(&other), PASSWORD).await.status, 200, "others are not concerned");
    assert_eq!(with_header(&patchbay, &client.key).await.status, 200, "nor is the key");

    patchbay.advance_clock(seconds - 60).await;
    assert_refused(&retrieve(&patchbay, "acme", &email(&client), PASSWORD).await, 429, "Too many requests");
    patchbay.advance_clock(61).await;
    assert_eq!(retrieve(&patchbay, "acme", &email(&client), PASSWORD).await.ok(), json!({ "apiKey": client.key }));
}

#[tokio::test]
async fn a_hundred_simultaneous_guesses_reveal_no_more_than_ten() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let address = email(&client);

    let guesses = (0..100).map(|_| retrieve(&patchbay, &client.client_ref, &address, "guess"));
    let replies = futures::future::join_all(guesses).await;

    let judged = replies.iter().filter(|reply| reply.status == 401).count();
    assert_eq!(judged, 10);
    assert!(replies.iter().all(|reply| matches!(reply.status, 401 | 429)));
    assert!(replies.iter().filter(|reply| reply.status == 429).all(|reply| reply.header("retry-after").is_some()));
}

#[tokio::test]
async fn an_object_of_another_client_looks_like_a_missing_one() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_client().await);
    let hook = other.post(WEBHOOK, &json!({ "statusUpdateURL": "https://hooks.example/x" })).await.ok();
    let (theirs, unowned) = (hook["id"].as_str().unwrap().to_owned(), uuid::Uuid::nil().to_string());

    for (method, path) in [(Method::GET, "secret"), (Method::POST, "secret/rotate")] {
        let mut bodies = Vec::new();
        for id in [&theirs, &unowned] {
            let reply = client.request(method.clone(), &format!("{WEBHOOK}/{id}/{path}"), None, &[]).await;
            assert_refused(&reply, 404, "Not found");
            bodies.push((reply.json()["message"].clone(), reply.json()["details"].clone()));
        }
        assert_eq!(bodies[0], bodies[1]);
    }
    let secret = other.get(&format!("{WEBHOOK}/{theirs}/secret")).await.ok();
    assert!(secret["secret"].as_str().unwrap().starts_with("whsec_"), "its owner sees it: {secret}");
}

#[tokio::test]
async fn a_webhook_for_a_number_of_another_client_is_forbidden() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_client().await);
    for number in [other.number_id.as_str(), &uuid::Uuid::nil().to_string()] {
        let body = json!({ "statusUpdateURL": "https://hooks.example/x", "whatsAppNumberId": number });
        assert_refused(&client.post(WEBHOOK, &body).await, 403, "Forbidden");
    }
    assert_eq!(patchbay.rows_of(&client.client_ref).await["webhook_config"], 0);
}

#[tokio::test]
async fn a_plugin_is_not_activated_on_a_number_of_another_client() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_client().await);
    let body = json!({ "mode": "live", "whatsAppNumberId": other.number_id });

    let reply = client.post(&format!("{PLUGINS}/default-chatbot/activate"), &body).await;

    assert_eq!(reply.faulty_fields(), ["whatsAppNumberId"]);
    for side in [&client, &other] {
        assert_eq!(patchbay.rows_of(&side.client_ref).await["plugin_activation"], 0);
    }
}

/// The status that each role gets: the rows of `docs/roles.md`.
const ROLES: &[(&str, [u16; 5])] = &[
    // send, list, change webhooks, fetch templates, upload plugins
    ("ADMIN", [202, 200, 200, 200, 200]),
    ("SUPERVISOR", [202, 200, 403, 200, 403]),
    ("AGENT", [403, 200, 403, 403, 403]),
    ("DEVELOPER", [202, 200, 200, 200, 200]),
    ("API", [202, 200, 403, 403, 403]),
];

#[tokio::test]
async fn every_role_has_exactly_the_rights_of_the_table() {
    let patchbay = SharedPatchbay::get().await;
    for (role, expected) in ROLES {
        let client = as_role(&patchbay, &patchbay.new_client().await, role);
        let hook = json!({ "statusUpdateURL": "https://hooks.example/x" });
        let replies = [
            client.send(&client.order_ready(&["nobody"])).await,
            client.get(NUMBERS).await,
            client.post(WEBHOOK, &hook).await,
            client.request(Method::POST, SYNC, None, &[]).await,
            client.get(PLUGINS).await,
        ];
        let statuses = replies.each_ref().map(|reply| reply.status);
        assert_eq!(statuses, *expected, "{role}");
        for reply in replies.iter().filter(|reply| reply.status == 403) {
            assert_refused(reply, 403, "Forbidden");
        }
        assert_eq!(client.request(Method::POST, GENERATE, None, &[]).await.status, 200, "{role} renews its own key");
    }
}

#[tokio::test]
async fn a_new_key_of_one_user_leaves_the_keys_of_others_alone() {
    let patchbay = SharedPatchbay::get().await;
    let admin = patchbay.new_bare_client();
    let developer = as_role(&patchbay, &admin, "DEVELOPER");

    developer.request(Method::POST, GENERATE, None, &[]).await.ok();

    assert_eq!(with_header(&patchbay, &developer.key).await.status, 401);
    assert_eq!(with_header(&patchbay, &admin.key).await.status, 200);
}

#[tokio::test]
async fn neither_keys_nor_passwords_are_stored_in_the_open() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut db = patchbay.database().await;
    for table in ["api_key", "client_user", "whatsapp_cloud_inbox"] {
        let statement = format!(
            "SELECT string_agg(row_to_json(t)::text, ' ') FROM {table} t WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)"
        );
        let rows: String = sqlx::query_scalar(&statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        let hex = |text: &str| hex::encode(text);
        for secret in [client.key.as_str(), PASSWORD, "token-of-the-tests"] {
            assert!(!rows.contains(secret) && !rows.contains(&hex(secret)), "{table} holds a secret in the open");
        }
    }
}

#[tokio::test]
async fn administrative_changes_leave_an_audit_row() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    client.request(Method::POST, GENERATE, None, &[]).await.ok();
    let mut db = patchbay.database().await;

    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT action, object_kind FROM audit WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) ORDER BY id",
    )
    .bind(&client.client_ref)
    .fetch_all(&mut db)
    .await
    .unwrap();

    let rows: Vec<(&str, &str)> = rows.iter().map(|(action, kind)| (action.as_str(), kind.as_str())).collect();
    assert_eq!(rows, [("create", "client"), ("create", "user"), ("regenerate", "apiKey")]);
}

#[tokio::test]
async fn a_login_with_fields_of_the_wrong_type_names_them() {
    let patchbay = SharedPatchbay::get().await;
    let wrong: Value = json!({ "email": 1, "password": "p", "clientRef": "c" });
    let reply = patchbay.ask(Method::POST, RETRIEVE, &[("Content-Type", "application/json")], wrong.to_string()).await;
    assert_eq!(reply.faulty_fields(), ["email"]);
}
