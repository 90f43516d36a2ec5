//! `CHAT` messages are free-form. On WhatsApp Cloud they are allowed for 24 hours after the customer's last message
//! (SPEC 4.1).

use harness::{Patchbay, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const HOUR: u64 = 3600;

/// Lets the customer write to the client, and waits until the message is stored.
async fn write(phone: &TestPhone, client: &TestClient) {
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    phone.write(&client.number, "hello").await;
    eventually("the incoming webhook", || async { sink.received("incoming").first().cloned() }).await;
}

/// A client with a customer who has just written.
async fn in_touch() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    write(&phone, &client).await;
    (patchbay, client, phone)
}

/// Sends a payload that must reach the phone, and returns the message that arrived.
async fn deliver(client: &TestClient, phone: &TestPhone, payload: &Value) -> Value {
    let answer = client.send(payload).await.accepted();
    assert_eq!(answer["acceptedCount"], 1, "{answer}");
    phone.receives("the message", |_| true).await
}

fn with_media(client: &TestClient, to: &str, media: Value) -> Value {
    let mut payload = client.chat(to, "");
    let message = payload["messages"][0].as_object_mut().unwrap();
    message.remove("messageText");
    message.insert("media".to_owned(), media);
    payload
}

async fn assert_rejected(client: &TestClient, to: &str) {
    let answer = client.send(&client.chat(to, "too late")).await.accepted();
    assert_eq!((&answer["status"], &answer["acceptedCount"]), (&json!("PARTIAL"), &json!(0)));
    let rejected = &answer["rejectedRecipients"][0];
    assert_eq!(rejected["number"], to);
    assert!(rejected["reason"].as_str().unwrap().contains("24 hours"), "{rejected}");
}

#[tokio::test]
async fn a_text_within_the_window_reaches_the_phone() {
    let (_patchbay, client, phone) = in_touch().await;

    let message = deliver(&client, &phone, &client.chat(&phone.msisdn, "How can we help?\nSecond line 😀")).await;

    assert_eq!((&message["type"], &message["text"]), (&json!("text"), &json!("How can we help?\nSecond line 😀")));
}

#[tokio::test]
async fn an_image_within_the_window_carries_its_caption() {
    let (_patchbay, client, phone) = in_touch().await;
    let media = json!({ "url": "https://files.example/map.png?v=2", "caption": "Our shop" });

    let message = deliver(&client, &phone, &with_media(&client, &phone.msisdn, media)).await;

    let expected = json!({ "link": "https://files.example/map.png?v=2", "caption": "Our shop" });
    assert_eq!((&message["type"], &message["body"]["image"]), (&json!("image"), &expected));
}

#[tokio::test]
async fn a_document_within_the_window_carries_its_file_name() {
    let (_patchbay, client, phone) = in_touch().await;
    let media = json!({ "url": "https://files.example/terms.pdf" });

    let message = deliver(&client, &phone, &with_media(&client, &phone.msisdn, media)).await;

    let expected = json!({ "link": "https://files.example/terms.pdf", "filename": "terms.pdf" });
    assert_eq!((&message["type"], &message["body"]["document"]), (&json!("document"), &expected));
}

/// The base URL of a server whose files all have this media type.
async fn files_of(media_type: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let read = stream.read(&mut head).await.unwrap_or_default();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            if read > 0 {
                drop(stream.write_all(answer.as_bytes()).await);
            }
        }
    });
    base
}

#[tokio::test]
async fn a_link_without_an_extension_has_the_type_given_by_its_server() {
    for (media_type, kind, filename) in [
        ("application/pdf", "document", json!("4711.pdf")),
        ("image/jpeg", "image", json!(null)),
        ("audio/ogg", "audio", json!(null)),
    ] {
        let (_patchbay, client, phone) = in_touch().await;
        let url = format!("{}/files/4711?x=1", files_of(media_type).await);
        let message = deliver(&client, &phone, &with_media(&client, &phone.msisdn, json!({ "url": url }))).await;
        assert_eq!((&message["type"], &message["body"][kind]["link"]), (&json!(kind), &json!(url)));
        assert_eq!(message["body"][kind]["filename"], filename, "{message}");
    }
}

