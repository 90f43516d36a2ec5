//! Rate and hours of sending of a Lite number (SPEC 8 "Lite throughput").

use harness::{Patchbay, PatchbaySetup, SharedPatchbay};
use reqwest::Method;
use serde_json::{Value, json};

use super::Lite;

#[tokio::test]
async fn the_configuration_is_read_and_changed_as_a_whole() {
    let patchbay = SharedPatchbay::get().await;
    let number = patchbay.new_phone().msisdn.replacen("2782", "2783", 1);
    let lite = Lite::new(&patchbay, patchbay.new_bare_client(), &number).await;
    let usual = json!({ "batchSize": 10, "throttleDelayMillis": 1000, "timeZone": "UTC" });
    assert_eq!(lite.ask(Method::GET, "/messageProcessing", None).await.ok(), usual);
    let changed = json!({ "batchSize": 3, "throttleDelayMillis": 200, "dailyStart": "08:00", "dailyEnd": "20:00" });
    lite.ask(Method::PUT, "/messageProcessing", Some(&changed)).await.ok();
    let now = lite.ask(Method::GET, "/messageProcessing", None).await.ok();
    assert_eq!(
        (&now["batchSize"], &now["dailyStart"], &now["dailyEnd"]),
        (&json!(3), &json!("08:00"), &json!("20:00"))
    );
    lite.ask(Method::PUT, "/messageProcessing", Some(&json!({}))).await.ok();
    assert_eq!(lite.ask(Method::GET, "/messageProcessing", None).await.ok(), usual);
    let wrong = json!({ "batchSize": 0, "throttleDelayMillis": 3_600_001, "dailyStart": "8" });
    let refused = lite.ask(Method::PUT, "/messageProcessing", Some(&wrong)).await;
    assert_eq!(refused.faulty_fields(), ["batchSize", "throttleDelayMillis", "dailyEnd"]);
}

#[tokio::test]
async fn messages_go_out_in_batches_with_the_delay_between_them() {
    let patchbay = SharedPatchbay::get().await;
    let number = patchbay.new_phone().msisdn.replacen("2782", "2783", 1);
    let lite = Lite::connected(&patchbay, patchbay.new_bare_client(), &number).await;
    let slow = json!({ "batchSize": 2, "throttleDelayMillis": 700 });
    lite.ask(Method::PUT, "/messageProcessing", Some(&slow)).await.ok();
    let phones: Vec<_> = (0..6).map(|_| patchbay.new_phone()).collect();
    let recipients: Vec<Value> = phones.iter().map(|phone| json!({ "to": phone.msisdn })).collect();
    let mut payload = lite.client.chat("27820000001", "one of six");
    payload["messages"][0]["recipients"] = json!(recipients);
    lite.client.send(&payload).await.accepted();
    let mut times = Vec::new();
    for phone in &phones {
        let message = phone.receives("its message", |message| message["text"] == "one of six").await;
        times.push(message["receivedTime"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap());
    }
    times.sort_unstable();
    for (first, second) in [(1, 2), (3, 4)] {
        let apart = (times[second] - times[first]).num_milliseconds();
        assert!(apart >= 600, "batches are {apart} ms apart: {times:?}");
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the hours must not contain the real time at the start of the program")]
async fn outside_its_hours_a_number_sends_nothing_and_within_them_it_does() {
    let patchbay = Patchbay::start().await;
    let lite = Lite::connected(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    let phone = patchbay.phone("27820000001");
    let now = chrono::Utc::now();
    let time = |hours: i64| (now + chrono::TimeDelta::hours(hours)).format("%H:%M").to_string();
    let hours = json!({ "batchSize": 10, "throttleDelayMillis": 0, "dailyStart": time(2), "dailyEnd": time(4) });
    lite.ask(Method::PUT, "/messageProcessing", Some(&hours)).await.ok();
    lite.sends(&phone, "in the morning").await;
    patchbay.until_logged("it is not the time of day at which the number sends").await;
    patchbay.advance_clock(3600).await;
    assert!(phone.inbox().await.is_empty());
    patchbay.advance_clock(3660).await;
    phone.receives("the message", |message| message["text"] == "in the morning").await;

    patchbay.advance_clock(2 * 3600).await;
    lite.sends(&phone, "at night").await;
    lite.ask(Method::PUT, "/messageProcessing", Some(&json!({}))).await.ok();
    phone.receives("the message that the change let out", |message| message["text"] == "at night").await;
}

#[tokio::test]
async fn on_the_host_name_of_lite_only_lite_numbers_send() {
    let patchbay = PatchbaySetup::new().set("server.lite_host", "lite.example").start().await;
    let mut client = patchbay.client("acme", "27110000001").await;
    let cloud = client.order_ready(&["27820000001"]);
    let path = "/whatsapp-api-service/v2/channels/whatsapp";
    let on_lite = [("Host", "lite.example:8443")];
    let refused = client.request(Method::POST, path, Some(&cloud), &on_lite).await;
    assert_eq!(refused.faulty_fields(), ["sender"]);
    assert!(refused.text.contains("is not a WhatsApp Lite number"), "{}", refused.text);
    let unified = json!({ "channel": "WHATSAPP", "payload": cloud });
    let refused = client.request(Method::POST, "/whatsapp-api-service/v2/messages", Some(&unified), &on_lite).await;
    assert_eq!(refused.faulty_fields(), ["payload.sender"]);
    client.send(&cloud).await.accepted();
    patchbay.lite_number(&client, "27831000001");
    client.number = "27831000001".to_owned();
    let lite = client.chat("27820000001", "hello");
    client.request(Method::POST, path, Some(&lite), &on_lite).await.accepted();
    client.send(&lite).await.accepted();
}
