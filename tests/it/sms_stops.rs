//! Replies to SMS of the send endpoints, and their opt-outs: the fallback and `/v2/channels/sms` (SPEC 2.4, 4.1, 4.8).

use harness::{Patchbay, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

const SMS: &str = "/whatsapp-api-service/v2/channels/sms";
const CHATS: &str = "/chat-service/api/v2/chats";
const MESSAGES: &str = "/chat-service/api/v2/messages";
const SOURCE: &str = "PATCHBAY";

async fn stage() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    (patchbay, client, sink, phone)
}

fn payload(to: &str, text: &str) -> Value {
    json!({ "messages": [{ "recipients": [{ "to": to, "ctId": format!("{text}-{to}") }], "messageText": text }] })
}

async fn sms(phone: &TestPhone, text: &str) -> Value {
    phone.receives("the SMS", |message| message["channel"] == "SMS" && message["text"] == text).await
}

/// Sends a message that cannot arrive on WhatsApp, with this text for the SMS.
async fn fall_back(client: &TestClient, phone: &TestPhone, text: &str) {
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": text });
    client.send(&payload).await.accepted();
}

async fn chat_of(client: &TestClient, phone: &TestPhone) -> Value {
    let path = format!("{CHATS}?scope=all&search={}", phone.msisdn);
    eventually("the chat", || async { client.get(&path).await.ok()["content"].as_array().unwrap().first().cloned() })
        .await
}

async fn stopped(patchbay: &Patchbay, client: &TestClient, phone: &TestPhone, wanted: bool) {
    eventually("the list", || async {
        let answer = patchbay.sms(client, "/sms/getUnsubscribelist", &json!({})).await.ok();
        let found = answer["numbers"].as_array().unwrap().contains(&json!(phone.msisdn));
        (found == wanted).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_reply_to_a_fallback_is_in_a_chat_that_is_answered_by_sms() {
    let (_patchbay, client, sink, phone) = stage().await;
    fall_back(&client, &phone, "Your order is ready").await;
    sms(&phone, "Your order is ready").await;

    phone.write_sms(SOURCE, "Where do I fetch it?").await;

    let chat = chat_of(&client, &phone).await;
    assert_eq!(chat["channel"], "SMS", "{chat}");
    let told = eventually("the webhook", || async { sink.bodies("incoming").pop() }).await;
    assert_eq!((&told["text"], &told["sender"]), (&json!("Where do I fetch it?"), &json!(phone.msisdn)), "{told}");
    let id = chat["id"].as_str().unwrap();
    let past = client.get(&format!("{MESSAGES}?participantId={id}")).await.ok();
    assert_eq!(past[0]["text"], "Where do I fetch it?", "{past}");
}

#[tokio::test]
async fn an_sms_whose_source_a_router_chose_is_answered_and_stopped_at_that_source() {
    let (patchbay, client, _sink, phone) = stage().await;
    let source = format!("R{}", &phone.msisdn[phone.msisdn.len() - 8..]);
    let config = json!({ "rules": [{ "source": source }] });
    client.put_in_force("sms-router", json!({ "mode": "live", "config": config })).await;
    fall_back(&client, &phone, "Your order is ready").await;
    assert_eq!(sms(&phone, "Your order is ready").await["from"], source);

    phone.write_sms(&source, "Where do I fetch it?").await;
    assert_eq!(chat_of(&client, &phone).await["channel"], "SMS");

    phone.write_sms(&source, "STOP").await;
    stopped(&patchbay, &client, &phone, true).await;
}

#[tokio::test]
async fn a_long_reply_to_an_sms_of_the_send_endpoints_is_one_message_of_its_chat() {
    let (_patchbay, client, sink, phone) = stage().await;
    client.post(SMS, &payload(&phone.msisdn, "Coming?")).await.accepted();
    sms(&phone, "Coming?").await;
    let long = "yes ".repeat(90).trim().to_owned();

    phone.write_sms(SOURCE, &long).await;

    let told = eventually("the webhook", || async { sink.bodies("incoming").pop() }).await;
    assert_eq!(told["text"], long);
    assert_eq!(sink.bodies("incoming").len(), 1, "its parts are joined");
}

#[tokio::test]
async fn the_answer_in_the_chat_counts_as_the_latest_send() {
    let (patchbay, client, sink, phone) = stage().await;
    client.activate("default-chatbot").await;
    client.post(SMS, &payload(&phone.msisdn, "Coming?")).await.accepted();
    sms(&phone, "Coming?").await;

    phone.write_sms(SOURCE, "hello").await;
    phone
        .receives("the answer of the chatbot", |message| message["channel"] == "SMS" && message["text"] != "Coming?")
        .await;

    let other = patchbay.new_bare_client();
    patchbay.credits(&other, 5);
    phone.write_sms(SOURCE, "again").await;
    eventually("the second reply", || async { (sink.bodies("incoming").len() == 2).then_some(()) }).await;
}

#[tokio::test]
async fn a_stopped_subscriber_gets_no_sms_of_any_product() {
    let (patchbay, client, sink, phone) = stage().await;
    patchbay.credits(&client, 10);
    client.post(SMS, &payload(&phone.msisdn, "One")).await.accepted();
    client.statuses(&sink, &format!("One-{}", phone.msisdn), "DELIVERED").await;
    let before = patchbay.sms_balance(&client).await;

    phone.write_sms(SOURCE, " Quit\n").await;
    stopped(&patchbay, &client, &phone, true).await;

    let answer = client.post(SMS, &payload(&phone.msisdn, "Two")).await.accepted();
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(0), &json!(1)), "{answer}");
    assert!(answer["rejectedRecipients"][0]["reason"].as_str().unwrap().contains("stopped"), "{answer}");
    fall_back(&client, &phone, "Three").await;
    let ct_id = format!("ct-{}", phone.msisdn);
    client.statuses(&sink, &ct_id, "FAILED").await;
    let failed = sink.bodies("status").into_iter().find(|body| body["status"] == "FAILED").unwrap();
    assert_eq!((&failed["channel"], &failed["errorCode"]), (&json!("SMS"), &json!("900470")), "{failed}");
    assert_eq!(patchbay.sms_balance(&client).await, before, "an unsent message costs nothing");
    let page = client.get(&format!("{CHATS}?scope=all&search={}", phone.msisdn)).await.ok();
    assert_eq!(page["content"], json!([]), "no agent has to answer a stop");

    phone.write_sms(SOURCE, "START").await;
    stopped(&patchbay, &client, &phone, false).await;
    client.post(SMS, &payload(&phone.msisdn, "Four")).await.accepted();
    sms(&phone, "Four").await;
    let got = phone.inbox().await;
    assert!(got.iter().all(|message| message["text"] != "Two" && message["text"] != "Three"), "{got:?}");
}