#[tokio::test]
async fn a_link_loses_the_line_end_behind_it_and_one_with_a_blank_is_refused() {
    let (_patchbay, client, phone) = in_touch().await;
    let media = json!({ "url": " https://files.example/map.png\r\n" });
    let message = deliver(&client, &phone, &with_media(&client, &phone.msisdn, media)).await;
    assert_eq!(message["body"]["image"]["link"], "https://files.example/map.png");
    let media = json!({ "url": "https://files.example/the map.png" });
    let refused = client.send(&with_media(&client, &phone.msisdn, media)).await;
    assert_eq!(refused.faulty_fields(), ["messages[0].media.url"]);
}

#[tokio::test]
async fn a_text_with_a_file_is_shown_below_it() {
    let (_patchbay, client, phone) = in_touch().await;
    let mut payload = client.chat(&phone.msisdn, "See attached");
    payload["messages"][0]["media"] = json!({ "url": "https://files.example/a.mp4" });

    let message = deliver(&client, &phone, &payload).await;

    assert_eq!((&message["type"], &message["body"]["video"]["caption"]), (&json!("video"), &json!("See attached")));
}

#[tokio::test]
async fn a_customer_who_never_wrote_is_rejected() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    assert_rejected(&client, "27829999998").await;

    assert_eq!(patchbay.messages_of(&client.client_ref).await, 0);
}

#[tokio::test]
async fn the_window_is_that_of_one_business_number() {
    let (patchbay, client, phone) = in_touch().await;
    let other = patchbay.new_client().await;

    assert_rejected(&other, &phone.msisdn).await;
    deliver(&client, &phone, &client.chat(&phone.msisdn, "hello")).await;
}

#[tokio::test]
async fn recipients_outside_the_window_do_not_hold_up_those_inside() {
    let (_patchbay, client, phone) = in_touch().await;
    let mut payload = client.chat(&phone.msisdn, "hello");
    payload["messages"][0]["recipients"].as_array_mut().unwrap().insert(0, json!({ "to": "27829999998" }));

    let answer = client.send(&payload).await.accepted();

    assert_eq!((&answer["status"], &answer["acceptedCount"]), (&json!("PARTIAL"), &json!(1)));
    phone.receives("the text", |message| message["text"] == "hello").await;
}

#[tokio::test]
async fn a_customer_known_by_number_can_be_answered_by_bsuid() {
    let (_patchbay, client, phone) = in_touch().await;
    let mut payload = client.chat("", "hello");
    payload["messages"][0]["recipients"] = json!([{ "customerUserId": phone.user_id().await }]);

    deliver(&client, &phone, &payload).await;
}

#[tokio::test]
async fn a_customer_who_hides_the_number_can_be_answered_by_bsuid() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    phone.set(json!({ "hidePhone": true })).await;
    write(&phone, &client).await;
    let mut payload = client.chat("", "hello");
    payload["messages"][0]["recipients"] = json!([{ "customerUserId": phone.user_id().await }]);

    deliver(&client, &phone, &payload).await;
}

#[tokio::test]
async fn the_window_is_open_up_to_24_hours_and_closed_from_then_on() {
    let patchbay = Patchbay::start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    write(&phone, &client).await;

    patchbay.advance_clock(24 * HOUR - 120).await;
    deliver(&client, &phone, &client.chat(&phone.msisdn, "in time")).await;
    patchbay.advance_clock(120).await;
    assert_rejected(&client, &phone.msisdn).await;

    let answer = client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    assert_eq!(answer["acceptedCount"], 1, "a template can be sent at any time");
    phone.receives("the template", |message| message["type"] == "template").await;
}

#[tokio::test]
async fn the_next_message_of_the_customer_opens_the_window_again() {
    let patchbay = Patchbay::start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    phone.write(&client.number, "hello").await;
    eventually("the first message", || async { (sink.received("incoming").len() == 1).then_some(()) }).await;
    patchbay.advance_clock(30 * HOUR).await;
    assert_rejected(&client, &phone.msisdn).await;

    phone.write(&client.number, "hello again").await;
    eventually("the second message", || async { (sink.received("incoming").len() == 2).then_some(()) }).await;

    deliver(&client, &phone, &client.chat(&phone.msisdn, "welcome back")).await;
}
