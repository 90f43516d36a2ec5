//! Quick replies that keep a conversation open or end it (SPEC 2.3, 3.1; PROVIDERS A.3).

use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

use super::{close, only, opened};

/// Sends the survey and returns the message on the phone. Its first button keeps a conversation open, the second ends
/// it.
async fn survey(client: &TestClient, phone: &TestPhone, path: &str) -> Value {
    let seen = phone.inbox().await.len();
    let buttons = json!([{ "type": "button", "conversationParameters": [
        { "payload": "GO-ON", "conversationState": "start" },
        { "payload": "THAT-IS-ALL", "conversationState": "end" },
    ] }]);
    let payload = client.template("survey", &phone.msisdn, buttons);
    assert_eq!(client.post(path, &payload).await.accepted()["acceptedCount"], 1);
    eventually("the survey", || async { phone.inbox().await.get(seen).cloned() }).await
}

const JSON: &str = "/whatsapp-api-service/v2/json";
const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";

/// Taps a button, and returns the body of the incoming webhook.
async fn tap(phone: &TestPhone, sink: &WebhookSink, shown: &Value, button: &str) -> Value {
    let before = sink.bodies("incoming").len();
    phone.tap(shown["id"].as_str().unwrap(), button).await;
    eventually("the incoming webhook", || async { sink.bodies("incoming").get(before).cloned() }).await
}

async fn in_touch() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone, sink) = (patchbay.new_client().await, patchbay.new_phone(), WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink, phone)
}

#[tokio::test]
async fn a_tap_on_end_closes_the_conversation_and_the_webhook_shows_the_clients_payload() {
    let (patchbay, client, sink, phone) = in_touch().await;
    for path in [JSON, CHANNEL] {
        let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
        let shown = survey(&client, &phone, path).await;

        let incoming = tap(&phone, &sink, &shown, "Bad").await;

        assert_eq!((&incoming["buttonText"], &incoming["buttonPayload"]), (&json!("Bad"), &json!("THAT-IS-ALL")));
        assert_eq!((&incoming["conversationId"], &incoming["messageType"]), (&json!(id), &json!("CONVERSATION")));
        let again = close(&client, &id).await.ok();
        assert_eq!(again["closeStatus"], false);
        assert!(again["closeMessage"].as_str().unwrap().contains("button"), "{again}");
        assert_eq!(again["tqrmtId"], incoming["tqrmtId"]);
        assert!(again["tqrmtId"].is_string());
    }
    let sent = patchbay.provider_sends(&client).await;
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|one| !one["body"].to_string().contains("THAT-IS-ALL")), "the provider sees tokens only");
    let webhooks = format!("{:?}{:?}", sink.bodies("incoming"), sink.bodies("chatbot"));
    assert!(!webhooks.contains("pb1:"), "no webhook shows a token of ours: {webhooks}");
}

#[tokio::test]
async fn a_tap_on_start_keeps_the_conversation_open() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let shown = survey(&client, &phone, JSON).await;

    let incoming = tap(&phone, &sink, &shown, "Good").await;

    assert_eq!((&incoming["buttonPayload"], &incoming["conversationId"]), (&json!("GO-ON"), &json!(id)));
    assert_eq!(only(&client).await["conversationState"], "ACTIVE");
    let closed = close(&client, &id).await.ok();
    assert_eq!((&closed["closeStatus"], &closed["tqrmtId"]), (&json!(true), &incoming["tqrmtId"]));
}

#[tokio::test]
async fn a_tap_without_a_conversation_opens_and_closes_none() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    for (path, button) in [(JSON, "Bad"), (CHANNEL, "Good")] {
        let shown = survey(&client, &phone, path).await;
        let incoming = tap(&phone, &sink, &shown, button).await;
        assert!(incoming.get("conversationId").is_none(), "{incoming}");
    }
    let list = client.get(&format!("{}/getAllWhatsAppConversationsForCurrentUser", super::PATH)).await.ok();
    assert_eq!(list["totalElements"], 0);
}

#[tokio::test]
async fn a_button_of_an_earlier_conversation_does_not_close_the_present_one() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    let first = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let shown = survey(&client, &phone, JSON).await;
    close(&client, &first).await.ok();
    let second = opened(&client, json!({ "recipient": phone.msisdn })).await;

    let incoming = tap(&phone, &sink, &shown, "Bad").await;

    assert_eq!(
        incoming["conversationId"], second,
        "what the customer writes is part of the conversation that is active"
    );
    assert_eq!(close(&client, &second).await.ok()["closeStatus"], true, "it was open still");
}

#[tokio::test]
async fn a_tap_of_one_customer_closes_no_conversation_of_another() {
    let (patchbay, client, sink, phone) = in_touch().await;
    let other = patchbay.new_phone();
    let theirs = opened(&client, json!({ "recipient": other.msisdn })).await;
    let shown = survey(&client, &phone, CHANNEL).await;

    tap(&phone, &sink, &shown, "Bad").await;

    assert_eq!(close(&client, &theirs).await.ok()["closeStatus"], true);
}
