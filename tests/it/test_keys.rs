//! Test keys and their sandbox (`docs/test-keys.md`): outcomes by number, marks, refusals, and nothing that leaves the server.

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, eventually};
use reqwest::Method;
use serde_json::{Value, json};

pub(crate) const KEYS: &str = "/api/v1/test-keys";
pub(crate) const OWN_NUMBER: &str = "9990000000";
pub(crate) const SYNC: &str = "/messaging-service/WhatsApp/templates/sync";

/// The same client with a test key.
pub(crate) async fn sandbox_of(client: &TestClient) -> TestClient {
    let made = client.post(KEYS, &json!({ "name": "CI" })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    assert_eq!((&made["name"], &made["test"]), (&json!("CI"), &json!(true)));
    let mut sandbox = client.clone();
    sandbox.key = made["apiKey"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.key.parse::<uuid::Uuid>().unwrap().get_version_num(), 4);
    sandbox
}

pub(crate) async fn shared() -> (SharedPatchbay, TestClient, TestClient, WebhookSink) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sandbox = sandbox_of(&client).await;
    let sink = WebhookSink::start().await;
    sandbox.webhooks_to(&sink, "v2").await;
    (patchbay, client, sandbox, sink)
}

/// The sample template of each sandbox, from its own number.
pub(crate) fn sample(to: &str) -> Value {
    json!({
        "sender": OWN_NUMBER,
        "messageType": "NOTIFICATION",
        "templateName": "sandbox_order_ready",
        "templateId": "sandbox_order_ready",
        "messages": [{
            "recipients": [{ "to": to, "ctId": format!("ct-{to}") }],
            "components": [{ "type": "body", "parameters": ["Thandi", "#42"] }],
        }],
    })
}

#[tokio::test]
async fn each_test_number_has_its_outcome_and_nothing_reaches_the_provider() {
    let (patchbay, client, sandbox, sink) = shared().await;
    let numbers = ["+9991000001", "+9992000001", "+9993000001", "+9994131047"];

    let accepted = sandbox.send(&sandbox.order_ready(&numbers)).await;

    assert_eq!(accepted.header("x-test-key"), Some("true"));
    assert_eq!(accepted.accepted()["rejectedRecipients"], json!([]));
    let delivered = sandbox.statuses(&sink, "ct-+9991000001", "DELIVERED").await;
    assert_eq!(delivered, ["ACCEPTED", "SENT", "DELIVERED"]);
    let read = sandbox.statuses(&sink, "ct-+9992000001", "READ").await;
    assert_eq!(read, ["ACCEPTED", "SENT", "DELIVERED", "READ"]);
    for (ct_id, code) in [("ct-+9993000001", "131026"), ("ct-+9994131047", "131047")] {
        let failed = |body: &Value| body["ctId"] == ct_id && body["status"] == "FAILED";
        let failed = sink.receives("status", "a failure", failed).await;
        assert_eq!(failed["errorCode"], code, "{failed}");
    }
    assert!(sink.received("status").iter().all(|one| one.header("webhook-test") == "true"));
    assert_eq!(patchbay.provider_sends(&client).await, Vec::<Value>::new());
}

#[tokio::test]
async fn other_recipients_are_rejected_one_by_one_with_a_test_key_only() {
    let (patchbay, client, sandbox, _) = shared().await;
    let phone = patchbay.new_phone();

    let answer = sandbox.send(&sandbox.order_ready(&["+9991000001", &phone.msisdn])).await.accepted();
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(1), &json!(1)));
    let reason = answer["rejectedRecipients"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("docs/test-keys.md"), "{reason}");

    let live = client.send(&client.order_ready(&[&phone.msisdn, "+9991000001"])).await;
    assert_eq!(live.header("x-test-key"), None);
    assert_eq!(live.accepted()["acceptedCount"], 2);
    phone.receives("the template of the live key", |message| message["type"] == "template").await;
}

