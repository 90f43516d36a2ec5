//! The calls of a client about its webhooks: attempts with their answers, resending, pings, and the event about a
//! webhook that was turned off.

use std::time::Duration;

use harness::{ClientReply, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

/// The path of a call about a configuration.
fn of(configuration: &Value, rest: &str) -> String {
    format!("{CONFIGURATIONS}/{}{rest}", configuration["id"].as_str().unwrap())
}

async fn put(client: &TestClient, body: Value) -> ClientReply {
    client.request(Method::PUT, CONFIGURATIONS, Some(&body), &[]).await
}

async fn attempts(client: &TestClient, configuration: &Value, query: &str, count: u64) -> Vec<Value> {
    eventually(&format!("{count} attempts of {query}"), || async {
        let page = client.get(&of(configuration, &format!("/attempts?{query}"))).await.ok();
        (page["totalElements"].as_u64().unwrap() >= count).then(|| page["content"].as_array().unwrap().clone())
    })
    .await
}

async fn delivery(client: &TestClient, configuration: &Value, id: &Value) -> Value {
    client.get(&of(configuration, &format!("/deliveries/{}", id.as_str().unwrap()))).await.ok()
}

async fn health(client: &TestClient, configuration: &Value, webhook: &str) -> Value {
    let all = client.get(&of(configuration, "/health")).await.ok();
    all.as_array().unwrap().iter().find(|one| one["webhookType"] == webhook).unwrap().clone()
}

async fn turned_off(client: &TestClient, configuration: &Value, webhook: &str) -> Value {
    eventually("the webhook to be turned off", || async {
        let health = health(client, configuration, webhook).await;
        (health["state"] == "DISABLED").then_some(health)
    })
    .await
}

#[tokio::test]
async fn an_attempt_shows_its_code_its_time_and_the_first_kilobyte_of_the_answer() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let configuration = client.webhooks_to(&sink, "v2").await;
    sink.answers("incoming", "thank you");
    sink.answers("chatbot", &"x".repeat(5_000));
    sink.misbehave("chatbot", 500, Duration::ZERO, 1);
    patchbay.new_phone().write(&client.number, "hello").await;

    let made = attempts(&client, &configuration, "", 2).await;

    let one = |webhook: &str| made.iter().find(|one| one["webhookType"] == webhook).unwrap().clone();
    let (received, failed) = (one("INCOMING_MESSAGE"), one("CHATBOT"));
    assert_eq!((&received["statusCode"], &received["response"]), (&json!(200), &json!("thank you")));
    assert_eq!((&received["attempt"], received.get("error")), (&json!(1), None));
    assert!(received["time"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().is_ok(), "{received}");
    assert!(received["durationMillis"].is_u64());
    let header = sink.received("incoming")[0].header("webhook-id");
    assert_eq!(received["deliveryId"], header.as_str(), "the receiver knows it by the same id");
    assert_eq!(failed["statusCode"], 500);
    assert_eq!(failed["response"].as_str().unwrap().len(), 1024);
    assert!(failed["error"].as_str().unwrap().contains("500"), "{failed}");
    let shown = attempts(&client, &configuration, "failed=true", 1).await;
    assert_eq!(shown, std::slice::from_ref(&failed));
    let shown = attempts(&client, &configuration, "webhookType=INCOMING_MESSAGE&failed=false", 1).await;
    assert_eq!(shown, std::slice::from_ref(&received));

    let whole = delivery(&client, &configuration, &received["deliveryId"]).await;
    assert_eq!((&whole["state"], &whole["webhookType"]), (&json!("DELIVERED"), &json!("INCOMING_MESSAGE")));
    assert_eq!(whole["whatsAppNumber"], client.number.as_str());
    assert_eq!(whole["body"].as_str().unwrap().as_bytes(), &sink.received("incoming")[0].body[..]);
    assert_eq!(whole["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(whole.get("nextAttemptTime"), None);
    let whole = delivery(&client, &configuration, &failed["deliveryId"]).await;
    assert_eq!(whole["state"], "PENDING");
    assert!(whole["nextAttemptTime"].is_string(), "{whole}");
}

#[tokio::test]
async fn attempts_are_listed_newest_first_and_in_pages() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let body = json!({ "incomingMessageURL": sink.url("incoming") });
    let configuration = client.post(CONFIGURATIONS, &body).await.ok();
    let phone = patchbay.new_phone();
    for count in 1..=3 {
        phone.write(&client.number, &format!("message {count}")).await;
        attempts(&client, &configuration, "", count).await;
    }

    let page = client.get(&of(&configuration, "/attempts?size=2")).await.ok();
    let last = client.get(&of(&configuration, "/attempts?size=2&page=1")).await.ok();

    assert_eq!((&page["totalElements"], &page["totalPages"], &page["last"]), (&json!(3), &json!(2), &json!(false)));
    let ids = |page: &Value| -> Vec<String> {
        page["content"].as_array().unwrap().iter().map(|one| one["deliveryId"].as_str().unwrap().to_owned()).collect()
    };
    let newest_first: Vec<String> = ids(&page).into_iter().chain(ids(&last)).collect();
    let mut sent: Vec<String> = sink.received("incoming").iter().map(|one| one.header("webhook-id")).collect();
    sent.reverse();
    assert_eq!(newest_first, sent);
    for (query, field) in [("webhookType=SMS", "webhookType"), ("failed=maybe", "failed"), ("size=0", "size")] {
        assert_eq!(client.get(&of(&configuration, &format!("/attempts?{query}"))).await.faulty_fields(), [field]);
    }
}

#[tokio::test]
async fn a_delivery_is_sent_again_with_the_same_id_and_bytes_even_if_it_was_received() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let configuration = client.webhooks_to(&sink, "v2").await;
    patchbay.new_phone().write(&client.number, "once more").await;
    let made = attempts(&client, &configuration, "webhookType=INCOMING_MESSAGE", 1).await;
    let path = of(&configuration, &format!("/deliveries/{}/resend", made[0]["deliveryId"].as_str().unwrap()));

    assert_eq!(client.post(&path, &json!({})).await.status, 202);

    let received = sink.receives_many("incoming", 2).await;
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    let made = attempts(&client, &configuration, "webhookType=INCOMING_MESSAGE", 2).await;
    assert_eq!((&made[0]["attempt"], &made[1]["attempt"]), (&json!(2), &json!(1)), "attempts go on counting");
}

#[tokio::test]
async fn health_counts_the_deliveries_that_wait_for_their_next_attempt() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let body = json!({ "incomingMessageURL": sink.url("incoming") });
    let configuration = client.post(CONFIGURATIONS, &body).await.ok();
    let waiting = async || health(&client, &configuration, "INCOMING_MESSAGE").await["waitingDeliveries"].clone();
    assert_eq!(waiting().await, 0);
    sink.misbehave("incoming", 500, Duration::ZERO, u32::MAX);
    patchbay.new_phone().write(&client.number, "hello").await;
    sink.receives_many("incoming", 1).await;
    assert_eq!(waiting().await, 1);
}

