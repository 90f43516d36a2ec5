//! Messages of customers, of every type, and the identity of the customers (SPEC 2.6, 2.7, 6.1, 6.5; PROVIDERS A.8 and
//! A.10).

use harness::{Patchbay, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, inbound_text};
use serde_json::{Value, json};

async fn shared() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();
    (patchbay, client, sink, phone)
}

/// The incoming and the chatbot body of the newest message, once there are `count` of each.
async fn both(sink: &WebhookSink, count: usize) -> (Value, Value) {
    let incoming = sink.receives_many("incoming", count).await;
    let chatbot = sink.receives_many("chatbot", count).await;
    (incoming[count - 1].json(), chatbot[count - 1].json())
}

/// The only value of a query about a client; `$1` is the client's reference.
async fn stored<T>(patchbay: &Patchbay, client: &TestClient, statement: &str) -> T
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + Unpin,
{
    let mut db = patchbay.database().await;
    let statement = statement.replace("$client", "(SELECT id FROM client WHERE client_ref = $1)");
    sqlx::query_scalar(&statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap()
}

const LIVE_CUSTOMERS: &str = "SELECT count(*) FROM customer WHERE client_id = $client AND merged_into IS NULL";
const LIVE_PARTICIPANTS: &str = "SELECT count(*) FROM participant WHERE client_id = $client AND merged_into IS NULL";
const SEQUENCE: &str = "SELECT coalesce(array_agg(m.sequence_number ORDER BY m.id), '{}') FROM chat_message m
    JOIN participant p ON p.client_id = m.client_id AND p.id = m.participant_id
    WHERE m.client_id = $client AND p.merged_into IS NULL";
const CONTENT_TYPES: &str =
    "SELECT coalesce(array_agg(content_type ORDER BY id), '{}') FROM chat_message WHERE client_id = $client";

#[tokio::test]
async fn a_text_reaches_both_webhooks_with_everything_known_about_the_customer() {
    let (_patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "name": "Zo Ncube", "username": "zo" })).await;

    phone.write(&client.number, "hello there").await;

    let (incoming, chatbot) = both(&sink, 1).await;
    assert_eq!(incoming["sender"], phone.msisdn);
    assert_eq!(incoming["senderUserId"], phone.user_id().await);
    assert_eq!(incoming["username"], "zo");
    assert_eq!(incoming["profileName"], "Zo Ncube");
    assert_eq!(incoming["receiver"], client.number);
    assert_eq!(incoming["text"], "hello there");
    assert_eq!(incoming["messageContentType"], "TEXT");
    assert_eq!(incoming["messageType"], "INTERACTION");
    assert_eq!(incoming["status"], "RECEIVED");
    assert!(incoming["gstId"].is_string() && incoming["sentTime"].is_string(), "{incoming}");
    assert_eq!(chatbot["direction"], "INCOMING");
    assert_eq!(chatbot["clientRef"], client.client_ref);
    assert_eq!(chatbot["senderMsisdn"], phone.msisdn);
    assert_eq!(chatbot["receiverMsisdn"], client.number);
    assert_eq!(chatbot["messageType"], "TEXT");
    assert_eq!(chatbot["messageText"], "hello there");
    assert!(chatbot["eventId"].as_str().unwrap().parse::<uuid::Uuid>().is_ok());
    assert!(chatbot["timestamp"].is_u64(), "{chatbot}");
}

#[tokio::test]
async fn every_script_and_emoji_survives() {
    let (_patchbay, client, sink, phone) = shared().await;
    let text = "héllo \u{1f469}\u{200d}\u{1f4bb} ሰላም \"quoted\" \\ back\nnew line\ttab \u{202e}x";

    phone.write(&client.number, text).await;

    let (incoming, chatbot) = both(&sink, 1).await;
    assert_eq!(incoming["text"], text);
    assert_eq!(chatbot["messageText"], text);
}

