//! Every kind of template: the request that the provider receives (SPEC 2.3, PROVIDERS A.3).

use harness::{SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

/// Sends a template and returns the message that arrived on the phone.
async fn deliver(client: &TestClient, phone: &TestPhone, name: &str, components: Value) -> Value {
    client.send(&client.template(name, &phone.msisdn, components)).await.accepted();
    phone.receives(name, |message| message["type"] == "template").await
}

async fn client_and_phone() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

#[tokio::test]
async fn a_body_and_a_dynamic_link_are_filled() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let components = json!([
        { "type": "body", "parameters": ["Thandi", "#42"] },
        { "type": "button", "parameters": ["42?a=1&b=2"] },
    ]);

    let message = deliver(&client, &phone, "order_ready", components).await;

    assert_eq!(message["text"], "Hi Thandi, order #42 is ready.\nSample Shop");
    assert_eq!(message["buttons"][1]["id"], "https://shop.example/o/42?a=1&b=2");
    assert_eq!(
        message["body"]["template"],
        json!({
            "name": "order_ready",
            "language": { "code": "en" },
            "components": [
                { "type": "body", "parameters": [{ "type": "text", "text": "Thandi" }, { "type": "text", "text": "#42" }] },
                { "type": "button", "sub_type": "url", "index": "1", "parameters": [{ "type": "text", "text": "42?a=1&b=2" }] },
            ],
        })
    );
    assert_eq!(message["body"]["messaging_product"], "whatsapp");
    assert_eq!(message["body"]["to"], phone.msisdn);
}

#[tokio::test]
async fn a_payload_for_the_quick_reply_may_come_before_the_link() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let components = json!([
        { "type": "body", "parameters": ["Thandi", "#42"] },
        { "type": "button", "parameters": ["track-42", "42"] },
    ]);

    let message = deliver(&client, &phone, "order_ready", components).await;

    assert_eq!(message["buttons"][0]["id"], "track-42");
    assert_eq!(message["buttons"][1]["id"], "https://shop.example/o/42");
}

#[tokio::test]
async fn a_template_without_parameters_needs_no_components() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let mut payload = client.template("welcome", &phone.msisdn, json!([]));
    payload["messages"][0].as_object_mut().unwrap().remove("components");

    client.send(&payload).await.accepted();

    let message = phone.receives("the welcome", |_| true).await;
    assert_eq!(message["body"]["template"], json!({ "name": "welcome", "language": { "code": "en" } }));
}

#[tokio::test]
async fn a_document_header_carries_its_link_and_file_name() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let components = json!([
        { "type": "header", "format": "DOCUMENT", "url": "https://files.example/inv-7.pdf", "filename": "Invoice 7.pdf" },
        { "type": "body", "parameters": ["INV-7"] },
    ]);

    let message = deliver(&client, &phone, "invoice", components).await;

    assert_eq!(message["text"], "Your invoice INV-7 is attached.");
    let header = &message["body"]["template"]["components"][0];
    let document = json!({ "link": "https://files.example/inv-7.pdf", "filename": "Invoice 7.pdf" });
    assert_eq!(*header, json!({ "type": "header", "parameters": [{ "type": "document", "document": document }] }));
}

#[tokio::test]
async fn an_image_header_carries_its_link_only() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let components = json!([
        { "type": "body", "parameters": ["shoes"] },
        { "type": "header", "format": "IMAGE", "url": "https://files.example/shoes.png", "filename": "no.png" },
    ]);

    let message = deliver(&client, &phone, "promo_image", components).await;

    let header = &message["body"]["template"]["components"][0]["parameters"][0];
    assert_eq!(*header, json!({ "type": "image", "image": { "link": "https://files.example/shoes.png" } }));
}

#[tokio::test]
async fn a_video_header_carries_its_link() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let components = json!([{ "type": "header", "format": "VIDEO", "url": "https://files.example/new.mp4" }]);

    let message = deliver(&client, &phone, "promo_video", components).await;

    let header = &message["body"]["template"]["components"][0]["parameters"][0];
    assert_eq!(*header, json!({ "type": "video", "video": { "link": "https://files.example/new.mp4" } }));
}

