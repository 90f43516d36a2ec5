//! The story of one message by its tracking id (CONTRACT 7), and the second address of a recipient (SPEC 2.2).

use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

const MESSAGES: &str = "/messaging-service/WhatsApp/messages";

async fn stage() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();
    (patchbay, client, sink, phone)
}

/// Waits until the story of the message to a phone satisfies `until`.
async fn story(client: &TestClient, sink: &WebhookSink, phone: &TestPhone, until: impl Fn(&Value) -> bool) -> Value {
    let ct_id = format!("ct-{}", phone.msisdn);
    let told =
        eventually("a status", || async { sink.bodies("status").into_iter().find(|body| body["ctId"] == ct_id) });
    let gst_id = told.await["gstId"].as_str().unwrap().to_owned();
    eventually("the story", || async {
        let story = client.get(&format!("{MESSAGES}/{gst_id}")).await.ok();
        until(&story).then_some(story)
    })
    .await
}

fn entries<'s>(story: &'s Value, kind: &str) -> Vec<&'s Value> {
    story["timeline"].as_array().unwrap().iter().filter(|entry| entry["kind"] == kind).collect()
}

fn is_told(story: &Value, status: &str) -> bool {
    let told = |entry: &&Value| entry["status"] == status && entry["outcome"] == "DELIVERED";
    entries(story, "WEBHOOK").iter().any(told)
}