#[tokio::test]
async fn a_location_is_reported_as_texts() {
    let (patchbay, client, sink, phone) = shared().await;
    let place = json!({ "latitude": -26.1076, "longitude": 28.0567, "name": "Shop", "address": "1 Main Road" });

    phone.send(json!({ "to": client.number, "type": "location", "location": place })).await;

    let (incoming, chatbot) = both(&sink, 1).await;
    assert_eq!(incoming["messageContentType"], "LOCATION");
    assert_eq!((&incoming["latitude"], &incoming["longitude"]), (&json!("-26.1076"), &json!("28.0567")));
    assert_eq!((&incoming["label"], &incoming["address"]), (&json!("Shop"), &json!("1 Main Road")));
    assert_eq!(chatbot["messageType"], "LOCATION");
    assert_eq!(stored::<Vec<String>>(&patchbay, &client, CONTENT_TYPES).await, ["LOCATION"]);
}

#[tokio::test]
async fn contacts_are_written_out() {
    let (_patchbay, client, sink, phone) = shared().await;

    phone.send(json!({ "to": client.number, "type": "contacts" })).await;

    let (incoming, _) = both(&sink, 1).await;
    assert_eq!(incoming["messageContentType"], "CONTACT");
    assert_eq!(incoming["text"], "Thandi Nkosi: +27 82 000 0009");
}

#[tokio::test]
async fn a_message_that_the_provider_cannot_show_has_its_code() {
    let (_patchbay, client, sink, phone) = shared().await;

    phone.send(json!({ "to": client.number, "type": "unsupported" })).await;

    let (incoming, _) = both(&sink, 1).await;
    let expected = (&json!("TEXT"), &json!("unsupported message"));
    assert_eq!((&incoming["messageContentType"], &incoming["text"]), expected);
    assert_eq!(incoming["errorCode"], "131051");
}

#[tokio::test]
async fn a_tap_on_a_templates_button_brings_the_clients_own_payload_back() {
    let (patchbay, client, sink, phone) = shared().await;
    let buttons = json!([{ "type": "button", "conversationParameters": [
        { "payload": "RATED-GOOD", "conversationState": "start" },
        { "payload": "RATED-BAD", "conversationState": "end" },
    ] }]);
    let mut payload = client.template("survey", &phone.msisdn, buttons);
    payload["messages"][0]["recipients"][0]["ctId"] = json!("survey-1");
    client.send(&payload).await.accepted();
    let received = phone.receives("the survey", |message| message["type"] == "template").await;
    let sent = patchbay.provider_sends(&client).await.remove(0);
    assert!(!sent["body"].to_string().contains("RATED"), "the provider sees tokens only: {sent}");

    phone.tap(received["id"].as_str().unwrap(), "Bad").await;

    let (incoming, chatbot) = both(&sink, 1).await;
    assert_eq!(incoming["messageContentType"], "BUTTON");
    assert_eq!((&incoming["buttonText"], &incoming["buttonPayload"]), (&json!("Bad"), &json!("RATED-BAD")));
    assert_eq!(incoming["ctId"], "survey-1");
    assert_eq!(incoming["templateName"], "survey");
    assert!(incoming["tqrmtId"].is_string(), "{incoming}");
    assert_eq!((&chatbot["messageType"], &chatbot["templateName"]), (&json!("BUTTON"), &json!("survey")));
}

#[tokio::test]
async fn a_tap_on_a_button_without_parameters_brings_its_text() {
    let (_patchbay, client, sink, phone) = shared().await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let received = phone.receives("the template", |message| message["type"] == "template").await;

    phone.tap(received["id"].as_str().unwrap(), "Track").await;

    let (incoming, _) = both(&sink, 1).await;
    assert_eq!((&incoming["messageContentType"], &incoming["buttonText"]), (&json!("BUTTON"), &json!("Track")));
    assert_eq!(incoming["bodyParameters"], json!({ "1": "Thandi", "2": "#42" }));
}

