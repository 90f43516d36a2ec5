//! Lite over an HTTP bridge with WAHA's API, which a stub simulates.

use harness::{Patchbay, PatchbaySetup, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Lite, UP,
    waha::{KEY, SECRET, Waha, seconds},
};

const MESSAGES: &str = "/chat-service/api/v2/messages";

fn with(waha: &Waha) -> PatchbaySetup {
    PatchbaySetup::new()
        .set("whatsapp_lite.bridge_url", &waha.url())
        .set("whatsapp_lite.bridge_api_key", KEY)
        .set("whatsapp_lite.webhook_secret", SECRET)
}

/// A connected number behind the bridge, and the name of its session there.
async fn connected<'p>(patchbay: &'p Patchbay, waha: &Waha) -> (Lite<'p>, String) {
    let lite = Lite::new(patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    let (session, _) = waha.session().await;
    waha.set_status(&session, "WORKING");
    lite.told(UP).await;
    (lite, session)
}

/// The chat of a customer that has written one message with the id `AAAA`.
async fn customer_wrote(lite: &Lite<'_>, waha: &Waha) -> String {
    let told = json!({
        "id": "false_27820000001@c.us_AAAA", "timestamp": 1_760_000_000, "from": "27820000001@c.us",
        "fromMe": false, "body": "hello",
    });
    assert_eq!(waha.tells("message", told, SECRET).await, 200);
    eventually("the chat", || async {
        let page = lite.client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        Some(page["content"][0]["id"].as_str()?.to_owned())
    })
    .await
}

/// WhatsApp's id of the message with this text.
async fn id_of(lite: &Lite<'_>, chat: &str, text: &str) -> String {
    eventually("the id of a message", || async {
        let past = lite.client.get(&format!("{MESSAGES}?participantId={chat}")).await.ok();
        let found = past.as_array().unwrap().iter().find(|message| message["text"] == text).cloned();
        Some(found?["whatsAppMessageId"].as_str()?.to_owned())
    })
    .await
}

#[tokio::test]
async fn a_number_behind_a_bridge_is_paired_sends_and_receives() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let lite = Lite::new(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    assert_eq!(lite.waits_for_scan().await, "2@code-of-the-bridge");
    let (session, webhook) = waha.session().await;
    assert_eq!(webhook["hmac"]["key"], SECRET);
    waha.set_status(&session, "WORKING");
    let texts = lite.told(UP).await;
    assert_eq!(texts, ["Initializing...", "Connecting...", UP]);

    let payload = {
        let mut payload = lite.client.chat("27820000001", "over the bridge");
        payload["messages"][0]["recipients"][0]["ctId"] = json!("ct-1");
        payload
    };
    lite.client.send(&payload).await.accepted();
    lite.client.statuses(&lite.sink, "ct-1", "ACCEPTED").await;
    let (path, body) = waha.sent()[0].clone();
    let expected = json!({ "session": session, "chatId": "27820000001@c.us", "text": "over the bridge" });
    assert_eq!((path.as_str(), body), ("sendText", expected));
    for (ack, name) in [(1, "SERVER"), (2, "DEVICE"), (3, "READ")] {
        let id = "true_27820000001@c.us_3EB00000000000000001";
        let told = json!({ "id": id, "from": "27820000001@c.us", "fromMe": true, "ack": ack, "ackName": name });
        assert_eq!(waha.tells("message.ack", told, SECRET).await, 200);
    }
    let statuses = lite.client.statuses(&lite.sink, "ct-1", "READ").await;
    assert_eq!(statuses, ["ACCEPTED", "SENT", "DELIVERED", "READ"]);

    let told = json!({
        "id": "false_27820000001@c.us_AAAA", "timestamp": 1_760_000_000, "from": "27820000001@c.us", "fromMe": false,
        "to": "27831000001@c.us", "body": "thank you", "hasMedia": false, "_data": { "notifyName": "Zo" },
    });
    assert_eq!(waha.tells("message", told.clone(), SECRET).await, 200);
    assert_eq!(waha.tells("message", told, SECRET).await, 200);
    let body = lite.sink.receives("incoming", "the message", |body| body["text"] == "thank you").await;
    assert_eq!((&body["sender"], &body["profileName"]), (&json!("27820000001"), &json!("Zo")));
    assert_eq!(lite.sink.bodies("incoming").len(), 1, "a repetition is no second message");

    lite.ask(Method::POST, "/disconnect", None).await.accepted();
    lite.told("Disconnected by API request").await;
    assert_eq!(waha.status(&session), "STOPPED");
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.up_times(2).await;
}

#[tokio::test]
async fn a_webhook_of_a_bridge_must_be_signed_and_be_about_a_lite_number() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let lite = Lite::new(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    waha.session().await;
    let told = json!({ "id": "false_27820000001@c.us_BBBB", "timestamp": 1_760_000_000, "from": "27820000001@c.us", "body": "x" });
    assert_eq!(waha.tells("message", told.clone(), "another secret").await, 401);
    let group = json!({ "id": "false_1@g.us_CCCC", "timestamp": 1_760_000_000, "from": "1203@g.us", "body": "x" });
    assert_eq!(waha.tells("message", group, SECRET).await, 200);
    let unknown = uuid::Uuid::from_u128(1);
    let path = format!("/providers/whatsapp-lite/webhook/{unknown}/{unknown}");
    let unsigned = patchbay.ask(Method::POST, &path, &[("content-type", "application/json")], "{}").await;
    assert_eq!(unsigned.status, 401);
    assert!(lite.sink.bodies("incoming").is_empty());
}

#[tokio::test]
async fn a_quote_over_a_bridge_names_the_author_of_the_message() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let (lite, _) = connected(&patchbay, &waha).await;
    let chat = customer_wrote(&lite, &waha).await;
    let says = async |text: &str, quoted: Option<&str>| {
        let mut body = json!({ "participantId": chat, "channel": "WHATSAPP", "text": text });
        if let Some(quoted) = quoted {
            body["quotedExternalMessageId"] = json!(quoted);
        }
        lite.client.post(MESSAGES, &body).await.ok();
        let sent = || waha.sent().into_iter().find(|(_, body)| body["text"] == text);
        eventually("the call", || async { sent() }).await.1
    };
    assert_eq!(says("your words", Some("AAAA")).await["reply_to"], "false_27820000001@c.us_AAAA");
    assert_eq!(says("our own words", None).await.get("reply_to"), None);
    let ours = id_of(&lite, &chat, "our own words").await;
    let quoting = says("as we said", Some(&ours)).await;
    assert_eq!(quoting["reply_to"], format!("true_27820000001@c.us_{ours}"));
}

