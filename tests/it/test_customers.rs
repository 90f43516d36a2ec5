//! Test customers of a sandbox: those that write first, those that answer SMS, and visitors of a site; marks of live events
//! and callbacks (`docs/test-keys.md`).

use futures::StreamExt;
use harness::{SharedPatchbay, TestClient, TestSite, TestVisitor, WebhookSink, eventually};
use serde_json::{Value, json};

use crate::{
    live_events::{socket, try_socket, until},
    test_keys::{OWN_NUMBER, SYNC, sample, sandbox_of, shared},
};

const WRITE: &str = "/api/v1/test-messages";
const CHATS: &str = "/chat-service/api/v2/chats?scope=all";
const EVENTS: &str = "/chat-service/api/v2/events";
const SITES: &str = "/messaging-service/web/sites";

/// Lets a test customer write, and returns the chat.
async fn chat_with(sandbox: &TestClient, (channel, inbox): (&str, &str), from: &str) -> Value {
    let body = json!({ "inbox": inbox, "from": from, "text": "Is my order ready?", "name": "Thandi" });
    let written = sandbox.post(WRITE, &body).await;
    assert_eq!(written.status, 202, "{}", written.text);
    assert!(written.json()["messageId"].as_str().unwrap().starts_with("sandbox."), "{}", written.text);
    eventually("the chat", || async {
        let chats = sandbox.get(CHATS).await.ok();
        chats["content"].as_array().unwrap().iter().find(|chat| chat["channel"] == channel).cloned()
    })
    .await
}

/// Sends a text in a chat as an agent.
async fn answer(sandbox: &TestClient, chat: &Value) {
    let body = json!({ "participantId": chat["id"], "channel": chat["channel"], "text": "It is." });
    let sent = sandbox.post("/chat-service/api/v2/messages", &body).await;
    assert!(sent.status < 300, "{}", sent.text);
}

