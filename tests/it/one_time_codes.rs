//! One-time codes and similar templates, which WhatsApp accepts for phone numbers only: the result if one is sent to a
//! user id (PROVIDERS A.2, A.11: 131062).

use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const TEMPLATES: &str = "/messaging-service/WhatsApp/templates";

/// A client whose account has the template `code`, a sink for its reports, and a phone.
async fn stage() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    let url = format!("{}/v25.0/2{}/message_templates", patchbay.simulator_url(), client.number);
    let code = json!({ "name": "code", "language": "en", "category": "AUTHENTICATION", "components": [
        { "type": "BODY" },
        { "type": "BUTTONS", "buttons": [{ "type": "OTP", "otp_type": "COPY_CODE", "text": "Copy code" }] },
    ] });
    assert!(patchbay.http.post(url).bearer_auth("t").json(&code).send().await.unwrap().status().is_success());
    client.request(Method::POST, &format!("{TEMPLATES}/sync"), None, &[]).await.ok();
    let phone = patchbay.new_phone();
    (patchbay, client, sink, phone)
}

/// A payload that sends the code 4711 to a recipient.
async fn code(client: &TestClient, mut recipient: Value) -> Value {
    let found = client.get(&format!("{TEMPLATES}?searchString=code")).await.ok();
    recipient["ctId"] = json!("the-code");
    json!({
        "sender": client.number, "messageType": "NOTIFICATION",
        "templateName": "code", "templateId": found["content"][0]["id"],
        "messages": [{
            "recipients": [recipient],
            "components": [{ "type": "body", "parameters": ["4711"] }, { "type": "button", "parameters": ["4711"] }],
        }],
    })
}

async fn is_known(client: &TestClient, sink: &WebhookSink, phone: &TestPhone) {
    phone.write(&client.number, "hello").await;
    sink.receives("incoming", "the customer", |body| body["sender"] == phone.msisdn).await;
}

/// Sends to a user id a template that is not known to be for numbers only, and that the provider refuses.
async fn is_refused(client: &TestClient, phone: &TestPhone) {
    phone.set(json!({ "rejectWith": { "status": 400, "code": 131_062 } })).await;
    let mut payload = client.order_ready(&[]);
    payload["messages"][0]["recipients"] = json!([{ "customerUserId": phone.user_id().await, "ctId": "the-code" }]);
    client.send(&payload).await.accepted();
}

/// Leg, outcome, code and receiver of each provider call in the story of the code.
async fn calls(client: &TestClient, sink: &WebhookSink) -> Vec<Value> {
    let told = sink.receives("status", "a status", |body| body["ctId"] == "the-code").await;
    let path = format!("/messaging-service/WhatsApp/messages/{}", told["gstId"].as_str().unwrap());
    let story = client.get(&path).await.ok();
    let calls = story["timeline"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "PROVIDER_CALL");
    calls.map(|call| json!([call["leg"], call["outcome"], call["errorCode"], call["receiver"]])).collect()
}

/// The sends of templates at the provider, also refused ones. Messages of chatbots are left out.
async fn template_sends(patchbay: &SharedPatchbay, client: &TestClient) -> Vec<Value> {
    let sends = patchbay.provider_sends(client).await;
    sends.into_iter().filter(|send| send["body"]["type"] == "template").collect()
}

fn reason(answer: &Value) -> &str {
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(0), &json!(1)), "{answer}");
    answer["rejectedRecipients"][0]["reason"].as_str().unwrap()
}

#[tokio::test]
async fn a_code_for_a_user_id_goes_to_the_number_that_the_sender_knows_and_the_story_tells_it() {
    let (_patchbay, client, sink, phone) = stage().await;
    is_known(&client, &sink, &phone).await;
    let user_id = phone.user_id().await;

    client.send(&code(&client, json!({ "customerUserId": user_id })).await).await.accepted();

    let message = phone.receives("the code", |message| message["type"] == "template").await;
    assert_eq!((&message["body"]["to"], message["body"].get("recipient")), (&json!(phone.msisdn), None));
    assert_eq!(message["text"], "*4711* is your verification code.");
    assert_eq!(client.statuses(&sink, "the-code", "DELIVERED").await, ["ACCEPTED", "SENT", "DELIVERED"]);
    for status in sink.bodies("status") {
        let whom = (&status["receiver"], &status["recipientUserId"]);
        assert_eq!(whom, (&json!(phone.msisdn), &json!(user_id)), "{status}");
    }
    let expected = [json!([0, "REFUSED", "131062", user_id]), json!([1, "ACCEPTED", null, phone.msisdn])];
    assert_eq!(calls(&client, &sink).await, expected);
}