#[tokio::test]
async fn a_coupon_code_fills_its_button() {
    let (_patchbay, client, phone) = client_and_phone().await;

    let message = deliver(&client, &phone, "coupon", json!([{ "type": "button", "parameters": ["SUN20"] }])).await;

    assert_eq!(
        message["body"]["template"]["components"],
        json!([
            { "type": "button", "sub_type": "copy_code", "index": "0",
              "parameters": [{ "type": "coupon_code", "coupon_code": "SUN20" }] },
        ])
    );
}

#[tokio::test]
async fn a_quick_reply_with_an_effect_hides_the_payload_and_gives_it_back_when_tapped() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let replies = json!([
        { "payload": "GOOD", "conversationState": "start" },
        { "payload": "BAD", "conversationState": "end" },
    ]);
    let components = json!([{ "type": "button", "parameters": [], "conversationParameters": replies }]);

    let message = deliver(&client, &phone, "survey", components).await;

    let ids = [message["buttons"][0]["id"].as_str().unwrap(), message["buttons"][1]["id"].as_str().unwrap()];
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.len() <= 128 && !id.contains("GOOD")), "{ids:?}");
    phone.tap(message["id"].as_str().unwrap(), "Bad").await;
    let tapped = eventually("the tap", || async { sink.received("incoming").first().cloned() }).await.json();
    assert!(tapped.to_string().contains("\"BAD\""), "the client reads its own payload: {tapped}");
    assert!(!tapped.to_string().contains(ids[1]), "and not ours: {tapped}");
}

#[tokio::test]
async fn a_quick_reply_without_an_effect_carries_the_payload_itself() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let replies = json!([{ "payload": "GOOD" }, { "payload": "BAD" }]);
    let components = json!([{ "type": "button", "conversationParameters": replies }]);

    let message = deliver(&client, &phone, "survey", components).await;

    assert_eq!((&message["buttons"][0]["id"], &message["buttons"][1]["id"]), (&json!("GOOD"), &json!("BAD")));
}

#[tokio::test]
async fn quick_replies_need_no_button_component() {
    let (_patchbay, client, phone) = client_and_phone().await;

    let message = deliver(&client, &phone, "survey", json!([])).await;

    assert_eq!(message["text"], "How was our service?");
}

#[tokio::test]
async fn every_card_of_a_carousel_is_filled() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let card = |colour: &str| {
        json!({ "components": [
            { "type": "header", "format": "IMAGE", "url": format!("https://files.example/{colour}.png") },
            { "type": "body", "parameters": [colour] },
            { "type": "button", "parameters": [format!("more-{colour}")] },
        ]})
    };
    let components = json!([{ "type": "carousel", "cards": [card("blue"), card("red")] }]);

    let message = deliver(&client, &phone, "summer_carousel", components).await;

    let text = message["text"].as_str().unwrap();
    assert!(text.contains("[1] Our blue range") && text.contains("[2] Our red range"), "{text}");
    let carousel = &message["body"]["template"]["components"][0];
    assert_eq!((&carousel["type"], &carousel["cards"][1]["card_index"]), (&json!("carousel"), &json!(1)));
    let payloads: Vec<&Value> = message["buttons"].as_array().unwrap().iter().map(|button| &button["id"]).collect();
    assert_eq!(payloads, [&json!("more-blue"), &json!("more-red")]);
}

#[tokio::test]
async fn parameters_of_a_named_template_go_out_under_their_names() {
    let (_patchbay, client, phone) = client_and_phone().await;

    let message =
        deliver(&client, &phone, "named_greeting", json!([{ "type": "body", "parameters": ["Thandi"] }])).await;

    assert_eq!(message["text"], "Hello Thandi, good to see you.");
    let parameter = &message["body"]["template"]["components"][0]["parameters"][0];
    assert_eq!(*parameter, json!({ "type": "text", "parameter_name": "first_name", "text": "Thandi" }));
}

#[tokio::test]
async fn text_of_any_script_arrives_unchanged() {
    let (_patchbay, client, phone) = client_and_phone().await;
    let name = "Ṫhándî 😀 \"quoted\" \\ 中文";
    let components =
        json!([{ "type": "body", "parameters": [name, "#42"] }, { "type": "button", "parameters": ["42"] }]);

    let message = deliver(&client, &phone, "order_ready", components).await;

    assert_eq!(message["text"], format!("Hi {name}, order #42 is ready.\nSample Shop"));
}
