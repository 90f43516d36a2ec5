//! Features of version 0.2.0 of the interface, for a chatbot and its client: cancelled timers, key-values that expire
//! and are listed, shown and erased, events of the business, a number without a chatbot.

use harness::{ClientReply, Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use crate::plugin_uploads::PLUGINS;

const BOT: &str = "clerk";
const EVENTS: &str = "/plugin-service/api/v1/custom-events";
const VALUES: &str = "/plugin-service/api/v1/plugins/clerk/key-values";

/// A separate server, for tests that move the clock.
async fn with_clock() -> (Patchbay, TestClient, TestPhone) {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.activate(BOT).await;
    let phone = patchbay.phone("27820000001");
    (patchbay, client, phone)
}

async fn with_bot() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate(BOT).await;
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

async fn asks(phone: &TestPhone, client: &TestClient, text: &str, answer: &str) {
    phone.write(&client.number, text).await;
    phone.receives(answer, |message| message["text"] == answer).await;
}

async fn texts(phone: &TestPhone) -> Vec<String> {
    phone.inbox().await.iter().map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn participant(db: &mut sqlx::PgConnection, client: &TestClient) -> String {
    let statement = "SELECT id::text FROM participant WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(db).await.unwrap()
}

async fn erase(client: &TestClient, query: &str) -> ClientReply {
    client.request(Method::DELETE, &format!("{VALUES}?{query}"), None, &[]).await
}

async fn keys(client: &TestClient, query: &str) -> Vec<String> {
    let page = client.get(&format!("{VALUES}?{query}")).await.ok();
    page["content"].as_array().unwrap().iter().map(|value| value["key"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_timer_that_was_cancelled_does_not_run_out() {
    let (patchbay, client, phone) = with_clock().await;
    asks(&phone, &client, "remind tea 60", "reminder tea set").await;
    asks(&phone, &client, "remind cake 90", "reminder cake set").await;
    asks(&phone, &client, "forget tea", "no reminder tea").await;
    asks(&phone, &client, "forget nothing", "no reminder nothing").await;

    patchbay.advance_clock(100).await;

    phone.receives("the other timer", |message| message["text"] == "time for cake").await;
    assert!(!texts(&phone).await.contains(&"time for tea".to_owned()));
}

#[tokio::test]
async fn a_value_exists_until_its_expiry() {
    let (patchbay, client, phone) = with_clock().await;
    asks(&phone, &client, "keep b-brief 60", "b-brief is kept").await;
    asks(&phone, &client, "keep a-lasting 6000", "a-lasting is kept").await;
    asks(&phone, &client, "keys", r#"keys ["a-lasting", "b-brief"]"#).await;
    asks(&phone, &client, "keys b", r#"keys ["b-brief"]"#).await;
    let chat = participant(&mut patchbay.database().await, &client).await;
    assert_eq!(keys(&client, &format!("participantId={chat}")).await, ["a-lasting", "b-brief"]);

    patchbay.advance_clock(61).await;

    asks(&phone, &client, "keys", r#"keys ["a-lasting"]"#).await;
    assert_eq!(keys(&client, &format!("participantId={chat}")).await, ["a-lasting"]);
    phone.write(&client.number, "keep never 0").await;
    let refused = client.keeps(BOT, "invocations", |call| call["outcome"] == "refused").await;
    assert!(refused["error"].as_str().unwrap().contains("1 to 31622400 seconds"), "{refused}");
}

#[tokio::test]
async fn a_client_sees_and_erases_the_values_of_its_plugin() {
    let (patchbay, client, phone) = with_bot().await;
    asks(&phone, &client, "count", "count 1").await;
    asks(&phone, &client, "total", "total 1").await;
    asks(&phone, &client, "keep order/1 600", "order/1 is kept").await;
    asks(&phone, &client, "keep order/2 600", "order/2 is kept").await;
    let chat = participant(&mut patchbay.database().await, &client).await;
    let of_chat = format!("participantId={chat}");

    let shared = client.get(VALUES).await.ok();
    assert_eq!(shared["content"], json!([{ "key": "count", "value": "1", "expiresTime": null }]));
    let page = client.get(&format!("{VALUES}?{of_chat}&prefix=order/&size=1")).await.ok();
    assert_eq!((&page["totalElements"], &page["content"][0]["value"]), (&json!(2), &json!("kept")));
    assert!(page["content"][0]["expiresTime"].is_string(), "{page}");

    assert_eq!(erase(&client, "").await.faulty_fields(), ["participantId"], "not everything by mistake");
    assert_eq!(erase(&client, "key=a&prefix=b").await.faulty_fields(), ["prefix"]);
    assert_eq!(erase(&client, "participantId=nonsense").await.faulty_fields(), ["participantId"]);
    assert_eq!(erase(&client, &format!("{of_chat}&key=order/1")).await.ok(), json!({ "erased": 1 }));
    assert_eq!(keys(&client, &of_chat).await, ["count", "order/2"]);
    assert_eq!(erase(&client, &of_chat).await.ok(), json!({ "erased": 2 }));
    assert_eq!(erase(&client, "key=count").await.ok(), json!({ "erased": 1 }));
    assert_eq!(erase(&client, "key=count").await.ok(), json!({ "erased": 0 }));
    asks(&phone, &client, "count", "count 1").await;
    asks(&phone, &client, "total", "total 1").await;
    for call in [
        client.get(&VALUES.replace(BOT, "nobody")).await.status,
        client.get(&format!("{VALUES}?{of_chat}&prefix={}", "x".repeat(129))).await.status,
    ] {
        assert!([400, 404].contains(&call), "{call}");
    }
}

#[tokio::test]
async fn a_chatbot_gets_a_custom_event_of_its_client() {
    let (patchbay, client, phone) = with_bot().await;
    let number = || json!({ "whatsAppNumberId": client.number_id, "customer": phone.msisdn });
    let raise = async |mut whom: Value, name: &str, payload: Value| {
        whom["name"] = json!(name);
        whom["payload"] = payload;
        client.post(EVENTS, &whom).await
    };
    assert_eq!(raise(number(), "early", Value::Null).await.status, 404, "no message was written yet");
    asks(&phone, &client, "say hi", "hi").await;

    let raised = raise(number(), "order-paid", json!({ "order": 1001 })).await;

    assert_eq!(raised.status, 202, "{}", raised.text);
    assert!(raised.json()["id"].is_string());
    phone.receives("the event", |message| message["text"] == r#"heard order-paid: {"order":1001}"#).await;
    let chat = participant(&mut patchbay.database().await, &client).await;
    assert_eq!(raise(json!({ "participantId": chat }), "bare", Value::Null).await.status, 202);
    phone.receives("the other event", |message| message["text"] == "heard bare: null").await;

    for (whom, name, payload, field) in [
        (number(), "", Value::Null, "name"),
        (number(), &*"x".repeat(65), Value::Null, "name"),
        (number(), "big", json!("x".repeat(17_000)), "payload"),
        (json!({}), "nobody", Value::Null, "participantId"),
        (json!({ "participantId": chat, "customer": "27820000001" }), "two", Value::Null, "participantId"),
        (json!({ "whatsAppNumberId": client.number_id, "customer": "nonsense" }), "who", Value::Null, "customer"),
        (
            json!({ "whatsAppNumberId": "nonsense", "customer": "27820000001" }),
            "where",
            Value::Null,
            "whatsAppNumberId",
        ),
        (json!({ "participantId": chat, "nonsense": 1 }), "what", Value::Null, "nonsense"),
    ] {
        assert_eq!(raise(whom, name, payload).await.faulty_fields(), [field], "{name}");
    }
    asks(&phone, &client, "person", "one moment").await;
    let refused = eventually("people to have the chat", || async {
        let refused = raise(json!({ "participantId": chat }), "late", Value::Null).await;
        (refused.status == 409).then_some(refused)
    });
    assert!(refused.await.text.contains("people have this chat"));
}

#[tokio::test]
async fn a_number_has_no_chatbot_while_the_client_has_one() {
    let (patchbay, client, phone) = with_bot().await;
    let activate = async |body: Value| client.post(&format!("{PLUGINS}/no-chatbot/activate"), &body).await;
    assert_eq!(activate(json!({})).await.faulty_fields(), ["whatsAppNumberId"]);
    let tried = activate(json!({ "whatsAppNumberId": client.number_id, "mode": "canary" })).await;
    assert_eq!(tried.faulty_fields(), ["mode"]);
    asks(&phone, &client, "say one", "one").await;

    let scope = json!({ "whatsAppNumberId": client.number_id });
    let activated = activate(scope.clone()).await.ok();

    assert_eq!((&activated["plugin"], &activated["mode"]), (&json!("no-chatbot"), &json!("live")));
    assert_eq!(client.in_force("no-chatbot").await.len(), 1);
    let quiet = patchbay.new_phone();
    quiet.write(&client.number, "say two").await;
    eventually("the chat to be with people", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT state FROM participant WHERE state = 'QUEUED'
            AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let queued: Vec<String> =
            sqlx::query_scalar(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
        (!queued.is_empty()).then_some(())
    })
    .await;
    assert_eq!(texts(&quiet).await, [""; 0]);
    let shadow = json!({ "whatsAppNumberId": client.number_id, "mode": "shadow" });
    let lonely = client.post(&format!("{PLUGINS}/{BOT}/activate"), &shadow).await;
    assert_eq!(lonely.status, 200, "the client's own is live: {}", lonely.text);

    let off = client.post(&format!("{PLUGINS}/no-chatbot/deactivate"), &scope).await;

    assert_eq!(off.status, 204, "{}", off.text);
    let third = patchbay.new_phone();
    asks(&third, &client, "say three", "three").await;
    let back = client.post(&format!("{PLUGINS}/no-chatbot/rollback"), &scope).await;
    assert_eq!(back.status, 200, "the activation that was switched off comes back: {}", back.text);
    let taken = client.post_raw(&format!("{PLUGINS}?name=no-chatbot"), "application/wasm", harness::guest(BOT)).await;
    assert_eq!(taken.faulty_fields(), ["name"]);
}