#[tokio::test]
async fn a_code_for_a_user_id_without_a_known_number_is_rejected_before_the_provider_is_asked() {
    let (patchbay, client, sink, phone) = stage().await;
    // Another client knows the number; this one knows only the user id, because the number is withheld.
    let other = patchbay.new_client().await;
    phone.write(&other.number, "hello").await;
    phone.set(json!({ "hidePhone": true, "username": "zo" })).await;
    phone.write(&client.number, "hello").await;
    let user_id = phone.user_id().await;
    sink.receives("incoming", "the customer", |body| body["senderUserId"] == user_id).await;

    let answer = client.send(&code(&client, json!({ "customerUserId": user_id })).await).await.accepted();

    let said = "a one-time code cannot be sent to a user id, and no phone number of this customer is known on the sender; give `to`";
    assert_eq!(reason(&answer), said);
    assert!(template_sends(&patchbay, &client).await.is_empty());
    let with_number = json!({ "customerUserId": user_id, "to": phone.msisdn });
    client.send(&code(&client, with_number).await).await.accepted();
    phone.receives("the code", |message| message["body"]["to"] == phone.msisdn).await;
}

#[tokio::test]
async fn no_code_goes_to_a_number_that_the_client_has_blocked() {
    let (patchbay, client, sink, phone) = stage().await;
    is_known(&client, &sink, &phone).await;
    let blocked = json!({ "recipients": [phone.msisdn] });
    client.post("/messaging-service/WhatsApp/blocklist", &blocked).await.ok();

    let to_the_user_id = code(&client, json!({ "customerUserId": phone.user_id().await })).await;
    assert!(reason(&client.send(&to_the_user_id).await.accepted()).contains("no phone number"));
    assert!(template_sends(&patchbay, &client).await.is_empty());
}

#[tokio::test]
async fn a_message_goes_to_the_number_once_and_then_fails() {
    let (patchbay, client, sink, phone) = stage().await;
    is_known(&client, &sink, &phone).await;
    is_refused(&client, &phone).await;

    assert_eq!(client.statuses(&sink, "the-code", "FAILED").await, ["FAILED"]);
    let failed = sink.receives("status", "the failure", |body| body["status"] == "FAILED").await;
    assert_eq!(failed["errorCode"], "131062");
    assert_eq!(template_sends(&patchbay, &client).await.len(), 2);
}

#[tokio::test]
async fn a_refused_user_id_without_a_known_number_fails() {
    let (patchbay, client, sink, phone) = stage().await;
    is_refused(&client, &phone).await;

    assert_eq!(client.statuses(&sink, "the-code", "FAILED").await, ["FAILED"]);
    assert_eq!(template_sends(&patchbay, &client).await.len(), 1);
}

#[tokio::test]
async fn a_code_for_a_number_that_is_not_on_whatsapp_goes_by_sms_and_not_to_the_given_user_id() {
    let (patchbay, client, _sink, phone) = stage().await;
    phone.set(json!({ "onWhatsApp": false })).await;
    let other = patchbay.new_phone().user_id().await;
    let mut payload = code(&client, json!({ "to": phone.msisdn, "customerUserId": other })).await;
    payload["fallback"] = json!({ "sendFallback": true, "text": "Your code is 4711" });
    client.send(&payload).await.accepted();

    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(sms["text"], "Your code is 4711");
    let sends = template_sends(&patchbay, &client).await;
    assert_eq!(sends.len(), 1, "only to the number: {sends:?}");
}

#[tokio::test]
async fn a_message_forwarded_to_another_address_has_the_state_of_that_leg() {
    let (_patchbay, client, sink, phone) = stage().await;
    is_known(&client, &sink, &phone).await;
    client.send(&code(&client, json!({ "customerUserId": phone.user_id().await })).await).await.accepted();
    client.statuses(&sink, "the-code", "DELIVERED").await;

    let path = "/messaging-service/WhatsApp/WhatsAppAnalytics/getConversationAnalyticsForCurrentLoginUser\
                ?messageType=NOTIFICATION&startDate=2020-01-01%2000:00:00&endDate=2090-01-01%2000:00:00";
    let expected = json!({
        "conversationSubmitted": 1, "conversationSent": 1, "conversationDelivered": 1, "conversationRead": 0,
        "conversationFailed": 0,
    });
    eventually("the counts", || async { (client.get(path).await.ok() == expected).then_some(()) }).await;
}
