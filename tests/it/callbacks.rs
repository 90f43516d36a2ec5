//! Callbacks of the provider: the handshake, signatures, replays, nonsense (PROVIDERS A.7). A forged or replayed
//! callback changes nothing.

use harness::{ClientReply, Patchbay, SharedPatchbay, TestClient, WebhookSink, inbound_text, status};
use serde_json::{Value, json};

const PATH: &str = "/providers/whatsapp-cloud/webhook";

async fn shared() -> (SharedPatchbay, TestClient, WebhookSink) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink)
}

fn text_from(client: &TestClient, id: &str, phone: &str, text: &str) -> Value {
    client.callback(inbound_text(id, Some(phone), Some(&format!("ZA.{phone}")), text))
}

async fn arrives(sink: &WebhookSink, text: &str) {
    sink.receives("incoming", text, |body| body["text"] == text).await;
    sink.receives("chatbot", text, |body| body["messageText"] == text).await;
}

async fn handshake(patchbay: &Patchbay, mode: &str, token: &str) -> ClientReply {
    patchbay.get(&format!("{PATH}?hub.mode={mode}&hub.verify_token={token}&hub.challenge=1158201444")).await
}

#[tokio::test]
async fn the_handshake_echoes_the_challenge() {
    let patchbay = SharedPatchbay::get().await;
    let reply = handshake(&patchbay, "subscribe", "verify-token-of-the-tests").await;
    assert_eq!((reply.status, reply.text.as_str()), (200, "1158201444"));
    let verified = patchbay.simulate("/simulator/handshake", &json!({})).await;
    assert_eq!(verified["verified"], true);
}

#[tokio::test]
async fn a_handshake_with_another_token_or_mode_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    assert_eq!(handshake(&patchbay, "subscribe", "a-guess").await.status, 403);
    assert_eq!(handshake(&patchbay, "subscribe", "").await.status, 403);
    assert_eq!(handshake(&patchbay, "unsubscribe", "verify-token-of-the-tests").await.status, 403);
    assert_eq!(patchbay.get(PATH).await.status, 403);
}