#[tokio::test]
async fn a_tap_on_a_card_of_a_carousel_brings_that_cards_payload() {
    let (_patchbay, client, sink, phone) = shared().await;
    let card = |colour: &str| {
        json!({ "components": [
            { "type": "header", "format": "IMAGE", "url": format!("https://files.example/{colour}.png") },
            { "type": "body", "parameters": [colour] },
            { "type": "button", "conversationParameters": [
                { "payload": format!("MORE-{colour}"), "conversationState": "start" }
            ] },
        ]})
    };
    let components = json!([{ "type": "carousel", "cards": [card("blue"), card("red")] }]);
    client.send(&client.template("summer_carousel", &phone.msisdn, components)).await.accepted();
    let received = phone.receives("the carousel", |message| message["type"] == "template").await;
    let on_red = received["buttons"].as_array().unwrap().iter().find(|button| button["card"] == 1).unwrap();

    phone.tap(received["id"].as_str().unwrap(), on_red["id"].as_str().unwrap()).await;

    let (incoming, chatbot) = both(&sink, 1).await;
    assert_eq!((&incoming["messageContentType"], &incoming["buttonText"]), (&json!("CAROUSEL"), &json!("More")));
    assert_eq!(incoming["buttonPayload"], "MORE-red");
    assert_eq!(chatbot["messageType"], "CAROUSEL");
}

#[tokio::test]
async fn replies_to_buttons_and_lists_bring_their_ids() {
    let (_patchbay, client, sink, phone) = shared().await;
    let replies = [
        json!({ "type": "button_reply", "button_reply": { "id": "yes-id", "title": "Yes" } }),
        json!({ "type": "list_reply", "list_reply": { "id": "red-id", "title": "Red", "description": "A colour" } }),
    ];
    for (count, interactive) in (1..).zip(replies) {
        phone.send(json!({ "to": client.number, "type": "interactive", "interactive": interactive })).await;
        let (incoming, chatbot) = both(&sink, count).await;
        assert_eq!(incoming["messageContentType"], "INTERACTIVE");
        assert_eq!(chatbot["messageType"], "INTERACTIVE");
    }
    let incoming = sink.bodies("incoming");
    let choice = |body: &Value| (body["buttonText"].clone(), body["buttonPayload"].clone());
    assert_eq!(choice(&incoming[0]), (json!("Yes"), json!("yes-id")));
    assert_eq!(choice(&incoming[1]), (json!("Red"), json!("red-id")));
}

#[tokio::test]
async fn a_reaction_names_the_message_that_it_is_on_and_can_be_taken_back() {
    let (_patchbay, client, sink, phone) = shared().await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let received = phone.receives("the template", |message| message["type"] == "template").await;
    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
    let gst_id = sink.bodies("status")[0]["gstId"].clone();

    let on = |emoji: &str| json!({ "to": client.number, "type": "reaction", "reaction": { "messageId": received["id"], "emoji": emoji } });
    phone.send(on("\u{1f44d}")).await;
    let (put, chatbot) = both(&sink, 1).await;
    phone.send(on("")).await;
    let (taken, _) = both(&sink, 2).await;

    assert_eq!((&put["messageContentType"], &put["text"]), (&json!("REACTION"), &json!("\u{1f44d}")));
    assert_eq!(put["gstId"], gst_id);
    assert_eq!(chatbot["messageType"], "REACTION");
    assert_eq!(taken["messageContentType"], "REACTION");
    assert!(taken["text"].as_str().unwrap_or_default().is_empty(), "{taken}");
    assert_eq!(taken["gstId"], gst_id);
}

#[tokio::test]
async fn a_reply_names_the_quoted_message() {
    let (_patchbay, client, sink, phone) = shared().await;
    phone.write(&client.number, "may I ask something?").await;
    both(&sink, 1).await;
    client.send(&client.chat(&phone.msisdn, "Sure, what is it?")).await.accepted();
    let received = phone.receives("the answer", |message| message["text"] == "Sure, what is it?").await;

    phone.send(json!({ "to": client.number, "text": "this", "quote": received["id"] })).await;

    let (_, chatbot) = both(&sink, 2).await;
    assert_eq!(chatbot["quotedText"], "Sure, what is it?");
    assert!(chatbot["quotedMessageId"].is_string(), "{chatbot}");
    let first = &sink.bodies("chatbot")[0];
    assert!(first.get("quotedMessageId").is_none() && first.get("quotedText").is_none(), "{first}");
}