#[tokio::test]
async fn a_test_customer_answers_with_a_text_or_a_tap_and_a_chat_opens() {
    let (_patchbay, client, sandbox, sink) = shared().await;

    sandbox.send(&sample("+9996000001")).await.accepted();
    sandbox.send(&sample("+9997000001")).await.accepted();

    let of = |phone: &'static str| move |body: &Value| body.to_string().contains(phone);
    let text = sink.receives("incoming", "a text", of("9996000001")).await;
    assert!(text.to_string().contains("This is a test reply."), "{text}");
    let tap = sink.receives("incoming", "a tap", of("9997000001")).await;
    assert!(tap.to_string().contains("Thanks"), "{tap}");
    assert!(sink.received("incoming").iter().all(|one| one.header("webhook-test") == "true"));
    let chats = sandbox.get("/chat-service/api/v2/chats?scope=all").await.ok();
    assert_eq!(chats["totalElements"], 2, "{chats}");
    assert_eq!(client.get("/chat-service/api/v2/chats?scope=all").await.ok()["totalElements"], 0);

    // The answer opened the window of 24 hours.
    let chat = json!({
        "sender": OWN_NUMBER,
        "messageType": "CHAT",
        "messages": [{ "recipients": [{ "to": "+9996000001", "ctId": "free" }], "messageText": "Hello" }],
    });
    assert_eq!(sandbox.send(&chat).await.accepted()["acceptedCount"], 1);
    sandbox.statuses(&sink, "free", "READ").await;
}

#[tokio::test]
async fn a_failure_on_whatsapp_is_followed_by_an_sms_that_no_smsc_gets() {
    let (_patchbay, _client, sandbox, sink) = shared().await;
    let mut payload = sample("+9993000002");
    payload["fallback"] = json!({ "sendFallback": true, "text": "Your order is ready." });

    sandbox.send(&payload).await.accepted();

    let by_sms = |body: &Value| body["ctId"] == "ct-+9993000002" && body["status"] == "DELIVERED";
    sink.receives("status", "the SMS", by_sms).await;
}

#[tokio::test]
async fn actions_that_leave_the_sandbox_are_refused_with_a_cure() {
    let (_patchbay, client, sandbox, _) = shared().await;
    let refused = [
        (Method::GET, KEYS),
        (Method::POST, "/api/v1/users"),
        (Method::GET, "/plugin-service/api/v1/plugins"),
        (Method::POST, "/messaging-service/WhatsApp/WhatsAppClientNumbers/registerWLNumber"),
        (Method::POST, "/messaging-service/web/sites"),
        (Method::PUT, "/api/v1/clients/me"),
    ];
    for (method, path) in refused {
        let answer = sandbox.request(method.clone(), path, Some(&json!({})), &[]).await;
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
        assert!(answer.text.contains("use a live key"), "{}", answer.text);
        assert_eq!(answer.header("x-test-key"), Some("true"));
    }
    let own = sandbox.get(&format!("/api/v1/clients/{}", client.client_ref)).await.ok();
    assert_eq!(own["clientRef"], format!("{}:test", client.client_ref));
    assert_eq!(client.get(&format!("/api/v1/clients/{}:test", client.client_ref)).await.status, 404);
}

#[tokio::test]
async fn test_keys_are_listed_and_deleted_and_share_one_sandbox() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (first, second) = (sandbox_of(&client).await, sandbox_of(&client).await);
    first.send(&sample("+9991000001")).await.accepted();

    let listed = client.get(KEYS).await.ok();
    assert_eq!((&listed["totalElements"], &listed["content"][0]["test"]), (&json!(2), &json!(true)));
    assert!(!listed.to_string().contains(&first.key), "{listed}");
    let shown = patchbay.admin(&["key", "list", "--client", &client.client_ref]);
    let tests: Vec<&Value> = shown["keys"].as_array().unwrap().iter().filter(|key| key["test"] == true).collect();
    assert_eq!(tests.len(), 2, "{shown}");

    let own = first.get("/api/v1/users/me").await.ok()["id"].as_str().unwrap().to_owned();
    assert_eq!(client.request(Method::DELETE, &format!("{KEYS}/{own}"), None, &[]).await.status, 204);
    assert_eq!(first.get("/api/v1/users/me").await.status, 401);
    assert_eq!(client.request(Method::DELETE, &format!("{KEYS}/{own}"), None, &[]).await.status, 404);
    let seen = second.get("/messaging-service/WhatsApp/messages?recipient=%2B9991000001").await.ok();
    assert_eq!(seen["totalElements"], 1, "{seen}");
    let of_client = client.get("/messaging-service/WhatsApp/messages?recipient=%2B9991000001").await.ok();
    assert_eq!(of_client["totalElements"], 0, "{of_client}");
}

