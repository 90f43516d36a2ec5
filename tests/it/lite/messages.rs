//! Messages over Lite, both ways (SPEC 2.4, 3.2, 4.1, 6.1, 6.2; PROVIDERS D.4).

use harness::{Patchbay, SharedPatchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::Lite;

async fn connected(patchbay: &SharedPatchbay) -> Lite<'_> {
    let number = patchbay.new_phone().msisdn.replacen("2782", "2783", 1);
    Lite::connected(patchbay, patchbay.new_bare_client(), &number).await
}

/// A client with a Lite number and a Cloud number, whose account has templates.
async fn with_templates(patchbay: &SharedPatchbay) -> Lite<'_> {
    let client = patchbay.new_client().await;
    let number = patchbay.new_phone().msisdn.replacen("2782", "2783", 1);
    Lite::connected(patchbay, client, &number).await
}

fn statuses(lite: &Lite<'_>, ct_id: &str) -> Vec<String> {
    let mine = lite.sink.bodies("status").into_iter().filter(|body| body["ctId"] == ct_id);
    mine.map(|body| body["status"].as_str().unwrap().to_owned()).collect()
}

fn with_ct_id(client: &TestClient, to: &str, ct_id: &str, text: &str) -> Value {
    let mut payload = client.chat(to, text);
    payload["messages"][0]["recipients"][0]["ctId"] = json!(ct_id);
    payload
}

#[tokio::test]
async fn a_free_form_message_goes_to_a_customer_who_never_wrote() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    let accepted = lite.client.send(&lite.client.chat(&phone.msisdn, "hello there")).await.accepted();
    assert_eq!(accepted["acceptedCount"], 1, "{accepted}");
    let message = phone.receives("the message", |message| message["text"] == "hello there").await;
    assert_eq!(message["from"], json!(lite.number));
}

#[tokio::test]
async fn a_message_is_accepted_sent_delivered_and_read_in_this_order() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    let ct_id = format!("ct-{}", phone.msisdn);
    lite.client.send(&with_ct_id(&lite.client, &phone.msisdn, &ct_id, "read me")).await.accepted();
    lite.client.statuses(&lite.sink, &ct_id, "DELIVERED").await;
    phone.read().await;
    let told = lite.client.statuses(&lite.sink, &ct_id, "READ").await;
    assert_eq!(told, ["ACCEPTED", "SENT", "DELIVERED", "READ"]);
}

#[tokio::test]
async fn a_customers_message_reaches_the_incoming_webhook() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    phone.write(&lite.number, "is it open?").await;
    let body = lite.sink.receives("incoming", "the message", |body| body["text"] == "is it open?").await;
    assert_eq!(body["sender"], json!(phone.msisdn));
    assert_eq!(body["receiver"], json!(lite.number));
    assert_eq!(body["messageContentType"], "TEXT");
    assert_eq!(body["senderUserId"], json!(phone.user_id().await));
}

