//! Messages over Messenger in both directions: content, states, messages from the page's own inbox, windows.

use harness::{Patchbay, PatchbaySetup, WebhookSink, eventually};
use serde_json::json;

use super::with_bot;

#[tokio::test]
async fn a_message_reaches_chat_and_webhooks_and_its_sender_has_a_name() {
    let (patchbay, client, sink, person) = with_bot("clerk").await;
    person.set(json!({ "firstName": "Zo", "lastName": "Mbeki" })).await;
    let mid = person.write("say hello").await;
    let answer = person.hears("hello").await;
    assert_eq!(answer["pageId"], json!(person.page));
    let incoming = sink.receives("incoming", "the message", |body| body["text"] == "say hello").await;
    assert_eq!((&incoming["profileName"], &incoming["receiver"]), (&json!("Zo Mbeki"), &json!(person.page)));
    assert_eq!((&incoming["messageContentType"], &incoming["senderUserId"]), (&json!("TEXT"), &json!(person.psid)));
    assert!(incoming.get("sender").is_none_or(serde_json::Value::is_null), "{incoming}");
    let event = sink.receives("chatbot", "the event", |event| event["direction"] == "INCOMING").await;
    assert_eq!((&event["messageText"], &event["receiverMsisdn"]), (&json!("say hello"), &json!(person.page)));
    assert_eq!(event["senderUserId"], json!(person.psid));
    let mut db = patchbay.database().await;
    let statement = "SELECT message.channel, message.provider_id FROM chat_message message
        JOIN client ON client.id = message.client_id WHERE client.client_ref = $1 ORDER BY sequence_number";
    let rows: Vec<(String, Option<String>)> = eventually("both messages", || async {
        let mut db = patchbay.database().await;
        let rows: Vec<(String, Option<String>)> =
            sqlx::query_as(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
        (rows.len() == 2 && rows[1].1.is_some()).then_some(rows)
    })
    .await;
    assert!(rows.iter().all(|(channel, _)| channel == "FACEBOOK"));
    assert_eq!(rows[0].1.as_deref(), Some(mid.as_str()));
    assert_eq!(rows[1].1.as_deref(), answer["id"].as_str());
    let address: (String, String) = sqlx::query_as(
        "SELECT kind, value FROM customer_address JOIN client ON client.id = client_id WHERE client_ref = $1",
    )
    .bind(&client.client_ref)
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(address, ("PSID".to_owned(), person.psid.clone()));
}

/// States and error codes of the client's messages, oldest first.
async fn states(patchbay: &Patchbay, client_ref: &str) -> Vec<(String, Option<String>)> {
    let mut db = patchbay.database().await;
    let statement = "SELECT leg.state, leg.error_code FROM outbound_leg leg JOIN client ON client.id = leg.client_id
        WHERE client_ref = $1 ORDER BY message_id";
    sqlx::query_as(statement).bind(client_ref).fetch_all(&mut db).await.unwrap()
}

async fn reaches(patchbay: &Patchbay, client_ref: &str, state: &str, messages: usize) {
    eventually(&format!("{messages} messages that are {state}"), || async {
        let all = states(patchbay, client_ref).await;
        (all.len() == messages && all.iter().all(|(one, _)| one == state)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_message_is_sent_delivered_and_read_and_a_read_means_all_before_it() {
    let (patchbay, client, _, person) = with_bot("clerk").await;
    person.set(json!({ "autoDeliver": false })).await;
    person.write("twice hello").await;
    person.hears("hello 2").await;
    reaches(&patchbay, &client.client_ref, "SENT", 2).await;
    person.set(json!({ "autoDeliver": true })).await;
    person.read().await;
    reaches(&patchbay, &client.client_ref, "READ", 2).await;
    let mut db = patchbay.database().await;
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM messenger_unread WHERE psid = $1")
        .bind(&person.psid)
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(left, 0, "read messages are not searched again");
}

#[tokio::test]
async fn a_delivery_that_names_no_messages_means_all_up_to_its_moment() {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.page(&client, "555").await;
    client.activate("clerk").await;
    patchbay.simulate("/simulator/faults", &json!({ "messengerWithoutMids": true })).await;
    let person = patchbay.person("24071234567", "555");
    person.write("twice hello").await;
    reaches(&patchbay, "acme", "DELIVERED", 2).await;
}

#[tokio::test]
async fn messages_of_the_page_from_elsewhere_are_in_the_chat_and_ours_are_not_there_twice() {
    let (patchbay, client, sink, person) = with_bot("clerk").await;
    person.write("say ours").await;
    person.hears("ours").await;
    let by_hand = json!({ "psid": person.psid, "text": "from the page itself" });
    patchbay.simulate(&format!("/messenger/pages/{}/inbox", person.page), &by_hand).await;
    let statement = "SELECT owner, body FROM chat_message message JOIN client ON client.id = message.client_id
        WHERE client_ref = $1 ORDER BY sequence_number";
    let rows: Vec<(String, Option<String>)> = eventually("the page's own words", || async {
        let mut db = patchbay.database().await;
        let rows: Vec<(String, Option<String>)> =
            sqlx::query_as(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
        rows.iter().any(|(owner, _)| owner == "PAGE").then_some(rows)
    })
    .await;
    let said: Vec<(&str, &str)> = rows.iter().map(|(owner, body)| (owner.as_str(), body.as_deref().unwrap())).collect();
    assert_eq!(said, [("CUSTOMER", "say ours"), ("BOT", "ours"), ("PAGE", "from the page itself")]);
    assert!(!sink.bodies("chatbot").iter().any(|event| event["messageText"] == "from the page itself"));
}

#[tokio::test]
async fn a_file_of_a_customer_is_fetched_at_once_and_kept() {
    let (patchbay, _, sink, person) = with_bot("clerk").await;
    person.send(json!({ "type": "file", "text": "the bill", "filename": "My bill.pdf" })).await;
    let body = sink.receives("incoming", "the file", |body| body["caption"] == "the bill").await;
    assert_eq!((&body["messageContentType"], &body["fileExtension"]), (&json!("MEDIA"), &json!("pdf")));
    let url = body["mediaUrl"].as_str().unwrap().to_owned();
    let file = eventually("the file", || async {
        let answer = patchbay.http.get(&url).send().await.unwrap();
        (answer.status() == 200).then_some(answer)
    })
    .await;
    assert!(file.bytes().await.unwrap().starts_with(b"%PDF"));
}

#[tokio::test]
async fn locations_reactions_taps_and_unmodelled_content_arrive() {
    let (_patchbay, _, sink, person) = with_bot("clerk").await;
    person.send(json!({ "type": "location", "location": { "lat": -33.9, "long": 18.4, "title": "Office" } })).await;
    let place = sink.receives("incoming", "the place", |body| body["messageContentType"] == "LOCATION").await;
    assert_eq!(
        (&place["latitude"], &place["longitude"], &place["label"]),
        (&json!("-33.9"), &json!("18.4"), &json!("Office"))
    );
    person.postback("Get started", "START").await;
    let tapped = sink.receives("incoming", "the tap", |body| body["messageContentType"] == "BUTTON").await;
    assert_eq!((&tapped["buttonText"], &tapped["buttonPayload"]), (&json!("Get started"), &json!("START")));
    person.write("say react to me").await;
    let answer = person.hears("react to me").await;
    person.react(answer["id"].as_str().unwrap(), Some("😮")).await;
    let reaction = sink.receives("incoming", "the reaction", |body| body["messageContentType"] == "REACTION").await;
    assert_eq!(reaction["text"], "😮");
    person.send(json!({ "type": "unsupported" })).await;
    person.hears("got").await;
}

#[tokio::test]
async fn a_tap_of_the_persistent_menu_is_a_choice_of_no_message_for_a_chatbot() {
    let (_patchbay, _client, _sink, person) = with_bot("clerk").await;
    person.postback("Get started", "START").await;
    person.hears("got menu START").await;
}

#[tokio::test]
async fn a_quoted_reply_names_the_message_both_ways() {
    let (patchbay, _, sink, person) = with_bot("clerk").await;
    let mid = person.write("quote").await;
    let answer = person.hears("quoted").await;
    assert_eq!(answer["body"]["reply_to"]["mid"], json!(mid));
    let quoted = person.send(json!({ "text": "say about that", "quote": answer["id"] })).await;
    let event = sink.receives("chatbot", "the quote", |event| event["messageText"] == "say about that").await;
    assert_eq!(event["quotedText"], "quoted");
    assert!(!quoted.is_empty() && !patchbay.page_sends("send").await.is_empty());
}

#[tokio::test]
async fn a_reply_that_overtakes_the_answer_to_its_message_names_it() {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.bare_client("acme");
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    patchbay.page(&client, "555").await;
    client.activate("clerk").await;
    patchbay.simulate("/simulator/faults", &json!({ "holdAnswersMillis": 1500 })).await;
    let person = patchbay.person("24071234567", "555");
    person.write("say held").await;
    let answer = person.hears("held").await;

    person.send(json!({ "text": "say about that", "quote": answer["id"] })).await;

    let event = sink.receives("chatbot", "the quote", |event| event["messageText"] == "say about that").await;
    assert_eq!(event["quotedText"], "held");
}

#[tokio::test]
async fn after_24_hours_a_chatbot_says_nothing_more_and_the_message_fails_with_the_reason() {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.page(&client, "555").await;
    client.activate("clerk").await;
    let person = patchbay.person("24071234567", "555");
    person.write("remind tea 90000").await;
    person.hears("reminder tea set").await;
    patchbay.advance_clock(90_000).await;
    let failed = eventually("the reminder fails", || async {
        states(&patchbay, "acme").await.into_iter().find(|(state, _)| state == "FAILED")
    })
    .await;
    assert_eq!(failed.1.as_deref(), Some("10"));
    assert!(!person.inbox().await.iter().any(|message| message["text"] == "time for tea"));
}

#[tokio::test]
async fn a_lost_answer_is_recovered_from_the_echo_and_the_customer_gets_the_message_once() {
    let (patchbay, client, _, person) = with_bot("clerk").await;
    person.write("say first").await;
    person.hears("first").await;
    person.set(json!({ "timeout": true })).await;
    person.write("say held").await;
    person.hears("held").await;
    // The call has no answer yet: the echo has changed the state.
    reaches(&patchbay, &client.client_ref, "DELIVERED", 2).await;
    let said = person.inbox().await.into_iter().filter(|message| message["text"] == "held").count();
    assert_eq!(said, 1);
}