#[tokio::test]
async fn files_locations_and_absent_recipients_work_over_a_bridge() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let (lite, _) = connected(&patchbay, &waha).await;
    waha.bridge.lock().unwrap().absent.push("27820000002".to_owned());
    let mut payload = lite.client.chat("27820000002", "anybody?");
    payload["messages"][0]["recipients"][0]["ctId"] = json!("ct-2");
    lite.client.send(&payload).await.accepted();
    lite.client.statuses(&lite.sink, "ct-2", "FAILED").await;
    let picture = json!({
        "sender": lite.number,
        "messageType": "CHAT",
        "messages": [{
            "recipients": [{ "to": "27820000001", "ctId": "ct-3" }],
            "media": { "url": "https://files.example/cat.jpg", "caption": "a cat" },
        }],
    });
    lite.client.send(&picture).await.accepted();
    lite.client.statuses(&lite.sink, "ct-3", "ACCEPTED").await;
    let sent = waha.sent();
    assert_eq!(sent.len(), 1, "nothing goes to an unknown recipient: {sent:?}");
    let (path, body) = &sent[0];
    assert_eq!(path, "sendImage");
    assert_eq!((&body["file"]["url"], &body["caption"]), (&json!("https://files.example/cat.jpg"), &json!("a cat")));
}

#[tokio::test]
async fn agents_react_read_and_type_over_a_bridge() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let (lite, session) = connected(&patchbay, &waha).await;
    let chat = customer_wrote(&lite, &waha).await;

    for call in ["read", "typing"] {
        let path = format!("{MESSAGES}/{call}?participantId={chat}");
        let shown = lite.client.request(Method::POST, &path, None, &[]).await;
        assert_eq!(shown.ok(), json!({ "shown": true }), "{call}");
    }
    let react = |emoji: Value, on: &str| {
        let reaction = json!({ "externalMessageId": on, "emoji": emoji });
        json!({ "participantId": chat, "channel": "WHATSAPP", "reaction": reaction })
    };
    let goes = async |count: usize| eventually("a call", || async { waha.sent().get(count - 1).cloned() }).await;
    lite.client.post(MESSAGES, &react(json!("👍"), "AAAA")).await.ok();
    goes(3).await;
    lite.client.post(MESSAGES, &react(Value::Null, "AAAA")).await.ok();
    goes(4).await;
    let (by, on) = ("27820000001@c.us", "false_27820000001@c.us_AAAA");
    let expected = [
        ("sendSeen", json!({ "session": session, "chatId": by, "messageIds": [on] })),
        ("startTyping", json!({ "session": session, "chatId": by })),
        ("reaction", json!({ "session": session, "messageId": on, "reaction": "👍" })),
        ("reaction", json!({ "session": session, "messageId": on, "reaction": "" })),
    ];
    assert_eq!(waha.sent(), expected.map(|(path, body)| (path.to_owned(), body)));

    let text = json!({ "participantId": chat, "channel": "WHATSAPP", "text": "our own words" });
    lite.client.post(MESSAGES, &text).await.ok();
    goes(5).await;
    let ours = id_of(&lite, &chat, "our own words").await;
    let refused = lite.client.post(MESSAGES, &react(json!("👍"), &ours)).await;
    assert_eq!(refused.faulty_fields(), ["reaction.externalMessageId"], "a device is told whose message it is");
    let told = json!({
        "id": "false_27820000001@c.us_BBBB", "timestamp": 1_760_000_000, "from": "27820000001@c.us",
        "fromMe": false, "reaction": { "text": "🙏", "messageId": format!("true_27820000001@c.us_{ours}") },
    });
    assert_eq!(waha.tells("message.reaction", told, SECRET).await, 200);
    let body = lite.sink.receives("incoming", "the reaction", |body| body["messageContentType"] == "REACTION").await;
    assert_eq!(body["text"], "🙏");
}