#[tokio::test]
async fn a_reply_names_the_last_template_until_something_free_form_was_sent() {
    let (_patchbay, client, sink, phone) = shared().await;
    let state = |body: &Value| (body["templateId"].clone(), body["templateName"].clone());
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    phone.receives("the template", |message| message["type"] == "template").await;
    client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await;
    phone.write(&client.number, "thanks").await;
    let (_, after_template) = both(&sink, 1).await;

    client.send(&client.chat(&phone.msisdn, "you are welcome")).await.accepted();
    phone.receives("the text", |message| message["text"] == "you are welcome").await;
    sink.receives("status", "the text to be delivered", |body| body["ctId"].is_null() && body["status"] == "DELIVERED")
        .await;
    phone.write(&client.number, "bye").await;
    let (_, after_text) = both(&sink, 2).await;

    assert_eq!(state(&after_template), (json!(client.template_id("order_ready")), json!("order_ready")));
    assert_eq!(state(&after_text), (Value::Null, Value::Null));
}

#[tokio::test]
async fn messages_of_a_chat_are_numbered_in_their_order() {
    let (patchbay, client, sink, phone) = shared().await;
    for index in 1..=6 {
        phone.write(&client.number, &format!("message {index}")).await;
    }

    sink.receives_many("chatbot", 6).await;

    let texts: Vec<Value> = sink.bodies("chatbot").iter().map(|body| body["messageText"].clone()).collect();
    assert_eq!(texts, (1..=6).map(|index| json!(format!("message {index}"))).collect::<Vec<_>>());
    assert_eq!(stored::<Vec<i64>>(&patchbay, &client, SEQUENCE).await, [1, 2, 3, 4, 5, 6]);
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_PARTICIPANTS).await, 1);
}

#[tokio::test]
async fn a_customer_without_a_phone_number_keeps_the_chat_when_the_number_becomes_known() {
    let (patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "hidePhone": true, "username": "zo" })).await;
    phone.write(&client.number, "guess who").await;
    let (hidden, hidden_chat) = both(&sink, 1).await;
    phone.set(json!({ "hidePhone": false })).await;

    phone.write(&client.number, "it is me").await;

    let (open, open_chat) = both(&sink, 2).await;
    assert!(hidden.get("sender").is_none(), "{hidden}");
    assert_eq!(hidden["senderUserId"], phone.user_id().await);
    assert_eq!(hidden["username"], "zo");
    assert!(hidden_chat.get("senderMsisdn").is_none(), "{hidden_chat}");
    assert_eq!(open["sender"], phone.msisdn);
    assert_eq!(open_chat["chatParticipantId"], hidden_chat["chatParticipantId"]);
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_CUSTOMERS).await, 1);
}

#[tokio::test]
async fn two_customers_that_are_one_person_are_merged() {
    let (patchbay, client, sink, phone) = shared().await;
    let (number, user) = (phone.msisdn.as_str(), format!("ZA.{}", phone.msisdn));
    let post = |id: &str, phone: Option<&str>, user: Option<&str>| {
        patchbay_callback(&patchbay, client.callback(inbound_text(id, phone, user, id)))
    };
    post("by-phone", Some(number), None).await;
    post("by-user-id", None, Some(&user)).await;
    sink.receives_many("chatbot", 2).await;
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_CUSTOMERS).await, 2, "nothing joins them yet");

    post("by-both", Some(number), Some(&user)).await;

    sink.receives_many("chatbot", 3).await;
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_CUSTOMERS).await, 1);
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_PARTICIPANTS).await, 1);
    post("later", None, Some(&user)).await;
    sink.receives_many("chatbot", 4).await;
    let chats = sink.bodies("chatbot");
    assert_eq!(chats[2]["chatParticipantId"], chats[3]["chatParticipantId"]);
    let mut sequence = stored::<Vec<i64>>(&patchbay, &client, SEQUENCE).await;
    sequence.sort_unstable();
    assert_eq!(sequence, [1, 2, 3, 4], "the joined chat has every message, each in a place of its own");
}

async fn patchbay_callback(patchbay: &Patchbay, body: Value) {
    assert_eq!(patchbay.callback(&body).await.status, 200);
}