#[tokio::test]
async fn the_gateways_send_sms_to_test_numbers_without_a_charge_of_the_client() {
    let (patchbay, client, sandbox, sink) = shared().await;
    let body = json!({
        "recipients": [{ "to": "+9991000001" }],
        "messageText": "hello",
        "settings": { "receiptCallBackURL": sink.url("receipt") },
    });

    patchbay.sms(&sandbox, "/sms/json", &body).await.ok();

    let receipt = eventually("the last receipt", || async {
        let forms = sink.received("receipt").into_iter().map(|one| one.form());
        forms.into_iter().find(|form| form["statusCode"] == "600")
    });
    assert_eq!(receipt.await["to"], "9991000001");
    assert_eq!(patchbay.sms_balance(&client).await, 0);
    assert!(patchbay.sms_balance(&sandbox).await > 0);
    let other = json!({ "recipients": [{ "to": "27820000001" }], "messageText": "hello" });
    assert_eq!(patchbay.sms(&sandbox, "/sms/json", &other).await.faulty_fields(), ["to"]);
    let form = [("message", "Hello"), ("cell", "9991000001,27820000001"), ("senderid", "SHOP")];
    let answer = patchbay.batch(&sandbox, "/smsbatch/sms", &form).await;
    assert!(answer.contains("<correctnumbers>1</correctnumbers>"), "{answer}");
}

/// A server of its own, whose clock the test moves.
async fn own() -> (Patchbay, TestClient, WebhookSink) {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sandbox = sandbox_of(&client).await;
    let sink = WebhookSink::start().await;
    sandbox.webhooks_to(&sink, "v2").await;
    (patchbay, sandbox, sink)
}

#[tokio::test]
async fn a_slow_number_is_delivered_after_a_minute() {
    let (patchbay, sandbox, sink) = own().await;
    sandbox.send(&sample("+9995000001")).await.accepted();
    let sent = sandbox.statuses(&sink, "ct-+9995000001", "SENT").await;
    assert_eq!(sent, ["ACCEPTED", "SENT"]);
    patchbay.advance_clock(60).await;
    let delivered = sandbox.statuses(&sink, "ct-+9995000001", "DELIVERED").await;
    assert_eq!(delivered, ["ACCEPTED", "SENT", "DELIVERED"]);
}

#[tokio::test]
async fn numbers_and_templates_that_the_client_gets_later_are_copied_by_a_sync() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let sandbox = sandbox_of(&client).await;
    let number = "27119990001";
    let body = json!({ "phoneNumberId": "127119990001", "wabaId": "227119990001", "number": number });
    patchbay.simulate("/simulator/numbers", &body).await;
    let names = ["--client", &client.client_ref, "--number", number, "--provider", "WHATSAPP_CLOUD"];
    let account = ["--phone-number-id", "127119990001", "--waba-id", "227119990001", "--access-token", "token"];
    patchbay.admin(&[&["number", "add"], &names[..], &account[..]].concat());
    let fetched = client.post(SYNC, &Value::Null).await.ok();

    let copied = sandbox.post(SYNC, &Value::Null).await.ok();

    assert_eq!(copied["synced"], fetched["synced"], "{copied}");
    let numbers = sandbox.get("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser").await.ok();
    assert!(numbers.to_string().contains(number) && numbers.to_string().contains(OWN_NUMBER), "{numbers}");
}

#[tokio::test]
async fn a_sandbox_is_disabled_enabled_and_removed_with_its_client() {
    let (patchbay, client, sandbox, _sink) = shared().await;
    let switch = |action: &str| patchbay.admin(&["client", action, "--client", &client.client_ref]);

    switch("disable");
    let refused = sandbox.get("/api/v1/users/me").await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(refused.text.contains("the client of this API key is disabled"), "{}", refused.text);
    switch("enable");
    assert_eq!(sandbox.get("/api/v1/users/me").await.status, 200);

    let asked = patchbay.refused(&["client", "remove", "--client", &client.client_ref]);
    assert!(asked.contains("its sandbox with all test messages"), "{asked}");
    patchbay.admin(&["client", "remove", "--client", &client.client_ref, "--yes"]);
    for key_owner in [&client, &sandbox] {
        assert_eq!(key_owner.get("/api/v1/users/me").await.status, 401);
    }
    let mut db = patchbay.database().await;
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM client WHERE client_ref LIKE $1 || '%'")
        .bind(format!("{}:", client.client_ref))
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(left, 0);
}