async fn reaches(sandbox: &TestClient, chat: &Value, status: &str) {
    let path = format!("/chat-service/api/v2/messages?participantId={}", chat["id"].as_str().unwrap());
    eventually(status, || async {
        let page = sandbox.get(&path).await.ok();
        page.as_array().unwrap().iter().any(|one| one["status"] == status).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_customer_writes_first_and_gets_an_answer() {
    let (_patchbay, client, sandbox, sink) = shared().await;

    let chat = chat_with(&sandbox, ("WHATSAPP", OWN_NUMBER), "+9992000001").await;

    assert_eq!(chat["name"], "Thandi", "{chat}");
    sink.receives("incoming", "the question", |body| body.to_string().contains("Is my order ready?")).await;
    answer(&sandbox, &chat).await;
    reaches(&sandbox, &chat, "READ").await;
    assert_eq!(client.get(CHATS).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn pages_bots_and_lite_numbers_have_copies_that_no_provider_knows() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let digits = patchbay.new_phone().msisdn;
    let (page, bot, lite) = (format!("55{digits}"), digits.clone(), format!("2783{}", &digits[4..]));
    patchbay.page(&client, &page).await;
    patchbay.bot(&client, &bot, "--webhook");
    patchbay.lite_number(&client, &lite);
    let sandbox = sandbox_of(&client).await;
    let sink = WebhookSink::start().await;
    sandbox.webhooks_to(&sink, "v2").await;

    let customers = [("FACEBOOK", &page, "+9992000001", "READ"), ("TELEGRAM", &bot, "9991000001", "DELIVERED")];
    for (channel, inbox, from, status) in customers {
        let chat = chat_with(&sandbox, (channel, inbox), from).await;
        assert_eq!(chat["userId"], from.trim_start_matches('+'), "{chat}");
        answer(&sandbox, &chat).await;
        reaches(&sandbox, &chat, status).await;
    }
    let text = json!({
        "sender": lite,
        "messageType": "CHAT",
        "messages": [{ "recipients": [{ "to": "+9991000002", "ctId": "lite" }], "messageText": "Hello" }],
    });
    sandbox.send(&text).await.accepted();
    sandbox.statuses(&sink, "lite", "DELIVERED").await;
    assert_eq!(client.get(CHATS).await.ok()["totalElements"], 0);
    assert!(patchbay.page_sends("message").await.iter().all(|sent| !sent.to_string().contains("9992000001")));
}

#[tokio::test]
async fn a_site_has_a_copy_whose_visitors_are_customers_of_the_sandbox() {
    const ORIGIN: &str = "https://shop.example";
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let site = client.new_site(ORIGIN, json!({})).await;
    let sandbox = sandbox_of(&client).await;

    let copies = sandbox.get(SITES).await.ok();

    let text = |field: &str| copies["content"][0][field].as_str().unwrap().to_owned();
    let copy = TestSite { id: text("id"), key: text("siteKey"), origin: ORIGIN.to_owned() };
    assert!(copy.key != site.key && !copy.key.contains(&site.key), "{copies}");
    let mut visitor = TestVisitor::arrive(&patchbay, &copy).await;
    visitor.writes("hello").await;
    let chat = eventually("the chat", || async { sandbox.get(CHATS).await.ok()["content"].get(0).cloned() }).await;
    answer(&sandbox, &chat).await;
    visitor.sees("It is.").await;
    assert_eq!(client.get(CHATS).await.ok()["totalElements"], 0);
    patchbay.admin(&["site", "remove", "--client", &client.client_ref, "--id", &site.id]);
    sandbox.post(SYNC, &Value::Null).await.ok();
    assert_eq!(sandbox.get(SITES).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn only_a_test_key_writes_as_a_customer_and_only_as_a_test_number() {
    let (_patchbay, client, sandbox, _sink) = shared().await;
    let body = json!({ "inbox": OWN_NUMBER, "from": "+9991000001", "text": "hi" });

    let live = client.post(WRITE, &body).await;

    assert_eq!(live.status, 403, "{}", live.text);
    assert!(live.text.contains("only a test key may write as a customer of the sandbox"), "{}", live.text);
    let other = |field: &str, value: &str| {
        let mut body = body.clone();
        body[field] = json!(value);
        body
    };
    assert_eq!(sandbox.post(WRITE, &other("from", "27820000001")).await.faulty_fields(), ["from"]);
    assert_eq!(sandbox.post(WRITE, &other("inbox", "27820000001")).await.faulty_fields(), ["inbox"]);
    assert_eq!(sandbox.post(WRITE, &other("text", &"x".repeat(4097))).await.faulty_fields(), ["text"]);
    assert_eq!(sandbox.post(WRITE, &json!({})).await.faulty_fields(), ["inbox", "from", "text"]);
}

#[tokio::test]
async fn an_sms_to_a_number_that_answers_brings_a_reply_and_its_callbacks_are_marked() {
    let (patchbay, _client, sandbox, sink) = shared().await;
    let body = json!({
        "recipients": [{ "to": "+9996000001" }],
        "messageText": "hello",
        "settings": { "receiptCallBackURL": sink.url("receipt"), "replyCallBackURL": sink.url("reply") },
    });

    patchbay.sms(&sandbox, "/sms/json", &body).await.ok();

    let reply = sink.receives_many("reply", 1).await.remove(0);
    let form = reply.form();
    assert_eq!((form["from"].as_str(), form["messageText"].as_str()), ("9996000001", "This is a test reply."));
    sink.receives_many("receipt", 1).await;
    let received = [sink.received("reply"), sink.received("receipt")].concat();
    assert!(received.iter().all(|one| one.header("webhook-test") == "true"));
}

#[tokio::test]
async fn the_answer_to_a_fallback_opens_a_chat_over_sms() {
    let (_patchbay, _client, sandbox, _sink) = shared().await;
    let body =
        json!({ "messages": [{ "recipients": [{ "to": "+9996000009" }], "messageText": "Your order is ready." }] });

    sandbox.post("/whatsapp-api-service/v2/channels/sms", &body).await.accepted();

    let chat = eventually("the chat", || async { sandbox.get(CHATS).await.ok()["content"].get(0).cloned() }).await;
    assert_eq!((&chat["channel"], &chat["phoneNumber"]), (&json!("SMS"), &json!("9996000009")), "{chat}");
}

#[tokio::test]
async fn live_events_of_a_sandbox_and_the_connection_with_a_ticket_are_marked() {
    let (patchbay, client, sandbox, _sink) = shared().await;
    let mut events = socket(&patchbay.url(), "", &sandbox.key).await;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    until(&mut live, "hello").await;

    sandbox.send(&sample("+9996000003")).await.accepted();

    let came = until(&mut events, "message.received").await;
    assert_eq!(came.last().unwrap()["test"], true, "{came:?}");
    let phone = patchbay.new_phone();
    phone.write(&client.number, "hello").await;
    let came = until(&mut live, "message.received").await;
    assert_eq!(came.last().unwrap().get("test"), None, "{came:?}");

    let ticket = sandbox.post(&format!("{EVENTS}/ticket"), &json!({})).await.ok();
    let query = format!("?ticket={}", ticket["ticket"].as_str().unwrap());
    let answer = patchbay.http.get(format!("{}{EVENTS}{query}", patchbay.url()));
    let stream = answer.header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(stream.headers()["x-test-key"], "true");
    assert!(stream.bytes_stream().next().await.is_some());
    assert!(try_socket(&patchbay.url(), &query, None).await.is_err(), "a ticket is valid once");
}