#[tokio::test]
async fn given_up_deliveries_are_sent_again_in_order_when_their_webhook_is_enabled() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let body = json!({ "incomingMessageURL": sink.url("incoming"), "eventWebhookURL": sink.url("events") });
    let configuration = client.post(CONFIGURATIONS, &body).await.ok();
    // The answer to the first is delayed, so that the others wait when it is refused permanently.
    sink.misbehave("incoming", 410, Duration::from_secs(8), 1);
    let phone = patchbay.new_phone();
    for text in ["first", "second", "third"] {
        phone.write(&client.number, text).await;
    }
    let failed = turned_off(&client, &configuration, "INCOMING_MESSAGE").await;
    assert_eq!(failed["waitingDeliveries"], 0, "{failed}");
    assert_eq!((&failed["disabledReason"], &failed["failedDeliveries"]), (&json!("GONE"), &json!(3)), "{failed}");
    let again = json!({ "since": "2020-01-01T00:00:00Z", "webhookType": "INCOMING_MESSAGE" });
    let refused = client.post(&of(&configuration, "/resend-failed"), &again).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("incomingMessageURL"), "{}", refused.text);

    put(&client, json!({ "id": configuration["id"], "incomingMessageURL": sink.url("incoming") })).await.ok();
    let later = json!({ "since": "2100-01-01T00:00:00Z" });
    let none = client.post(&of(&configuration, "/resend-failed"), &later).await;
    assert_eq!((none.status, none.json()), (202, json!({ "resent": 0, "more": false })));
    let before = json!({ "since": "2020-01-01T00:00:00Z", "until": "2020-01-02T00:00:00" });
    let none = client.post(&of(&configuration, "/resend-failed"), &before).await;
    assert_eq!((none.status, none.json()), (202, json!({ "resent": 0, "more": false })));
    let all = client.post(&of(&configuration, "/resend-failed"), &again).await;
    assert_eq!((all.status, all.json()), (202, json!({ "resent": 3, "more": false })));

    sink.receives_many("incoming", 4).await;
    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, ["first", "first", "second", "third"]);
    let healthy = eventually("nothing to be given up any more", || async {
        let health = health(&client, &configuration, "INCOMING_MESSAGE").await;
        (health["failedDeliveries"] == 0).then_some(health)
    })
    .await;
    assert_eq!((&healthy["state"], healthy.get("disabledReason")), (&json!("ON"), None));
    for since in ["yesterday", "-5000-01-01T00:00:00", "26-01-01T00:00:00"] {
        let faulty = client.post(&of(&configuration, "/resend-failed"), &json!({ "since": since })).await;
        assert_eq!(faulty.faulty_fields(), ["since"], "{since}");
    }
    for until in ["tomorrow", "2020-01-01T00:00:00Z", "+11000-01-01T00:00:00"] {
        let body = json!({ "since": "2020-01-01T00:00:00Z", "until": until });
        let faulty = client.post(&of(&configuration, "/resend-failed"), &body).await;
        assert_eq!(faulty.faulty_fields(), ["until"], "{until}");
    }
}