#[tokio::test]
async fn the_story_of_a_template_runs_from_its_request_to_the_webhooks_and_their_attempts() {
    let (_patchbay, client, sink, phone) = stage().await;
    let answer = client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    let story = story(&client, &sink, &phone, |story| is_told(story, "DELIVERED")).await;

    assert_eq!((&story["ctId"], &story["status"]), (&json!(format!("ct-{}", phone.msisdn)), &json!("DELIVERED")));
    assert_eq!((&story["batchId"], &story["requestId"]), (&answer["batchId"], &answer["requestId"]));
    assert_eq!((&story["templateName"], &story["category"]), (&json!("order_ready"), &json!("UTILITY")));
    let timeline = story["timeline"].as_array().unwrap();
    assert_eq!((&timeline[0]["kind"], &timeline[0]["batchId"]), (&json!("REQUEST"), &answer["batchId"]));
    let times: Vec<&str> = timeline.iter().map(|entry| entry["time"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let calls = entries(&story, "PROVIDER_CALL");
    assert_eq!(calls.len(), 1);
    assert_eq!((&calls[0]["outcome"], &calls[0]["receiver"]), (&json!("ACCEPTED"), &json!(phone.msisdn)));
    assert!(calls[0]["providerId"].as_str().unwrap().starts_with("wamid."), "{}", calls[0]);
    let states: Vec<&Value> = entries(&story, "RECEIPT").iter().map(|entry| &entry["status"]).collect();
    assert_eq!(states, ["ACCEPTED", "SENT", "DELIVERED"]);
    let attempts = entries(&story, "WEBHOOK_ATTEMPT");
    assert!(attempts.iter().all(|attempt| attempt["statusCode"] == 200 && attempt["attempt"] == 1), "{attempts:?}");
    assert!(entries(&story, "WEBHOOK").iter().all(|webhook| webhook["url"] == sink.url("status")), "{story}");
}

#[tokio::test]
async fn the_story_of_a_fallback_names_the_decision_and_the_parts_of_the_sms() {
    let (_patchbay, client, sink, phone) = stage().await;
    phone.set(json!({ "onWhatsApp": false })).await;
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": "a".repeat(161) });
    client.send(&payload).await.accepted();

    let story = story(&client, &sink, &phone, |story| is_told(story, "DELIVERED")).await;

    assert_eq!((&story["status"], &story["channel"]), (&json!("DELIVERED"), &json!("SMS")));
    let decisions = entries(&story, "DECISION");
    assert_eq!((&decisions[0]["outcome"], &decisions[0]["plugin"]), (&json!("SENT"), &json!("sms-fallback")));
    let sms = entries(&story, "PROVIDER_CALL").into_iter().find(|call| call["channel"] == "SMS").unwrap();
    assert_eq!((&sms["leg"], sms["parts"].as_array().unwrap().len()), (&json!(1), 2));
    let failed = entries(&story, "RECEIPT").into_iter().find(|receipt| receipt["status"] == "FAILED").unwrap();
    assert_eq!((&failed["channel"], &failed["errorCode"]), (&json!("WHATSAPP"), &json!("131026")));
}

#[tokio::test]
async fn a_message_has_not_failed_while_it_is_not_decided_whether_an_sms_follows() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    // The guest fails on this text, and is called again after one second and after five.
    client.activate("picky-fallback").await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": "mind the trap" });
    let batch = client.send(&payload).await.accepted()["batchId"].as_str().unwrap().to_owned();

    let undecided = story(&client, &sink, &phone, |story| !entries(story, "DECISION").is_empty()).await;

    assert_eq!((&undecided["status"], &undecided["channel"]), (&json!("ACCEPTED"), &json!("WHATSAPP")));
    assert_eq!(entries(&undecided, "DECISION")[0]["outcome"], "PENDING");
    let progress = client.get(&format!("/whatsapp-api-service/v2/batches/{batch}")).await.ok()["progress"].clone();
    assert_eq!((&progress["accepted"], &progress["failed"]), (&json!(1), &json!(0)), "{progress}");
    let report = client.get(&format!("/whatsapp-api-service/v2/batches/{batch}/report?format=ndjson")).await;
    let line: Value = serde_json::from_str(report.text.trim()).unwrap();
    assert_eq!((&line["status"], &line["errorCode"]), (&json!("ACCEPTED"), &Value::Null), "{line}");
    let list = format!("/whatsapp-api-service/v2/batches/{batch}/messages");
    let failed = client.get(&format!("{list}?status=FAILED")).await.ok();
    assert_eq!(failed["totalElements"], 0, "{failed}");
    let listed = client.get(&list).await.ok()["content"][0].clone();
    assert_eq!((&listed["status"], &listed["errorCode"]), (&json!("ACCEPTED"), &Value::Null), "{listed}");
    let decided = story(&client, &sink, &phone, |story| is_told(story, "DELIVERED")).await;
    assert_eq!((&decided["status"], &decided["channel"]), (&json!("DELIVERED"), &json!("SMS")));
}

#[tokio::test]
async fn a_call_that_the_provider_refused_for_now_is_part_of_the_story() {
    let (_patchbay, client, sink, phone) = stage().await;
    phone.set(json!({ "rejectWith": { "status": 500, "code": 131_000, "times": 1 } })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    let story = story(&client, &sink, &phone, |story| is_told(story, "DELIVERED")).await;

    let calls = entries(&story, "PROVIDER_CALL");
    let outcomes: Vec<(&Value, &Value)> = calls.iter().map(|call| (&call["outcome"], &call["errorCode"])).collect();
    assert_eq!(outcomes, [(&json!("RETRY"), &json!("131000")), (&json!("ACCEPTED"), &Value::Null)]);
}

#[tokio::test]
async fn a_message_is_found_by_the_tracking_id_that_its_send_brought_along() {
    let (patchbay, client, _sink, phone) = stage().await;
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["messages"][0]["recipients"][0]["gstId"] = json!("their/own id");
    client.send(&payload).await.accepted();

    let story = client.get(&format!("{MESSAGES}/their%2Fown%20id")).await.ok();
    assert_eq!(story["gstId"], "their/own id");
    let other = patchbay.new_client().await;
    assert_eq!(other.get(&format!("{MESSAGES}/their%2Fown%20id")).await.status, 404);
    assert_eq!(client.get(&format!("{MESSAGES}/{}", uuid::Uuid::nil())).await.status, 404);
}

#[tokio::test]
async fn a_number_that_is_not_on_whatsapp_is_followed_by_the_given_user_id() {
    let (patchbay, client, sink, phone) = stage().await;
    phone.set(json!({ "onWhatsApp": false })).await;
    let other = patchbay.new_phone();
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["messages"][0]["recipients"][0]["customerUserId"] = json!(other.user_id().await);
    payload["fallback"] = json!({ "sendFallback": true });
    client.send(&payload).await.accepted();

    let message = other.receives("the template", |_| true).await;

    assert_eq!(message["body"]["recipient"], json!(other.user_id().await));
    let states = client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
    assert!(!states.contains(&"FAILED".to_owned()), "{states:?}");
    assert!(phone.inbox().await.iter().all(|message| message["channel"] != "SMS"), "no SMS where it arrived");
}

#[tokio::test]
async fn the_sms_follows_if_the_user_id_fails_too() {
    let (patchbay, client, sink, phone) = stage().await;
    let other = patchbay.new_phone();
    for phone in [&phone, &other] {
        phone.set(json!({ "onWhatsApp": false })).await;
    }
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["messages"][0]["recipients"][0]["customerUserId"] = json!(other.user_id().await);
    payload["fallback"] = json!({ "sendFallback": true, "text": "by SMS" });
    client.send(&payload).await.accepted();

    let story = story(&client, &sink, &phone, |story| is_told(story, "DELIVERED")).await;

    let legs: Vec<&Value> = entries(&story, "PROVIDER_CALL").iter().map(|call| &call["leg"]).collect();
    assert!(legs.contains(&&json!(2)), "the SMS is the third leg: {legs:?}");
    assert_eq!(phone.receives("the SMS", |message| message["channel"] == "SMS").await["text"], "by SMS");
}

#[tokio::test]
async fn statuses_carry_the_request_the_quick_reply_id_and_no_cost_while_none_is_set() {
    let (_patchbay, client, sink, phone) = stage().await;
    let answer = client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
    for body in sink.bodies("status") {
        assert_eq!(body["requestId"], answer["requestId"], "{body}");
        assert_eq!(body["tqrmtId"], body["gstId"], "the template has a quick reply: {body}");
        assert!(body.get("cost").is_none(), "{body}");
    }
}

#[tokio::test]
async fn the_cost_of_a_message_depends_on_its_category_and_country() {
    let (patchbay, client, sink, phone) = stage().await;
    let other = patchbay.new_client().await;
    let rate = |category: &str, country: &str, amount: &str| json!({ "category": category, "country": country, "amount": amount, "currency": "USD" });
    let card = json!({ "rates": [
        rate("UTILITY", "*", "0.5"), rate("UTILITY", "27", "0.0079"), rate("UTILITY", "44", "9"), rate("SMS", "*", "0.02"),
    ] });
    let path = "/messaging-service/WhatsApp/rate-card";
    let stored = client.request(reqwest::Method::PUT, path, Some(&card), &[]).await.ok();
    assert_eq!(stored["rates"].as_array().unwrap().len(), 4);
    assert_eq!(client.get(path).await.ok(), stored);
    assert_eq!(other.get(path).await.ok(), json!({ "rates": [] }));

    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
    assert!(sink.bodies("status").iter().all(|body| body["cost"] == "0.0079 USD"), "the longest code that fits");
    let texted = patchbay.new_phone();
    let sms =
        json!({ "messages": [{ "recipients": [{ "to": texted.msisdn, "ctId": "by-sms" }], "messageText": "hi" }] });
    client.post("/whatsapp-api-service/v2/channels/sms", &sms).await.accepted();
    client.statuses(&sink, "by-sms", "DELIVERED").await;
    let of_sms: Vec<Value> = sink.bodies("status").into_iter().filter(|body| body["ctId"] == "by-sms").collect();
    assert!(of_sms.iter().all(|body| body["cost"] == "0.02 USD"), "{of_sms:?}");
    assert_eq!(client.request(reqwest::Method::PUT, path, Some(&json!({})), &[]).await.faulty_fields(), ["rates"]);
}

#[tokio::test]
async fn messages_of_customers_cost_by_their_country() {
    let (_patchbay, client, sink, phone) = stage().await;
    let told = async |text: &str| {
        phone.write(&client.number, text).await;
        sink.receives("incoming", text, |body| body["text"] == text).await
    };
    assert_eq!(told("before").await.get("cost"), None, "no rate says so");
    let rate = |category: &str, country: &str, amount: &str| json!({ "category": category, "country": country, "amount": amount, "currency": "USD" });
    let card = json!({ "rates": [rate("INCOMING", "*", "0.5"), rate("INCOMING", &phone.msisdn[..2], "0.001"), rate("SERVICE", "*", "7")] });
    client.request(reqwest::Method::PUT, "/messaging-service/WhatsApp/rate-card", Some(&card), &[]).await.ok();
    assert_eq!(told("after").await["cost"], "0.001 USD");
}

#[tokio::test]
async fn the_answer_names_each_message_and_messages_are_found_by_tracking_id_and_by_recipient() {
    let (patchbay, client, _sink, phone) = stage().await;
    let other = patchbay.new_phone();
    let answer = client.send(&client.order_ready(&[&phone.msisdn, &other.msisdn])).await.accepted();

    let named = answer["acceptedRecipients"].as_array().unwrap();
    assert_eq!(named.len(), 2);
    let (number, ct_id, gst_id) = (&named[0]["number"], &named[0]["ctId"], &named[0]["gstId"]);
    assert_eq!((number, ct_id), (&json!(phone.msisdn), &json!(format!("ct-{}", phone.msisdn))));
    let story = client.get(&format!("{MESSAGES}/{}", gst_id.as_str().unwrap())).await.ok();
    assert_eq!(&story["ctId"], ct_id);

    for query in [
        format!("ctId=ct-{}", phone.msisdn),
        format!("recipient=%2B{}", phone.msisdn),
        format!("recipient={}&ctId=ct-{}", phone.msisdn, phone.msisdn),
    ] {
        let found = client.get(&format!("{MESSAGES}?{query}")).await.ok();
        assert_eq!((&found["totalElements"], &found["content"][0]["gstId"]), (&json!(1), gst_id), "{query}: {found}");
        assert_eq!(found["content"][0]["batchId"], answer["batchId"]);
    }
    let neither = client.get(&format!("{MESSAGES}?recipient={}&ctId=ct-{}", other.msisdn, phone.msisdn)).await.ok();
    assert_eq!(neither["totalElements"], 0);
    assert_eq!(client.get(MESSAGES).await.faulty_fields(), ["ctId"], "nothing is asked for");
}

#[tokio::test]
async fn messages_of_another_client_are_not_found() {
    let (patchbay, client, _sink, phone) = stage().await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let stranger = patchbay.new_client().await;
    for query in [format!("ctId=ct-{}", phone.msisdn), format!("recipient={}", phone.msisdn)] {
        assert_eq!(stranger.get(&format!("{MESSAGES}?{query}")).await.ok()["totalElements"], 0, "{query}");
    }
}