#[tokio::test]
async fn a_file_of_a_customer_is_fetched_from_the_device() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    phone.send(json!({ "to": lite.number, "type": "image", "caption": "a cat" })).await;
    let body = lite.sink.receives("incoming", "the picture", |body| body["caption"] == "a cat").await;
    let url = body["mediaUrl"].as_str().unwrap().to_owned();
    let file = eventually("the file", || async {
        let answer = patchbay.http.get(&url).send().await.unwrap();
        (answer.status() == 200).then_some(answer)
    })
    .await;
    assert!(!file.bytes().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_template_is_rendered_here_and_a_number_counts_as_a_tap_on_its_button() {
    let patchbay = SharedPatchbay::get().await;
    let lite = with_templates(&patchbay).await;
    let phone = patchbay.new_phone();
    let (name, replies) = quick_replies(&lite.client).await;
    let mut payload = lite.client.template(&name, &phone.msisdn, json!([]));
    payload["messages"][0]["components"] = components(&lite.client, &name).await;
    lite.client.send(&payload).await.accepted();
    let message = phone.receives("the template", |message| message["from"] == json!(lite.number)).await;
    let text = message["text"].as_str().unwrap();
    assert!(text.contains(&format!("1. {}", replies[0])), "{text}");
    assert!(!text.contains("{{"), "{text}");
    phone.write(&lite.number, "1").await;
    let tap = lite.sink.receives("incoming", "the tap", |body| body["messageContentType"] == "BUTTON").await;
    assert_eq!(tap["buttonText"], json!(replies[0]));
    phone.write(&lite.number, &replies[0].to_uppercase()).await;
    eventually("the tap by its label", || async {
        let taps = lite.sink.bodies("incoming").into_iter().filter(|body| body["messageContentType"] == "BUTTON");
        (taps.count() == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_number_is_plain_text_after_a_later_message() {
    let patchbay = SharedPatchbay::get().await;
    let lite = with_templates(&patchbay).await;
    let phone = patchbay.new_phone();
    let (name, _) = quick_replies(&lite.client).await;
    let mut payload = lite.client.template(&name, &phone.msisdn, json!([]));
    payload["messages"][0]["components"] = components(&lite.client, &name).await;
    lite.client.send(&payload).await.accepted();
    let shown = phone.receives("the template", |message| message["from"] == json!(lite.number)).await;
    lite.sends(&phone, "How many tickets?").await;
    phone.receives("the question", |message| message["text"] == "How many tickets?").await;
    // If the customer answered before the question is stored, the answer would overtake it.
    eventually("the question on disk", || async {
        let told = lite.sink.bodies("status").into_iter().filter(|body| body["status"] == "ACCEPTED").count();
        (told >= 2).then_some(())
    })
    .await;
    phone.write(&lite.number, "1").await;
    let answer = lite.sink.receives("incoming", "the number", |body| body["text"] == "1").await;
    assert_eq!(answer["messageContentType"], "TEXT");
    phone.send(json!({ "to": lite.number, "text": "1", "quote": shown["id"] })).await;
    lite.sink.receives("incoming", "the tap by a quote", |body| body["messageContentType"] == "BUTTON").await;
}

#[tokio::test]
async fn a_recipient_who_is_not_on_whatsapp_gets_the_sms_also_when_it_was_reached_before() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    lite.sends(&phone, "the first").await;
    phone.receives("the first", |message| message["text"] == "the first").await;
    phone.set(json!({ "onWhatsApp": false })).await;
    let mut payload = lite.client.chat(&phone.msisdn, "the second");
    payload["fallback"] = json!({ "sendFallback": true, "text": "by SMS", "unicode": false });
    lite.client.send(&payload).await.accepted();
    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(sms["text"], "by SMS");
    assert!(!phone.inbox().await.iter().any(|message| message["text"] == "the second"));
}

#[tokio::test]
async fn without_fallback_it_fails_with_the_code_of_the_look_up() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    let ct_id = format!("ct-{}", phone.msisdn);
    lite.client.send(&with_ct_id(&lite.client, &phone.msisdn, &ct_id, "anybody?")).await.accepted();
    lite.client.statuses(&lite.sink, &ct_id, "FAILED").await;
    let failed = lite.sink.bodies("status").into_iter().find(|body| body["status"] == "FAILED").unwrap();
    assert_eq!(failed["errorCode"], "900404");
    assert_eq!(failed["errorCodeString"], "the number is not registered on WhatsApp");
}

#[tokio::test]
async fn a_failed_look_up_causes_no_sms_and_the_message_waits() {
    let patchbay = Patchbay::start().await;
    let lite = Lite::connected(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    let phone = patchbay.phone("27820000001");
    lite.befalls("lookup_fails").await;
    let mut payload = lite.client.chat(&phone.msisdn, "patience");
    payload["fallback"] = json!({ "sendFallback": true, "text": "by SMS", "unicode": false });
    lite.client.send(&payload).await.accepted();
    patchbay.until_logged("WhatsApp cannot be asked at the moment").await;
    assert!(phone.inbox().await.is_empty());
    lite.befalls("lookup_works").await;
    patchbay.advance_clock(120).await;
    let message = phone.receives("the message", |message| message["text"] == "patience").await;
    assert_eq!(message["channel"], "WHATSAPP");
}

#[tokio::test]
async fn messages_wait_while_the_number_is_disconnected_and_go_out_when_it_is_back() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    lite.ask(Method::POST, "/disconnect", None).await.accepted();
    lite.told("Disconnected by API request").await;
    lite.sends(&phone, "later").await;
    phone.write(&lite.number, "nobody hears this yet").await;
    assert!(phone.inbox().await.is_empty() && lite.sink.bodies("incoming").is_empty());
    lite.ask(Method::POST, "/connect", None).await.accepted();
    phone.receives("the message", |message| message["text"] == "later").await;
    lite.sink.receives("incoming", "the message", |body| body["text"] == "nobody hears this yet").await;
}

#[tokio::test]
async fn a_message_that_waits_for_too_long_fails_and_never_goes_out() {
    let patchbay = Patchbay::start().await;
    let lite = Lite::new(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    let phone = patchbay.phone("27820000001");
    lite.client.send(&with_ct_id(&lite.client, &phone.msisdn, "ct-1", "too late")).await.accepted();
    patchbay.advance_clock(48 * 3600 - 600).await;
    assert_eq!(statuses(&lite, "ct-1"), Vec::<String>::new());
    patchbay.advance_clock(1300).await;
    lite.client.statuses(&lite.sink, "ct-1", "FAILED").await;
    let failed = lite.sink.bodies("status").into_iter().find(|body| body["status"] == "FAILED").unwrap();
    assert_eq!(failed["errorCode"], "900503");
    assert!(failed["errorCodeString"].as_str().unwrap().contains("within 48 h"), "{failed}");
    lite.pair().await;
    lite.sends(&phone, "in time").await;
    phone.receives("the other message", |message| message["text"] == "in time").await;
    assert_eq!(phone.inbox().await.len(), 1);
}

#[tokio::test]
async fn a_played_voice_note_is_reported() {
    let patchbay = SharedPatchbay::get().await;
    let lite = connected(&patchbay).await;
    let phone = patchbay.new_phone();
    let payload = json!({
        "sender": lite.number,
        "messageType": "CHAT",
        "messages": [{
            "recipients": [{ "to": phone.msisdn, "ctId": phone.msisdn }],
            "media": { "url": "https://files.example/hello.ogg" },
        }],
    });
    let reply = lite.client.send(&payload).await;
    if reply.status != 202 {
        panic!("{}", reply.text);
    }
    phone.receives("the sound", |message| message["type"] == "audio").await;
    lite.client.statuses(&lite.sink, &phone.msisdn, "DELIVERED").await;
    patchbay.simulate(&format!("/phones/{}/play", phone.msisdn), &json!({})).await;
    lite.client.statuses(&lite.sink, &phone.msisdn, "PLAYED").await;
}

/// The name of a template with quick replies, and their labels.
async fn quick_replies(client: &TestClient) -> (String, Vec<String>) {
    let page = client.get("/messaging-service/WhatsApp/templates?size=100").await.ok();
    let labels = |template: &Value| -> Vec<String> {
        let components = template["components"].as_array().unwrap();
        let buttons = components.iter().flat_map(|part| part["buttons"].as_array().cloned().unwrap_or_default());
        buttons
            .filter(|button| button["type"] == "QUICK_REPLY")
            .map(|button| button["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let is_plain = |template: &&Value| {
        let parts = template["components"].as_array().unwrap();
        let media = parts
            .iter()
            .any(|part| part["type"] == "CAROUSEL" || (part["type"] == "HEADER" && part["format"] != "TEXT"));
        let buttons: usize = parts.iter().map(|part| part["buttons"].as_array().map_or(0, Vec::len)).sum();
        template["status"] == "APPROVED" && !media && buttons > 0 && labels(template).len() == buttons
    };
    let content = page["content"].as_array().unwrap().clone();
    let found = content.iter().find(is_plain).expect("a sample template has quick replies");
    (found["name"].as_str().unwrap().to_owned(), labels(found))
}

async fn components(client: &TestClient, name: &str) -> Value {
    let page = client.get("/messaging-service/WhatsApp/templates?size=100").await.ok();
    let content = page["content"].as_array().unwrap().clone();
    let template = content.iter().find(|template| template["name"] == name).unwrap();
    let parts = template["components"].as_array().unwrap();
    let body = parts.iter().find(|part| part["type"] == "BODY").unwrap()["text"].as_str().unwrap();
    let placeholders = body.matches("{{").count();
    if placeholders == 0 {
        return json!([]);
    }
    json!([{ "type": "body", "parameters": vec!["word"; placeholders] }])
}