fn with_ct_id(lite: &Lite<'_>, to: &str, ct_id: &str, text: &str) -> Value {
    let mut payload = lite.client.chat(to, text);
    payload["messages"][0]["recipients"][0]["ctId"] = json!(ct_id);
    payload
}

#[tokio::test]
async fn a_message_whose_answer_was_lost_is_recovered_from_its_report_and_sent_once() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let (lite, _) = connected(&patchbay, &waha).await;
    let (zo, here) = ("27820000001@c.us", "27831000001@c.us");
    // Some engines do not say which device sent a message.
    for (ct_id, text, source) in [("ct-7", "first", json!("api")), ("ct-8", "second", Value::Null)] {
        waha.bridge.lock().unwrap().lost_answers = 1;
        lite.client.send(&with_ct_id(&lite, "27820000001", ct_id, text)).await.accepted();
        eventually("the call", || async { waha.sent().iter().any(|(_, body)| body["text"] == text).then_some(()) })
            .await;
        let id = format!("true_{zo}_3EB0{text}");
        let report = json!({
            "id": id, "timestamp": seconds(), "from": here, "to": zo, "fromMe": true, "source": source, "body": text,
        });
        assert_eq!(waha.tells("message.any", report, SECRET).await, 200);
        lite.client.statuses(&lite.sink, ct_id, "SENT").await;
        let ack = json!({ "id": id, "from": zo, "fromMe": true, "ack": 2 });
        assert_eq!(waha.tells("message.ack", ack, SECRET).await, 200);
        lite.client.statuses(&lite.sink, ct_id, "DELIVERED").await;
    }
    // A message in doubt would be sent again by now, before a new one.
    patchbay.advance_clock(180).await;
    lite.client.send(&with_ct_id(&lite, "27820000001", "ct-9", "third")).await.accepted();
    lite.client.statuses(&lite.sink, "ct-9", "ACCEPTED").await;
    let texts: Vec<Value> = waha.sent().into_iter().map(|(_, body)| body["text"].clone()).collect();
    assert_eq!(texts, ["first", "second", "third"]);
}

#[tokio::test]
async fn a_message_goes_to_the_spelling_of_the_number_that_whatsapp_knows() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let (lite, _) = connected(&patchbay, &waha).await;
    let (asked, known) = ("5511987654321", "551187654321@c.us");
    waha.bridge.lock().unwrap().accounts.insert(asked.to_owned(), known.to_owned());
    lite.client.send(&with_ct_id(&lite, asked, "ct-10", "hello")).await.accepted();
    lite.client.statuses(&lite.sink, "ct-10", "ACCEPTED").await;
    assert_eq!(waha.sent()[0].1["chatId"], known);
    let ack = json!({ "id": format!("true_{known}_3EB00000000000000001"), "from": known, "fromMe": true, "ack": 2 });
    assert_eq!(waha.tells("message.ack", ack, SECRET).await, 200);
    lite.client.statuses(&lite.sink, "ct-10", "DELIVERED").await;
}

#[tokio::test]
async fn a_message_that_could_not_be_decrypted_has_a_placeholder_until_its_content_comes() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let (lite, _) = connected(&patchbay, &waha).await;
    let (_, webhook) = waha.session().await;
    assert!(webhook["events"].as_array().unwrap().contains(&json!("message.waiting")), "{webhook}");
    let mut told = json!({
        "id": "false_27820000001@c.us_AAAA", "timestamp": 1_760_000_000, "from": "27820000001@c.us", "fromMe": false,
    });
    assert_eq!(waha.tells("message.waiting", told.clone(), SECRET).await, 200);
    lite.sink.receives("incoming", "the placeholder", |body| body["sender"] == "27820000001").await;
    told["body"] = json!("hello");
    assert_eq!(waha.tells("message.any", told, SECRET).await, 200);
    lite.sink.receives("incoming", "the message", |body| body["text"] == "hello").await;
    assert_eq!(lite.sink.bodies("incoming").len(), 2);
}
