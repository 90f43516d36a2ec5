//! Chats over SMS: an incoming SMS begins one. Plugins see the channel.

use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, guest};
use serde_json::{Value, json};

const SMS: &str = "/whatsapp-api-service/v2/channels/sms";
const SOURCE: &str = "PATCHBAY";

/// A client with the guests `clerk` and `stamping-shaper`, and a phone that has received an SMS.
async fn stage() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    client.activate("clerk").await;
    client.activate("stamping-shaper").await;
    let phone = patchbay.new_phone();
    let payload = json!({ "messages": [{ "recipients": [{ "to": phone.msisdn }], "messageText": "Coming?" }] });
    client.post(SMS, &payload).await.accepted();
    phone.receives("the SMS", |message| message["text"] == "Coming?").await;
    (patchbay, client, sink, phone)
}

/// The stamped body of a webhook about a text that begins with `words`.
async fn stamped(sink: &WebhookSink, webhook: &str, words: &str) -> Value {
    let begins = |body: &Value| body["words"].as_str().is_some_and(|said| said.starts_with(words));
    sink.receives(webhook, "the stamped body", begins).await
}

#[tokio::test]
async fn a_chatbot_and_a_shaper_can_tell_a_chat_over_sms_from_one_on_whatsapp() {
    let (patchbay, client, sink, phone) = stage().await;

    phone.write_sms(SOURCE, "where").await;

    let answers = |message: &Value| message["text"].as_str().is_some_and(|text| text.starts_with("on sms"));
    phone.receives("the answer", |message| message["channel"] == "SMS" && answers(message)).await;
    for webhook in ["incoming", "chatbot"] {
        assert_eq!(stamped(&sink, webhook, "where").await["channel"], "SMS", "{webhook}");
    }
    assert_eq!(stamped(&sink, "chatbot", "on sms").await["channel"], "SMS", "the answer of the chatbot, too");

    let other = patchbay.new_phone();
    other.write(&client.number, "where").await;
    let answer = format!("on whatsapp at {}", client.number);
    other.receives("the answer on WhatsApp", |message| message["text"] == answer.as_str()).await;
    let told = stamped(&sink, "chatbot", &answer).await;
    assert!(told.get("channel").is_none(), "{told}");
}

#[tokio::test]
async fn a_router_can_tell_a_chat_over_sms() {
    let (_patchbay, client, _sink, phone) = stage().await;
    client.install("usher", guest("usher")).await;

    phone.write_sms(SOURCE, "where").await;

    let decision = eventually("the decision", || async { client.decisions().await.pop() }).await;
    let reason = decision["reason"].as_str().unwrap();
    assert!(reason.starts_with("on Channel::Sms"), "{reason}");
}

#[tokio::test]
async fn a_first_sms_to_a_number_of_only_one_client_starts_a_chat_of_that_client() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other, sink) = (patchbay.new_bare_client(), patchbay.new_bare_client(), WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    let number = || format!("27{}", &patchbay.new_phone().msisdn[2..]);
    let (own, shared) = (number(), number());
    for (client, address) in [(&client, &own), (&client, &shared), (&other, &shared)] {
        patchbay.admin(&["sms-source", "add", "--client", &client.client_ref, "--address", address]);
    }
    let phone = patchbay.new_phone();
    phone.write_sms(&shared, "to whom?").await;
    phone.write_sms(&own, "is anybody there?").await;

    let told = sink.receives("incoming", "the SMS", |body| body["text"] == "is anybody there?").await;

    assert_eq!((&told["sender"], &told["receiver"]), (&json!(phone.msisdn), &json!(own)));
    let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
    let chats = chats["content"].as_array().unwrap();
    assert_eq!(chats.len(), 1, "an SMS to a number of several clients opens no chat: {chats:?}");
    phone.write_sms(&own, "STOP").await;
    eventually("the stop", || async {
        let stopped = patchbay.rows_of(&client.client_ref).await["sms_opt_out"];
        (stopped == 1).then_some(())
    })
    .await;
}