#[tokio::test]
async fn events_of_the_time_when_a_webhook_was_turned_off_are_sent_again_when_it_is_enabled() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let configuration = client.webhooks_to(&sink, "v2").await;
    sink.misbehave("incoming", 410, Duration::ZERO, 1);
    let phone = patchbay.new_phone();
    phone.write(&client.number, "first").await;
    turned_off(&client, &configuration, "INCOMING_MESSAGE").await;
    for text in ["second", "third", "fourth"] {
        phone.write(&client.number, text).await;
        sink.receives("chatbot", text, |event| event["messageText"] == text).await;
    }
    let off = health(&client, &configuration, "INCOMING_MESSAGE").await;
    assert_eq!((&off["failedDeliveries"], &off["waitingDeliveries"]), (&json!(4), &json!(0)), "{off}");
    let made = client.get(&of(&configuration, "/attempts?webhookType=INCOMING_MESSAGE")).await.ok();
    assert_eq!(made["totalElements"], 1, "nothing was tried while it was off: {made}");

    put(&client, json!({ "id": configuration["id"], "incomingMessageURL": sink.url("incoming") })).await.ok();
    let again = json!({ "since": "2020-01-01T00:00:00Z", "webhookType": "INCOMING_MESSAGE" });
    let resent = client.post(&of(&configuration, "/resend-failed"), &again).await;

    assert_eq!((resent.status, resent.json()), (202, json!({ "resent": 4, "more": false })));
    sink.receives_many("incoming", 5).await;
    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, ["first", "first", "second", "third", "fourth"]);
}

#[tokio::test]
async fn a_delivery_that_is_sent_again_has_the_whole_schedule_before_it() {
    let patchbay = PatchbaySetup::new().set("webhooks.retry_schedule", "[\"5s\"]").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    sink.misbehave("incoming", 503, Duration::ZERO, 4);
    let body = json!({ "incomingMessageURL": sink.url("incoming") });
    let configuration = client.post(CONFIGURATIONS, &body).await.ok();
    patchbay.phone("27820000001").write(&client.number, "stubborn").await;
    let made = attempts(&client, &configuration, "", 1).await;
    patchbay.advance_clock(10).await;
    attempts(&client, &configuration, "", 2).await;
    let id = &made[0]["deliveryId"];
    assert_eq!(delivery(&client, &configuration, id).await["state"], "FAILED");

    let path = of(&configuration, &format!("/deliveries/{}/resend", id.as_str().unwrap()));
    assert_eq!(client.post(&path, &json!({})).await.status, 202);
    attempts(&client, &configuration, "", 3).await;
    assert_eq!(delivery(&client, &configuration, id).await["state"], "PENDING", "a retry is planned again");
    patchbay.advance_clock(10).await;
    attempts(&client, &configuration, "", 4).await;
    assert_eq!(delivery(&client, &configuration, id).await["state"], "FAILED");
}

#[tokio::test]
async fn a_dropped_event_or_one_of_a_disabled_webhook_is_not_sent_again() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    sink.misbehave("incoming", 503, Duration::ZERO, u32::MAX);
    let configuration = client.webhooks_to(&sink, "v2").await;
    patchbay.phone("27820000001").write(&client.number, "unwanted").await;
    let made = attempts(&client, &configuration, "webhookType=INCOMING_MESSAGE", 1).await;
    let path = of(&configuration, &format!("/deliveries/{}/resend", made[0]["deliveryId"].as_str().unwrap()));
    put(&client, json!({ "id": configuration["id"], "incomingMessageURL": "" })).await.ok();
    eventually("the delivery to be dropped", || async {
        let delivery = delivery(&client, &configuration, &made[0]["deliveryId"]).await;
        (delivery["state"] == "DROPPED").then_some(())
    })
    .await;

    let off = client.post(&path, &json!({})).await;
    put(&client, json!({ "id": configuration["id"], "incomingMessageURL": sink.url("incoming") })).await.ok();
    let dropped = client.post(&path, &json!({})).await;

    assert_eq!((off.status, dropped.status), (409, 409), "{} {}", off.text, dropped.text);
    assert!(
        off.text.contains("incomingMessageURL") && dropped.text.contains("dropped"),
        "{} {}",
        off.text,
        dropped.text
    );
}