#[tokio::test]
async fn a_customer_who_changes_the_phone_number_keeps_the_chat() {
    let (patchbay, client, sink, old) = shared().await;
    let new = patchbay.new_phone();
    old.write(&client.number, "from the old number").await;
    let (_, before) = both(&sink, 1).await;
    let change = json!({
        "type": "number_change", "msisdn": old.msisdn, "newMsisdn": new.msisdn,
        "phoneNumberId": format!("1{}", client.number),
    });
    patchbay.simulate("/simulator/events", &change).await;
    eventually("the new number to be known", || async {
        let statement = "SELECT value FROM customer_address WHERE client_id = $client AND kind = 'PHONE'";
        (stored::<String>(&patchbay, &client, statement).await == new.msisdn).then_some(())
    })
    .await;

    new.write(&client.number, "from the new number").await;

    let (incoming, after) = both(&sink, 2).await;
    assert_eq!(incoming["sender"], new.msisdn);
    assert_eq!(after["chatParticipantId"], before["chatParticipantId"]);
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_PARTICIPANTS).await, 1);
}

#[tokio::test]
async fn a_changed_number_is_reported_to_the_event_webhook() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    let body = json!({ "eventWebhookURL": sink.url("events") });
    client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await.ok();
    let (old, new) = (patchbay.new_phone(), patchbay.new_phone());

    let change = json!({
        "type": "number_change", "msisdn": old.msisdn, "newMsisdn": new.msisdn,
        "phoneNumberId": format!("1{}", client.number),
    });
    patchbay.simulate("/simulator/events", &change).await;

    let event = sink.receives("events", "the event", |_| true).await;
    assert_eq!(event["eventType"], "USER_CHANGED_NUMBER");
    assert_eq!((&event["oldNumber"], &event["newNumber"]), (&json!(old.msisdn), &json!(new.msisdn)));
    assert_eq!(event["whatsAppNumber"], client.number);
    assert!(event["timestamp"].is_u64(), "{event}");
}

#[tokio::test]
async fn two_customers_who_write_at_once_have_a_chat_each() {
    let (patchbay, client, sink, phone) = shared().await;
    let other = patchbay.new_phone();

    tokio::join!(phone.write(&client.number, "one"), other.write(&client.number, "other"));

    sink.receives_many("chatbot", 2).await;
    let chats = sink.bodies("chatbot");
    assert_ne!(chats[0]["chatParticipantId"], chats[1]["chatParticipantId"]);
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_PARTICIPANTS).await, 2);
}

#[tokio::test]
async fn the_first_messages_of_a_customer_make_one_chat_however_many_come_at_once() {
    let (patchbay, client, sink, phone) = shared().await;
    let user = format!("ZA.{}", phone.msisdn);
    let posts = (0..8).map(|index| {
        let value = inbound_text(&format!("burst-{index}"), Some(&phone.msisdn), Some(&user), "hi");
        patchbay_callback(&patchbay, client.callback(value))
    });

    futures::future::join_all(posts).await;

    sink.receives_many("chatbot", 8).await;
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_PARTICIPANTS).await, 1);
    assert_eq!(stored::<i64>(&patchbay, &client, LIVE_CUSTOMERS).await, 1);
    let mut sequence = stored::<Vec<i64>>(&patchbay, &client, SEQUENCE).await;
    sequence.sort_unstable();
    assert_eq!(sequence, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[tokio::test]
async fn a_customer_of_two_numbers_has_a_chat_on_each() {
    let (patchbay, client, sink, phone) = shared().await;
    let other = patchbay.new_client().await;
    let other_sink = WebhookSink::start().await;
    other.webhooks_to(&other_sink, "v2").await;

    phone.write(&client.number, "to the one").await;
    phone.write(&other.number, "to the other").await;

    let (one, _) = both(&sink, 1).await;
    let (two, _) = both(&other_sink, 1).await;
    assert_eq!((&one["text"], &two["text"]), (&json!("to the one"), &json!("to the other")));
    assert_eq!((sink.bodies("chatbot").len(), other_sink.bodies("chatbot").len()), (1, 1));
}
