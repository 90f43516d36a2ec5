//! Analytics of conversations (SPEC 2.11, 4.5).

use chrono::{DateTime, TimeDelta, Utc};
use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

use super::{create, opened};

const PATH: &str = "/messaging-service/WhatsApp/WhatsAppAnalytics/getConversationAnalyticsForCurrentLoginUser";

fn shown(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d%%20%H:%M:%S").to_string()
}

async fn counts(client: &TestClient, from: DateTime<Utc>, to: DateTime<Utc>, of: &str) -> Value {
    client.get(&format!("{PATH}?startDate={}&endDate={}&messageType={of}", shown(from), shown(to))).await.ok()
}

async fn clock(client: &TestClient) -> DateTime<Utc> {
    let opened = create(client, json!({ "recipient": "27829999999" })).await.ok();
    opened["createdTime"].as_str().unwrap().parse().unwrap()
}

fn five(submitted: i64, sent: i64, delivered: i64, read: i64, failed: i64) -> Value {
    json!({
        "conversationSubmitted": submitted,
        "conversationSent": sent,
        "conversationDelivered": delivered,
        "conversationRead": read,
        "conversationFailed": failed,
    })
}

/// A client with messages of three types: the texts were read, and a template to a number without WhatsApp failed.
async fn busy() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone, nowhere) = (patchbay.new_client().await, patchbay.new_phone(), patchbay.new_phone());
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    nowhere.set(json!({ "onWhatsApp": false })).await;
    phone.write(&client.number, "hello").await;
    sink.receives("incoming", "the incoming webhook", |_| true).await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
    client.send(&client.chat(&phone.msisdn, "a chat")).await.accepted();
    let text = json!({
        "sender": client.number,
        "messageType": "CONVERSATION",
        "messages": [{ "recipientNumbers": [{ "to": phone.msisdn }], "conversationId": id, "messageText": "a text" }],
    });
    client.post("/whatsapp-api-service/v2/json", &text).await.accepted();
    client.send(&client.order_ready(&[&nowhere.msisdn])).await.accepted();
    eventually("both texts", || async { (phone.inbox().await.len() == 2).then_some(()) }).await;
    phone.read().await;
    (patchbay, client, phone)
}

#[tokio::test]
async fn counts_are_of_the_period_of_the_type_and_of_the_client() {
    let (patchbay, client, _phone) = busy().await;
    let now = clock(&client).await;
    let (from, to) = (now - TimeDelta::hours(2), now + TimeDelta::hours(2));

    eventually("all counts", || async { (counts(&client, from, to, "").await == five(3, 2, 2, 2, 1)).then_some(()) })
        .await;

    assert_eq!(counts(&client, from, to, "CHAT").await, five(1, 1, 1, 1, 0));
    assert_eq!(counts(&client, from, to, "CONVERSATION").await, five(1, 1, 1, 1, 0));
    assert_eq!(counts(&client, from, to, "NOTIFICATION").await, five(1, 0, 0, 0, 1));
    assert_eq!(counts(&client, from, to, "SESSION24HOUR").await, five(0, 0, 0, 0, 0));
    assert_eq!(counts(&client, to, to, "").await, five(0, 0, 0, 0, 0));
    assert_eq!(counts(&client, from, from, "").await, five(0, 0, 0, 0, 0));
    let stranger = patchbay.new_client().await;
    assert_eq!(counts(&stranger, from, to, "").await, five(0, 0, 0, 0, 0));

    // Changes are added to the counts after a while, and stay the same.
    eventually("folded counts", || async {
        let mut db = patchbay.database().await;
        let unfolded = "SELECT NOT EXISTS (SELECT 1 FROM message_count_change WHERE client_id =
                        (SELECT id FROM client WHERE client_ref = $1))";
        let folded: bool = sqlx::query_scalar(unfolded).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        folded.then_some(())
    })
    .await;
    assert_eq!(counts(&client, from, to, "").await, five(3, 2, 2, 2, 1));
}

#[tokio::test]
async fn a_message_of_a_chatbot_counts_as_a_session_message() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    client.activate("default-chatbot").await;
    phone.write(&client.number, "hello").await;
    phone.receives("an answer", |_| true).await;
    let now = clock(&client).await;
    let (from, to) = (now - TimeDelta::hours(1), now + TimeDelta::hours(1));

    eventually("a delivered answer", || async {
        let counted = counts(&client, from, to, "SESSION24HOUR").await;
        (counted["conversationDelivered"].as_i64() > Some(0)).then_some(())
    })
    .await;
    assert_eq!(counts(&client, from, to, "CHAT").await, five(0, 0, 0, 0, 0));
}

#[tokio::test]
async fn both_dates_are_required_and_exactly_written() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let ask = |query: &'static str| {
        let client = client.clone();
        async move { client.get(&format!("{PATH}{query}")).await }
    };
    assert_eq!(ask("").await.faulty_fields(), ["startDate", "endDate"]);
    assert_eq!(ask("?startDate=2026-01-01%2000:00:00").await.faulty_fields(), ["endDate"]);
    let all = ask("?startDate=2026-01-01&endDate=2026-02-30%2000:00:00&messageType=SMS").await;
    assert_eq!(all.faulty_fields(), ["startDate", "endDate", "messageType"]);
    let backwards = ask("?startDate=2026-01-01%2000:00:01&endDate=2026-01-01%2000:00:00").await;
    assert_eq!(backwards.faulty_fields(), ["endDate"]);
    let years = ask("?startDate=-5000-01-01%2000:00:00&endDate=%2B262142-12-31%2023:59:59").await;
    assert_eq!(years.faulty_fields(), ["startDate", "endDate"]);
    let all_there_are = ask("?startDate=0001-01-01%2000:00:00&endDate=9999-12-31%2023:59:59").await;
    assert_eq!(all_there_are.ok(), five(0, 0, 0, 0, 0));
    let plus = ask("?startDate=2026-01-01+00:00:00&endDate=2026-01-01+00:00:00").await;
    assert_eq!(plus.ok(), five(0, 0, 0, 0, 0));
}