#[tokio::test]
async fn a_ping_is_signed_sent_at_once_and_returns_the_answer_of_the_receiver() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let configuration = client.webhooks_to(&sink, "v2").await;
    sink.answers("status", "pong");
    let ping = |webhook: &str| {
        let (client, path, body) = (client.clone(), of(&configuration, "/ping"), json!({ "webhookType": webhook }));
        async move { client.post(&path, &body).await }
    };

    let pinged = ping("STATUS_UPDATE").await.ok();

    assert_eq!(
        (&pinged["received"], &pinged["statusCode"], &pinged["response"]),
        (&json!(true), &json!(200), &json!("pong"))
    );
    assert_eq!(pinged["url"], sink.url("status"));
    let received = sink.received("status").remove(0);
    let body = received.json();
    assert_eq!((&body["eventType"], &body["webhookType"]), (&json!("TEST_PING"), &json!("STATUS_UPDATE")));
    assert_eq!(received.header("webhook-id"), pinged["id"].as_str().unwrap());
    let secret = client.get(&of(&configuration, "/secret")).await.ok()["secret"].as_str().unwrap().to_owned();
    assert!(crate::webhooks::peers::is_signed_by(&secret, &received));
    sink.misbehave("status", 302, Duration::ZERO, 1);
    let refused = ping("STATUS_UPDATE").await.ok();
    assert_eq!((&refused["received"], &refused["statusCode"]), (&json!(false), &json!(302)));
    assert!(refused["error"].as_str().unwrap().contains("redirects"), "{refused}");
    assert!(sink.received("elsewhere").is_empty());
    assert_eq!(ping("SESSION_STATUS").await.status, 409, "it has no address");
    assert_eq!(ping("STATUS").await.faulty_fields(), ["webhookType"]);
    let page = client.get(&of(&configuration, "/attempts")).await.ok();
    assert_eq!(page["totalElements"], 0, "a ping is no delivery");
}

#[tokio::test]
async fn a_disabled_webhook_is_reported_to_the_event_webhook() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let body = json!({ "incomingMessageURL": sink.url("incoming"), "eventWebhookURL": sink.url("events") });
    let default = client.post(CONFIGURATIONS, &body).await.ok();
    sink.misbehave("incoming", 410, Duration::ZERO, 2);
    let phone = patchbay.new_phone();
    phone.write(&client.number, "nobody is there").await;

    let told = sink.receives("events", "the partner event", |body| body["eventType"] == "WEBHOOK_DISABLED").await;

    let mut expected = json!({
        "eventType": "WEBHOOK_DISABLED",
        "webhookId": default["id"],
        "webhookType": "INCOMING_MESSAGE",
        "url": sink.url("incoming"),
        "reason": "GONE",
    });
    assert!(told["timestamp"].is_u64());
    expected["timestamp"] = told["timestamp"].clone();
    assert_eq!(told, expected, "the default is of no number");
    let off = turned_off(&client, &default, "INCOMING_MESSAGE").await;
    assert_eq!((&off["url"], &off["disabledReason"]), (&json!(sink.url("incoming")), &json!("GONE")));
    assert!(off["disabledTime"].is_string());

    let mut of_number = body.clone();
    of_number["whatsAppNumberId"] = json!(client.number_id);
    client.post(CONFIGURATIONS, &of_number).await.ok();
    phone.write(&client.number, "nor here").await;
    let told = sink.receives("events", "that of the override", |body| body["webhookId"] != default["id"]).await;
    assert_eq!(told["whatsAppNumber"], client.number.as_str());
}

#[tokio::test]
async fn a_disabled_address_is_not_notified_of_its_own_disabling() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    let body = json!({ "incomingMessageURL": sink.url("all"), "eventWebhookURL": sink.url("all") });
    let configuration = client.post(CONFIGURATIONS, &body).await.ok();
    sink.misbehave("all", 410, Duration::ZERO, u32::MAX);
    patchbay.new_phone().write(&client.number, "nobody is there").await;

    turned_off(&client, &configuration, "INCOMING_MESSAGE").await;

    let mut db = patchbay.database().await;
    let statement =
        "SELECT count(*) FROM webhook_delivery WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let stored: i64 = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!(stored, 1, "only the message");
    assert_eq!(health(&client, &configuration, "PARTNER_EVENT").await["state"], "ON");
}
