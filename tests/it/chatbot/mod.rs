//! Conversations that a chatbot component leads: order, state, timers, hand-over, failures (SPEC 1 and 6.5, DESIGN 3
//! rule 6 and 4). The guest `clerk` obeys the text of the customer.

mod failures;

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

const NUMBER: &str = "27110000001";

/// The shared server with the guests, a new client with the chatbot `bot`, its webhooks and a new phone.
async fn with_bot(bot: &str) -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.activate(bot).await;
    let phone = patchbay.new_phone();
    (patchbay, client, sink, phone)
}

/// A separate server, for tests that move the clock.
async fn with_clock(bot: &str) -> (Patchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.activate(bot).await;
    let phone = patchbay.phone("27820000001");
    (patchbay, client, sink, phone)
}

async fn asks(phone: &TestPhone, client: &TestClient, text: &str, answer: &str) {
    phone.write(&client.number, text).await;
    hears(phone, answer).await;
}

async fn hears(phone: &TestPhone, text: &str) -> Value {
    phone.receives(text, |message| message["text"].as_str().unwrap_or_default().starts_with(text)).await
}

async fn texts(phone: &TestPhone) -> Vec<String> {
    phone.inbox().await.iter().map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Writes a text and returns its chatbot event, which names the holder of the chat.
async fn event_of(phone: &TestPhone, client: &TestClient, sink: &WebhookSink, text: &str) -> Value {
    phone.write(&client.number, text).await;
    sink.receives("chatbot", text, |event| event["direction"] == "INCOMING" && event["messageText"] == text).await
}

/// State of the only chat of a client, and the reason if it is in the queue.
async fn chat(patchbay: &Patchbay, client: &TestClient) -> Option<(String, Option<String>)> {
    let mut db = patchbay.database().await;
    let statement = "SELECT state, queued_reason FROM participant
        WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query_as(statement).bind(&client.client_ref).fetch_optional(&mut db).await.unwrap()
}

/// Waits until the chat is in the queue, and returns the reason.
async fn is_queued(patchbay: &Patchbay, client: &TestClient) -> String {
    eventually("the chat to be queued", || async {
        let (state, reason) = chat(patchbay, client).await?;
        (state == "QUEUED").then(|| reason.unwrap_or_default())
    })
    .await
}

/// Outcomes of the calls of a plugin, oldest first. The first call of each chat reports the start of the conversation.
async fn outcomes(client: &TestClient, plugin: &str) -> Vec<String> {
    let path = format!("/plugin-service/api/v1/plugins/{plugin}/invocations?size=50");
    let page = client.get(&path).await.ok();
    let calls = page["content"].as_array().unwrap();
    calls.iter().rev().map(|call| call["outcome"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn quick_messages_are_answered_one_by_one_in_their_order() {
    let (_patchbay, client, _sink, phone) = with_bot("clerk").await;
    for index in 1..=20 {
        phone.write(&client.number, &format!("say number {index}")).await;
    }

    hears(&phone, "number 20").await;

    let expected: Vec<String> = (1..=20).map(|index| format!("number {index}")).collect();
    assert_eq!(texts(&phone).await, expected);
}

#[tokio::test]
async fn the_replies_of_one_turn_arrive_in_their_order() {
    let (_patchbay, client, _sink, phone) = with_bot("clerk").await;
    for index in 1..=5 {
        phone.write(&client.number, &format!("twice turn {index}")).await;
    }

    hears(&phone, "turn 5 2").await;

    let expected: Vec<String> = (1..=5).flat_map(|turn| [1, 2].map(|part| format!("turn {turn} {part}"))).collect();
    assert_eq!(texts(&phone).await, expected);
}

#[tokio::test]
async fn the_default_bot_leads_from_its_menu_to_the_hours_and_to_people() {
    let (patchbay, client, sink, phone) = with_bot("default-chatbot").await;
    phone.set(json!({ "name": "Zo" })).await;
    asks(&phone, &client, "hi", "Hello Zo!").await;
    let menu = hears(&phone, "Hello Zo!").await;
    let titles: Vec<&str> =
        menu["buttons"].as_array().unwrap().iter().map(|button| button["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Opening hours", "Talk to a person"]);

    phone.tap(menu["id"].as_str().unwrap(), "Opening hours").await;
    hears(&phone, "Monday to Friday: 08:00-17:00").await;
    phone.tap(menu["id"].as_str().unwrap(), "Talk to a person").await;

    assert_eq!(is_queued(&patchbay, &client).await, "The customer asked for a person.");
    let before = eventually("the words of the hand-over", || async {
        let texts = texts(&phone).await;
        (texts.len() == 3).then_some(texts)
    })
    .await;
    let event = event_of(&phone, &client, &sink, "is anybody there?").await;
    assert_eq!(event["chatBotConversation"], false);
    assert_eq!(texts(&phone).await, before, "the bot is silent");
}

#[tokio::test]
async fn a_bot_that_is_silent_after_a_hand_over_has_nothing_left_to_do() {
    let (patchbay, client, sink, phone) = with_bot("clerk").await;
    let first = event_of(&phone, &client, &sink, "say hello").await;
    assert_eq!(first["chatBotConversation"], true);
    asks(&phone, &client, "person", "one moment").await;
    assert_eq!(is_queued(&patchbay, &client).await, "wants a person");

    event_of(&phone, &client, &sink, "say nothing").await;

    assert_eq!(patchbay.rows_of(&client.client_ref).await["participant_event"], 0);
    assert!(!texts(&phone).await.contains(&"nothing".to_owned()));
}

#[tokio::test]
async fn templates_of_a_bot_get_status_webhooks_and_its_texts_do_not() {
    let (_patchbay, client, sink, phone) = with_bot("clerk").await;
    asks(&phone, &client, "say hello", "hello").await;

    phone.write(&client.number, &format!("template {} order_ready", client.template_id("order_ready"))).await;

    let arrived = sink.receives("status", "the template to arrive", |body| body["status"] == "DELIVERED").await;
    assert_eq!((&arrived["receiver"], &arrived["sender"]), (&json!(phone.msisdn), &json!(client.number)));
    let statuses = sink.bodies("status");
    assert!(statuses.iter().all(|body| body["gstId"] == arrived["gstId"]), "{statuses:?}");
    let states: Vec<&Value> = statuses.iter().map(|body| &body["status"]).collect();
    assert_eq!(states, ["ACCEPTED", "SENT", "DELIVERED"]);
}

#[tokio::test]
async fn chats_of_a_client_without_a_bot_wait_in_the_queue() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();

    let event = event_of(&phone, &client, &sink, "say hello").await;

    assert_eq!(event["chatBotConversation"], false);
    assert_eq!(event["conversationClosed"], false);
    let (state, reason) = chat(&patchbay, &client).await.unwrap();
    assert_eq!((state.as_str(), reason.as_deref()), ("QUEUED", Some("no chatbot is active on this number")));
    assert_eq!(patchbay.rows_of(&client.client_ref).await["participant_event"], 0);
}

#[tokio::test]
async fn a_disabled_bot_leaves_its_chats_to_agents() {
    let (patchbay, client, sink, phone) = with_bot("clerk").await;
    asks(&phone, &client, "say hello", "hello").await;
    let off = client.post("/plugin-service/api/v1/plugins/clerk/deactivate", &json!({})).await;
    assert_eq!(off.status, 204, "{}", off.text);

    let event = event_of(&phone, &client, &sink, "say more").await;

    assert_eq!(event["chatBotConversation"], false);
    is_queued(&patchbay, &client).await;
}

#[tokio::test]
async fn a_bot_remembers_where_a_conversation_stands() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    let other = patchbay.new_phone();
    asks(&phone, &client, "remember blue", "noted").await;
    asks(&other, &client, "remember red", "noted").await;
    asks(&phone, &client, "recall", "you said: blue").await;
    asks(&other, &client, "recall", "you said: red").await;
}

#[tokio::test]
async fn values_of_a_participant_persist_and_are_its_own() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    let other = patchbay.new_phone();
    asks(&phone, &client, "count", "count 1").await;
    asks(&phone, &client, "count", "count 2").await;
    asks(&other, &client, "count", "count 1").await;
    asks(&phone, &client, "count", "count 3").await;
}

#[tokio::test]
async fn values_that_all_participants_share_lose_no_update() {
    let (patchbay, client, _sink, _phone) = with_bot("clerk").await;
    let phones: Vec<TestPhone> = (0..6).map(|_| patchbay.new_phone()).collect();
    let writes = phones.iter().flat_map(|phone| (0..3).map(|_| phone.write(&client.number, "total")));

    futures::future::join_all(writes).await;

    let mut totals = eventually("all answers", || async {
        let inboxes = futures::future::join_all(phones.iter().map(texts)).await;
        let all: Vec<String> = inboxes.into_iter().flatten().collect();
        (all.len() >= 18).then_some(all)
    })
    .await;
    totals.sort_unstable_by_key(|text| text.split(' ').nth(1).unwrap().parse::<u32>().unwrap());
    assert_eq!(totals, (1..=18).map(|total| format!("total {total}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn values_of_another_client_are_out_of_reach() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    let stranger = patchbay.new_client().await;
    stranger.activate("clerk").await;
    asks(&phone, &client, "total", "total 1").await;
    asks(&phone, &stranger, "total", "total 1").await;
    asks(&phone, &client, "total", "total 2").await;
}

#[tokio::test]
async fn a_timer_goes_off_when_its_time_has_come() {
    let (patchbay, client, _sink, phone) = with_clock("clerk").await;
    asks(&phone, &client, "remind tea 3600", "reminder tea set").await;
    patchbay.advance_clock(3500).await;
    asks(&phone, &client, "say not yet", "not yet").await;
    assert!(!texts(&phone).await.contains(&"time for tea".to_owned()));

    patchbay.advance_clock(110).await;

    hears(&phone, "time for tea").await;
    patchbay.advance_clock(7200).await;
    asks(&phone, &client, "say done", "done").await;
    assert_eq!(texts(&phone).await.iter().filter(|text| *text == "time for tea").count(), 1);
}

#[tokio::test]
async fn a_timer_survives_a_restart() {
    let (mut patchbay, client, _sink, phone) = with_clock("clerk").await;
    asks(&phone, &client, "remind tea 3600", "reminder tea set").await;
    patchbay.kill();
    patchbay.launch().await;

    patchbay.advance_clock(3610).await;

    hears(&phone, "time for tea").await;
}

#[tokio::test]
async fn a_timer_started_again_under_its_name_moves() {
    let (patchbay, client, _sink, phone) = with_clock("clerk").await;
    asks(&phone, &client, "remind tea 60", "reminder tea set").await;
    phone.write(&client.number, "remind tea 600").await;
    asks(&phone, &client, "say moved", "moved").await;
    patchbay.advance_clock(120).await;
    asks(&phone, &client, "say still waiting", "still waiting").await;
    assert!(!texts(&phone).await.contains(&"time for tea".to_owned()));

    patchbay.advance_clock(600).await;

    hears(&phone, "time for tea").await;
}

#[tokio::test]
async fn a_conversation_that_ends_takes_its_timers_along_and_can_begin_again() {
    let (patchbay, client, sink, phone) = with_clock("clerk").await;
    asks(&phone, &client, "remind tea 60", "reminder tea set").await;
    asks(&phone, &client, "remember blue", "noted").await;
    asks(&phone, &client, "bye", "goodbye").await;
    patchbay.advance_clock(120).await;

    let again = event_of(&phone, &client, &sink, "recall").await;

    hears(&phone, "you said: ").await;
    assert!(texts(&phone).await.contains(&"you said: ".to_owned()), "the note is gone: {:?}", texts(&phone).await);
    assert_eq!(again["conversationClosed"], false);
    let chats = sink.bodies("chatbot");
    assert!(chats.iter().all(|event| event["chatParticipantId"] == again["chatParticipantId"]), "{chats:?}");
    assert!(!texts(&phone).await.contains(&"time for tea".to_owned()));
}

#[tokio::test]
async fn a_reply_can_quote_the_message_that_it_answers() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    let written = phone.write(&client.number, "quote").await;

    hears(&phone, "quoted").await;

    let sent = patchbay.provider_sends(&client).await.remove(0);
    assert_eq!(sent["body"]["context"]["message_id"], written["id"]);
}

#[tokio::test]
async fn a_quote_of_a_message_that_is_not_there_is_left_out_and_the_author_is_told() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    phone.write(&client.number, "quote-nothing").await;

    hears(&phone, "quoted").await;

    let sent = patchbay.provider_sends(&client).await.remove(0);
    assert!(sent["body"].get("context").is_none(), "{sent}");
    let call = client.keeps("clerk", "invocations", |call| call.to_string().contains("m-404")).await;
    assert_eq!(call["outcome"], "answered");
    assert!(call["logs"].to_string().contains("none of this conversation"), "{call}");
}

#[tokio::test]
async fn taps_on_a_bots_buttons_and_lists_come_back_to_it() {
    let (_patchbay, client, _sink, phone) = with_bot("clerk").await;
    for (deed, title, answer) in [("buttons", "No", "got choice no-id"), ("list", "Blue", "got choice blue-id")] {
        phone.write(&client.number, deed).await;
        let shown = phone
            .receives(deed, |message| {
                let buttons = message["buttons"].as_array().cloned().unwrap_or_default();
                buttons.iter().any(|button| button["title"] == title)
            })
            .await;
        phone.tap(shown["id"].as_str().unwrap(), title).await;
        hears(&phone, answer).await;
    }
}

#[tokio::test]
async fn a_bot_sees_every_kind_of_message() {
    let (_patchbay, client, _sink, phone) = with_bot("clerk").await;
    asks(&phone, &client, "say hello", "hello").await;
    let hello = hears(&phone, "hello").await["id"].clone();
    let place = json!({ "latitude": -26.5, "longitude": 28.25 });
    let kinds = [
        (json!({ "type": "image" }), "got MediaKind::Image png"),
        (json!({ "type": "audio", "voice": true }), "got MediaKind::Voice ogg"),
        (json!({ "type": "document" }), "got MediaKind::Document pdf"),
        (json!({ "type": "location", "location": place }), "got location -26.5 28.25"),
        (json!({ "type": "contacts" }), "got contact Thandi Nkosi"),
        (
            json!({ "type": "reaction", "reaction": { "messageId": hello, "emoji": "\u{1f44d}" } }),
            "got reaction \u{1f44d}",
        ),
        (json!({ "type": "unsupported" }), "got other unsupported"),
    ];
    for (message, answer) in kinds {
        let mut message = message;
        message["to"] = json!(client.number);
        phone.send(message).await;
        hears(&phone, answer).await;
    }
}

#[tokio::test]
async fn outgoing_events_come_only_when_they_are_asked_for() {
    let patchbay = SharedPatchbay::with_guests().await;
    let phone = patchbay.new_phone();
    for (wanted, expected) in [(false, vec!["INCOMING", "INCOMING"]), (true, vec!["INCOMING", "OUTGOING", "INCOMING"])]
    {
        let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
        let body = json!({ "chatbotWebhookURL": sink.url("chatbot"), "chatbotIncludeOutgoing": wanted });
        client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await.ok();
        client.activate("clerk").await;
        asks(&phone, &client, &format!("say answer {wanted}"), &format!("answer {wanted}")).await;

        event_of(&phone, &client, &sink, "silence").await;

        let directions: Vec<Value> = sink.bodies("chatbot").iter().map(|event| event["direction"].clone()).collect();
        assert_eq!(directions, expected, "chatbotIncludeOutgoing = {wanted}");
    }
}

#[tokio::test]
async fn an_outgoing_event_shows_the_reply_from_the_business_side() {
    let (_patchbay, client, sink, phone) = with_bot("clerk").await;

    asks(&phone, &client, "say hello", "hello").await;

    let event = sink.receives("chatbot", "the reply", |event| event["direction"] == "OUTGOING").await;
    assert_eq!(event["messageText"], "hello");
    assert_eq!((&event["senderMsisdn"], &event["receiverMsisdn"]), (&json!(client.number), &json!(phone.msisdn)));
    assert_eq!(event["recipientUserId"], phone.user_id().await);
    assert!(event.get("senderUserId").is_none(), "{event}");
    assert_eq!(event["chatBotConversation"], true);
    assert!(sink.bodies("status").is_empty(), "replies of a bot are no API sends");
}

#[tokio::test]
async fn a_second_hand_over_begins_a_new_wait_after_the_bot_had_the_chat() {
    let (patchbay, client, _sink, phone) = with_clock("clerk").await;
    let user = patchbay.new_user("acme", "agent@acme.example", "AGENT");
    let mut agent = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
    let chats = "/chat-service/api/v2/chats";
    let only_chat = || async { agent.get(&format!("{chats}?scope=open")).await.ok()["content"][0].clone() };
    asks(&phone, &client, "person", "one moment").await;
    is_queued(&patchbay, &client).await;
    let first = only_chat().await;
    patchbay.advance_clock(60).await;
    let path = |call: &str| format!("{chats}/{}/{call}", first["id"].as_str().unwrap());
    agent.post(&path("assign"), &json!({})).await.ok();
    assert_eq!(only_chat().await["waitingSince"], first["waitingSince"], "a taken chat is no answer");
    agent.post(&path("release"), &json!({})).await.ok();
    hears(&phone, "back with the clerk").await;
    assert_eq!(only_chat().await.get("waitingSince"), None);

    phone.write(&client.number, "person").await;

    is_queued(&patchbay, &client).await;
    let (first, second) = (first["waitingSince"].as_str().unwrap().to_owned(), only_chat().await);
    assert!(second["waitingSince"].as_str().unwrap() > first.as_str(), "{second}");
}

#[tokio::test]
async fn a_hand_over_to_an_unknown_team_leaves_a_line_in_the_log_of_the_call() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    asks(&phone, &client, "person-of nobody", "one moment").await;
    let reason = is_queued(&patchbay, &client).await;
    assert!(reason.starts_with("there is no team `nobody`"), "{reason}");
    let has_line = |call: &Value| call["logs"].to_string().contains("there is no team `nobody`: the chat waits");
    let call = client.keeps("clerk", "invocations", has_line).await;
    assert_eq!(call["outcome"], "answered");
}
