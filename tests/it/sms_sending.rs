//! Text messages through the send endpoints (SPEC 2.3, 2.5, 4.1; part 8): `/v2/channels/sms`, and the unified endpoint
//! with `channel` `SMS`.

use harness::{ClientReply, SharedPatchbay, TestClient, TestPhone, WebhookSink};
use reqwest::Method;
use serde_json::{Value, json};

const SMS: &str = "/whatsapp-api-service/v2/channels/sms";

async fn stage() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();
    (patchbay, client, sink, phone)
}

fn payload(to: &str, text: &str) -> Value {
    json!({ "messages": [{ "recipients": [{ "to": to, "ctId": format!("ct-{to}") }], "messageText": text }] })
}

async fn sms(phone: &TestPhone) -> Value {
    phone.receives("the SMS", |message| message["channel"] == "SMS").await
}

fn rejected(answer: &Value) -> Vec<(&str, &str)> {
    let entries = answer["rejectedRecipients"].as_array().unwrap();
    entries.iter().map(|entry| (entry["number"].as_str().unwrap(), entry["reason"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn an_sms_reaches_the_phone_from_the_default_source_and_its_states_are_reported_with_their_channel() {
    let (_patchbay, client, sink, phone) = stage().await;

    let answer = client.post(SMS, &payload(&phone.msisdn, "Your order is ready.")).await.accepted();

    let sms = sms(&phone).await;
    assert_eq!((&sms["text"], &sms["from"]), (&json!("Your order is ready."), &json!("PATCHBAY")));
    let ct_id = format!("ct-{}", phone.msisdn);
    let states = client.statuses(&sink, &ct_id, "DELIVERED").await;
    assert_eq!(states, ["ACCEPTED", "SENT", "DELIVERED"]);
    for body in sink.bodies("status") {
        assert_eq!((&body["channel"], &body["sender"]), (&json!("SMS"), &json!("PATCHBAY")), "{body}");
        assert_eq!((&body["receiver"], &body["requestId"]), (&json!(phone.msisdn), &answer["requestId"]), "{body}");
    }
}

#[tokio::test]
async fn both_endpoints_answer_every_field_with_the_channel_sms() {
    let (_patchbay, client, _sink, phone) = stage().await;
    let body = payload(&phone.msisdn, "hi");
    let unified = json!({ "channel": "SMS", "payload": body });

    for reply in [client.post(SMS, &body).await, client.post("/whatsapp-api-service/v2/messages", &unified).await] {
        let answer = reply.accepted();
        for field in ["response", "batchId", "reqObject", "message", "requestId", "timestamp"] {
            assert!(answer.get(field).is_some(), "no {field} in {answer}");
        }
        assert_eq!((&answer["status"], &answer["channel"]), (&json!("ACCEPTED"), &json!("SMS")));
        assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(1), &json!(0)));
        assert_eq!(answer["rejectedRecipients"], json!([]));
    }
    sms(&phone).await;
}

#[tokio::test]
async fn a_long_text_goes_in_parts_and_is_reported_once() {
    let (_patchbay, client, sink, phone) = stage().await;
    let text = "a".repeat(307);

    client.post(SMS, &payload(&phone.msisdn, &text)).await.accepted();

    let sms = sms(&phone).await;
    assert_eq!((&sms["text"], &sms["parts"], &sms["dataCoding"]), (&json!(text), &json!(3), &json!(0)));
    let states = client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
    assert_eq!(states, ["ACCEPTED", "SENT", "DELIVERED"]);
}

#[tokio::test]
async fn unicode_can_be_asked_for_and_has_seventy_characters_a_part() {
    let (_patchbay, client, sink, phone) = stage().await;
    let mut body = payload(&phone.msisdn, &"a".repeat(71));
    body["unicode"] = json!(true);

    client.post(SMS, &body).await.accepted();

    let sms = sms(&phone).await;
    assert_eq!((&sms["parts"], &sms["dataCoding"]), (&json!(2), &json!(8)));
    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
}

#[tokio::test]
async fn an_sms_that_does_not_arrive_fails_with_its_channel() {
    let (_patchbay, client, sink, phone) = stage().await;
    phone.set(json!({ "smsState": "UNDELIV" })).await;

    client.post(SMS, &payload(&phone.msisdn, "hi")).await.accepted();

    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "FAILED").await;
    let failed = sink.bodies("status").pop().unwrap();
    assert_eq!((&failed["channel"], &failed["errorCode"]), (&json!("SMS"), &json!("900452")));
}

#[tokio::test]
async fn only_numbers_get_an_sms() {
    let (_patchbay, client, _sink, phone) = stage().await;
    let mut body = payload(&phone.msisdn, "hi");
    body["messages"][0]["recipients"] = json!([
        { "to": phone.msisdn, "customerUserId": "ZA.1" }, { "customerUserId": "ZA.1" }, { "to": "0821234567" },
    ]);

    let answer = client.post(SMS, &body).await.accepted();

    assert_eq!((&answer["status"], &answer["acceptedCount"]), (&json!("PARTIAL"), &json!(1)));
    let rejected = rejected(&answer);
    assert_eq!([rejected[0].0, rejected[1].0], ["ZA.1", "0821234567"]);
    assert!(rejected[0].1.contains("phone number"), "{rejected:?}");
}

#[tokio::test]
async fn the_source_is_one_of_the_clients_own() {
    let (_patchbay, client, _sink, phone) = stage().await;
    let mut body = payload(&phone.msisdn, "hi");
    body["sender"] = json!("PATCHBAY");
    client.post(SMS, &body).await.accepted();
    body["sender"] = json!(client.number);
    assert_eq!(client.post(SMS, &body).await.faulty_fields(), ["sender"], "a WhatsApp number is no source of SMS");
    let unified = json!({ "channel": "SMS", "payload": body });
    assert_eq!(client.post("/whatsapp-api-service/v2/messages", &unified).await.faulty_fields(), ["payload.sender"]);
}

#[tokio::test]
async fn content_of_whatsapp_only_is_refused_by_name() {
    let (patchbay, client, _sink, phone) = stage().await;
    let body = json!({
        "templateName": "order_ready",
        "messages": [
            { "recipients": [{ "to": phone.msisdn }], "media": { "url": "https://files.example/a.png" } },
            { "recipients": [{ "to": phone.msisdn }], "messageText": "hi", "components": [] },
            { "recipients": [], "messageText": "a".repeat(40_000) },
        ],
    });

    let fields = client.post(SMS, &body).await.faulty_fields();

    let expected = [
        "templateName",
        "messages[0].media",
        "messages[0].messageText",
        "messages[1].components",
        "messages[2].messageText",
        "messages[2].recipients",
    ];
    assert_eq!(fields, expected);
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 0);
}

#[tokio::test]
async fn a_repeated_key_replays_the_answer_and_sends_nothing() {
    let (patchbay, client, _sink, phone) = stage().await;
    let body = payload(&phone.msisdn, "once");
    let send = || async { client.request(Method::POST, SMS, Some(&body), &[("Idempotency-Key", "sms-1")]).await };

    let (first, second): (ClientReply, ClientReply) = (send().await, send().await);

    assert_eq!(first.accepted(), second.accepted());
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 1);
    sms(&phone).await;
}
