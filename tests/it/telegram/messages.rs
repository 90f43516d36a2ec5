//! Messages over Telegram in both directions: content, states, edits, reactions, quotes, errors.

use harness::{Patchbay, eventually};
use serde_json::{Value, json};

use super::with_bot;

#[tokio::test]
async fn a_message_by_long_polling_reaches_chat_and_webhooks_and_its_sender_has_a_name() {
    let (patchbay, client, sink, user) = with_bot("clerk", "--polling").await;
    user.set(json!({ "firstName": "Zo", "lastName": "Mbeki", "username": "zo" })).await;
    let number = user.write("say hello").await;
    let answer = user.hears("hello").await;
    let incoming = sink.receives("incoming", "the message", |body| body["text"] == "say hello").await;
    assert_eq!((&incoming["profileName"], &incoming["receiver"]), (&json!("Zo Mbeki"), &json!(user.bot)));
    assert_eq!((&incoming["messageContentType"], &incoming["senderUserId"]), (&json!("TEXT"), &json!(user.id)));
    let statement = "SELECT message.channel, message.provider_id FROM chat_message message
        JOIN client ON client.id = message.client_id WHERE client.client_ref = $1 ORDER BY sequence_number";
    let rows: Vec<(String, Option<String>)> = eventually("both messages", || async {
        let mut db = patchbay.database().await;
        let rows: Vec<(String, Option<String>)> =
            sqlx::query_as(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
        (rows.len() == 2 && rows[1].1.is_some()).then_some(rows)
    })
    .await;
    let id = |number: &Value| Some(format!("{}:{}:{number}", user.bot, user.id));
    assert!(rows.iter().all(|(channel, _)| channel == "TELEGRAM"));
    assert_eq!((&rows[0].1, &rows[1].1), (&id(&json!(number)), &id(&answer["message_id"])));
    let mut db = patchbay.database().await;
    let address: (String, String) = sqlx::query_as(
        "SELECT kind, value FROM customer_address JOIN client ON client.id = client_id WHERE client_ref = $1",
    )
    .bind(&client.client_ref)
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(address, ("TELEGRAM".to_owned(), user.id.clone()));
    let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
    assert_eq!(chats["content"][0]["channel"], "TELEGRAM");
}

#[tokio::test]
async fn an_edited_message_has_its_new_text_and_keeps_the_old_one() {
    let (_patchbay, client, sink, user) = with_bot("clerk", "--webhook").await;
    let number = user.write("say first").await;
    user.hears("first").await;
    user.edit(number, "say second").await;
    let chat = client.get("/chat-service/api/v2/chats?scope=all").await.ok()["content"][0]["id"].clone();
    let path = format!("/chat-service/api/v2/messages?participantId={}", chat.as_str().unwrap());
    let edited = eventually("the edit", || async {
        let messages = client.get(&path).await.ok();
        messages.as_array().unwrap().iter().find(|message| message["text"] == "say second").cloned()
    })
    .await;
    assert_eq!(edited["edited"], true, "{edited}");
    drop(sink);
}

#[tokio::test]
async fn locations_contacts_reactions_and_unknown_content_arrive_as_such() {
    let (_patchbay, _, sink, user) = with_bot("clerk", "--polling").await;
    user.send(json!({ "type": "venue" })).await;
    let place = sink.receives("incoming", "the place", |body| body["messageContentType"] == "LOCATION").await;
    assert_eq!(
        (&place["latitude"], &place["longitude"], &place["label"]),
        (&json!("-33.9"), &json!("18.4"), &json!("Office"))
    );
    user.write("say react to me").await;
    let answer = user.hears("react to me").await;
    user.react(answer["message_id"].as_i64().unwrap(), Some("❤")).await;
    let reaction = sink.receives("incoming", "the reaction", |body| body["messageContentType"] == "REACTION").await;
    assert_eq!(reaction["text"], "❤");
    user.send(json!({ "type": "dice" })).await;
    user.hears("got").await;
}

#[tokio::test]
async fn a_quote_names_the_message_both_ways() {
    let (_patchbay, _, sink, user) = with_bot("clerk", "--webhook").await;
    let number = user.write("quote").await;
    let answer = user.hears("quoted").await;
    assert_eq!(answer["reply_to_message"]["message_id"], json!(number));
    user.send(json!({ "text": "say about that", "quote": answer["message_id"] })).await;
    let event = sink.receives("chatbot", "the quote", |event| event["messageText"] == "say about that").await;
    assert_eq!(event["quotedText"], "quoted");
}

#[tokio::test]
async fn messages_of_a_group_are_no_conversation() {
    let (_patchbay, client, _, user) = with_bot("clerk", "--polling").await;
    user.send(json!({ "text": "say group", "chatType": "supergroup" })).await;
    user.write("say private").await;
    user.hears("private").await;
    let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
    assert_eq!(chats["content"].as_array().unwrap().len(), 1, "{chats}");
    assert!(!user.inbox().await.iter().any(|message| message["text"] == "group"));
}

/// State and error code of the messages of a client, oldest first.
async fn states(patchbay: &Patchbay, client_ref: &str) -> Vec<(String, Option<String>)> {
    let mut db = patchbay.database().await;
    let statement = "SELECT leg.state, leg.error_code FROM outbound_leg leg JOIN client ON client.id = leg.client_id
        WHERE client_ref = $1 ORDER BY message_id";
    sqlx::query_as(statement).bind(client_ref).fetch_all(&mut db).await.unwrap()
}

/// Waits until the messages of a client have these states and error codes.
pub(super) async fn settles(patchbay: &Patchbay, client_ref: &str, wanted: &[(&str, Option<&str>)]) {
    eventually(&format!("{wanted:?}"), || async {
        let all = states(patchbay, client_ref).await;
        let all: Vec<(&str, Option<&str>)> = all.iter().map(|(one, code)| (one.as_str(), code.as_deref())).collect();
        (all == wanted).then_some(())
    })
    .await;
}

/// Waits until a message of a client is in doubt.
pub(super) async fn is_in_doubt(patchbay: &Patchbay, client_ref: &str) {
    eventually("the message is in doubt", || async {
        let mut db = patchbay.database().await;
        let statement =
            "SELECT phase FROM outbound_work work JOIN client ON client.id = work.client_id WHERE client_ref = $1";
        let phase: Option<String> =
            sqlx::query_scalar(statement).bind(client_ref).fetch_optional(&mut db).await.unwrap();
        (phase.as_deref() == Some("UNKNOWN")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_customer_who_blocked_the_bot_is_not_reached() {
    let (patchbay, client, _, user) = with_bot("clerk", "--polling").await;
    user.write("say first").await;
    user.hears("first").await;
    settles(&patchbay, &client.client_ref, &[("SENT", None)]).await;
    user.treat_bot(json!({ "refuse": {
        "code": 403, "description": "Forbidden: bot was blocked by the user", "times": 1,
    } }))
    .await;
    user.write("say second").await;
    settles(&patchbay, &client.client_ref, &[("SENT", None), ("FAILED", Some("403"))]).await;
}

#[tokio::test]
async fn after_too_many_requests_the_message_goes_out_when_telegram_says() {
    let (patchbay, client, _, user) = with_bot("clerk", "--polling").await;
    let refusal = json!({ "code": 429, "description": "Too Many Requests", "retryAfter": 1, "times": 1 });
    user.treat_bot(json!({ "refuse": refusal })).await;
    user.write("say later").await;
    user.hears("later").await;
    settles(&patchbay, &client.client_ref, &[("SENT", None)]).await;
    assert_eq!(user.calls("sendMessage").await.len(), 2);
}

#[tokio::test]
async fn a_chat_limited_to_one_message_per_second_refuses_none() {
    let (patchbay, client, _, user) = with_bot("clerk", "--polling").await;
    user.treat_bot(json!({ "enforceLimits": true })).await;
    user.write("twice hello").await;
    user.hears("hello 2").await;
    settles(&patchbay, &client.client_ref, &[("SENT", None), ("SENT", None)]).await;
    assert_eq!(user.calls("sendMessage").await.len(), 2, "none was refused and sent again");
}

#[tokio::test]
async fn a_message_whose_answer_is_lost_is_in_doubt_and_not_failed() {
    let (patchbay, client, _, user) = with_bot("clerk", "--polling").await;
    let refusal = json!({ "code": 502, "description": "Bad Gateway", "times": 1 });
    user.treat_bot(json!({ "refuse": refusal })).await;
    user.write("say doubt").await;
    is_in_doubt(&patchbay, &client.client_ref).await;
    assert_eq!(user.calls("sendMessage").await.len(), 1, "it is not sent again at once");
}