#[tokio::test]
async fn a_callback_without_a_signature_changes_nothing() {
    let (patchbay, client, _sink) = shared().await;
    let before = patchbay.rows_of(&client.client_ref).await;
    let body = text_from(&client, "wamid.unsigned", "27821110001", "hello").to_string();

    let reply = patchbay.callback_signed(body, None).await;

    assert_eq!(reply.status, 401, "{}", reply.text);
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn a_callback_with_a_forged_signature_changes_nothing() {
    let (patchbay, client, _sink) = shared().await;
    let before = patchbay.rows_of(&client.client_ref).await;
    let body = text_from(&client, "wamid.forged", "27821110002", "hello").to_string();
    let good = patchbay.sign_callback(body.as_bytes());
    let forged = [
        format!("sha256={}", "0".repeat(64)),
        patchbay.sign_callback(b"{}"),
        good.replace("sha256=", ""),
        good.replace("sha256=", "sha1="),
        good[..good.len() - 2].to_owned(),
        "sha256=".to_owned(),
        String::new(),
    ];

    for signature in &forged {
        let reply = patchbay.callback_signed(body.clone(), Some(signature)).await;
        assert_eq!(reply.status, 401, "{signature}: {}", reply.text);
    }

    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn a_callback_that_was_changed_after_signing_changes_nothing() {
    let (patchbay, client, _sink) = shared().await;
    let before = patchbay.rows_of(&client.client_ref).await;
    let body = text_from(&client, "wamid.changed", "27821110003", "one").to_string();
    let signature = patchbay.sign_callback(body.as_bytes());

    for changed in [body.replace("\"one\"", "\"two\""), format!("{body} ")] {
        let reply = patchbay.callback_signed(changed, Some(&signature)).await;
        assert_eq!(reply.status, 401, "{}", reply.text);
    }

    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn a_replayed_message_changes_nothing() {
    let (patchbay, client, sink) = shared().await;
    let body = text_from(&client, "wamid.replayed", "27821110004", "once only");
    assert_eq!(patchbay.callback(&body).await.status, 200);
    arrives(&sink, "once only").await;

    for _ in 0..3 {
        assert_eq!(patchbay.callback(&body).await.status, 200);
    }

    assert_eq!(patchbay.callback(&text_from(&client, "wamid.next", "27821110004", "next")).await.status, 200);
    arrives(&sink, "next").await;
    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, ["once only", "next"]);
    assert_eq!(sink.bodies("chatbot").len(), 2);
    assert_eq!(patchbay.rows_of(&client.client_ref).await["chat_message"], 2);
}

#[tokio::test]
async fn the_same_message_posted_many_times_at_once_is_stored_once() {
    let (patchbay, client, sink) = shared().await;
    let body = text_from(&client, "wamid.crowd", "27821110005", "a crowd");

    let posts = (0..12).map(|_| patchbay.callback(&body));
    let replies = futures::future::join_all(posts).await;

    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
    arrives(&sink, "a crowd").await;
    patchbay.callback(&text_from(&client, "wamid.after", "27821110005", "after the crowd")).await;
    arrives(&sink, "after the crowd").await;
    assert_eq!(sink.bodies("incoming").len(), 2);
    let rows = patchbay.rows_of(&client.client_ref).await;
    assert_eq!((rows["chat_message"], rows["participant"], rows["customer"]), (2, 1, 1));
}

#[tokio::test]
async fn a_body_that_is_not_a_callback_is_refused_with_a_reason() {
    let (patchbay, client, sink) = shared().await;
    for body in ["", "{", "[]", "null", "{\"object\":\"page\",\"entry\":[]}", "\u{0}"] {
        let signature = patchbay.sign_callback(body.as_bytes());
        let reply = patchbay.callback_signed(body, Some(&signature)).await;
        assert_eq!(reply.status, 400, "{body:?}: {}", reply.text);
        assert_eq!(reply.json()["details"][0]["field"], "body", "{}", reply.text);
    }
    patchbay.callback(&text_from(&client, "wamid.still-there", "27821110006", "still there")).await;
    arrives(&sink, "still there").await;
}

#[tokio::test]
async fn an_item_that_cannot_be_read_is_listed_and_its_neighbours_are_taken() {
    let (patchbay, client, sink) = shared().await;
    let mut body = text_from(&client, "wamid.good", "27821110007", "the good one");
    let messages = &mut body["entry"][0]["changes"][0]["value"]["messages"];
    let good = messages[0].clone();
    let odd = [json!(7), json!({}), json!({ "id": "wamid.x" }), json!({ "id": 1, "type": [] }), json!(null)];
    *messages = odd.into_iter().chain([good]).collect();
    body["entry"].as_array_mut().unwrap().extend([json!({}), json!({ "changes": [{}, { "field": "messages" }] })]);

    assert_eq!(patchbay.callback(&body).await.status, 200);

    arrives(&sink, "the good one").await;
    assert_eq!(sink.bodies("incoming").len(), 1);
    assert_eq!(patchbay.callback(&body).await.status, 200);
    let listed = client.get("/messaging-service/WhatsApp/failed-callbacks").await.ok();
    assert_eq!((&listed["totalElements"], &listed["content"][0]["kind"]), (&json!(5), &json!("message")));
}

#[tokio::test]
async fn a_broken_character_becomes_its_replacement_and_loses_nothing() {
    let (patchbay, client, sink) = shared().await;
    let body = text_from(&client, "wamid.broken", "27821110021", "half @@ a pair").to_string();
    let body = body.replace("@@", r"\ud83d");
    let signature = patchbay.sign_callback(body.as_bytes());

    assert_eq!(patchbay.callback_signed(body.as_str(), Some(&signature)).await.status, 200);

    arrives(&sink, "half \u{fffd} a pair").await;
}

#[tokio::test]
async fn a_callback_for_an_unknown_number_is_accepted_and_belongs_to_no_client() {
    let (patchbay, client, sink) = shared().await;
    let mut stranger = text_from(&client, "wamid.stranger", "27821110008", "to nobody");
    stranger["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = json!("999999");
    let known = text_from(&client, "wamid.known", "27821110008", "to somebody");
    let mut both = stranger.clone();
    both["entry"].as_array_mut().unwrap().push(known["entry"][0].clone());

    assert_eq!(patchbay.callback(&stranger).await.status, 200);
    assert_eq!(patchbay.callback(&both).await.status, 200);

    arrives(&sink, "to somebody").await;
    assert_eq!(patchbay.rows_of(&client.client_ref).await["chat_message"], 1);
    patchbay.until_logged("a callback is for an unknown number, account or page").await;
    let metrics = patchbay.get("/metrics").await.text;
    assert!(metrics.contains(r#"patchbay_callback_items_stray_total{source="number"}"#), "{metrics}");
}

#[tokio::test]
async fn a_message_that_comes_before_its_number_is_added_reaches_the_client_that_adds_it() {
    let (patchbay, client, sink) = shared().await;
    let number = patchbay.new_phone().msisdn;
    let id = format!("7{number}");
    let mut early = text_from(&client, "wamid.early", "27821110012", "too early");
    early["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = json!(id);
    assert_eq!(patchbay.callback(&early).await.status, 200);

    let add = ["number", "add", "--client", &client.client_ref, "--number", &number, "--provider", "WHATSAPP_CLOUD"];
    let account = ["--phone-number-id", &id, "--waba-id", &id, "--access-token", "token-of-the-tests"];
    patchbay.admin(&[&add[..], &account[..]].concat());

    arrives(&sink, "too early").await;
}

#[tokio::test]
async fn a_status_on_one_clients_number_does_not_touch_anothers_message() {
    let (patchbay, client, sink) = shared().await;
    let intruder = patchbay.new_client().await;
    let (phone, other) = (patchbay.new_phone(), patchbay.new_phone());
    phone.set(json!({ "autoDeliver": false })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "SENT").await;
    let send = patchbay.provider_sends(&client).await.remove(0);
    let (wamid, opaque) = (send["wamid"].as_str().unwrap(), send["body"]["biz_opaque_callback_data"].as_str());

    let read = intruder.callback(status(wamid, "read", opaque));
    assert_eq!(patchbay.callback(&read).await.status, 200);

    client.send(&client.order_ready(&[&other.msisdn])).await.accepted();
    client.statuses(&sink, &format!("ct-{}", other.msisdn), "DELIVERED").await;
    let of_phone = sink.bodies("status").into_iter().filter(|body| body["ctId"] == format!("ct-{}", phone.msisdn));
    assert_eq!(of_phone.map(|body| body["status"].clone()).collect::<Vec<_>>(), ["ACCEPTED", "SENT"]);
}

#[tokio::test]
async fn a_replayed_status_is_not_reported_again() {
    let (patchbay, client, sink) = shared().await;
    let (phone, other) = (patchbay.new_phone(), patchbay.new_phone());
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let ct_id = format!("ct-{}", phone.msisdn);
    let before = client.statuses(&sink, &ct_id, "DELIVERED").await;
    let send = patchbay.provider_sends(&client).await.remove(0);
    let (wamid, opaque) = (send["wamid"].as_str().unwrap(), send["body"]["biz_opaque_callback_data"].as_str());

    for state in ["sent", "delivered", "sent"] {
        assert_eq!(patchbay.callback(&client.callback(status(wamid, state, opaque))).await.status, 200);
    }

    client.send(&client.order_ready(&[&other.msisdn])).await.accepted();
    client.statuses(&sink, &format!("ct-{}", other.msisdn), "DELIVERED").await;
    assert_eq!(client.statuses(&sink, &ct_id, "DELIVERED").await, before);
}

#[tokio::test]
async fn given_up_items_are_taken_again_for_a_client_that_exists() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let retry = ["callback", "retry", "--client", &client.client_ref];
    assert_eq!(patchbay.admin(&retry), json!({ "clientRef": client.client_ref, "items": 0 }));
    assert!(patchbay.refused(&["callback", "retry", "--client", "no-such-client"]).contains("there is no client"));
}
