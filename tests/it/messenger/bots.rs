//! Chatbots on Messenger: how answers are mapped if the channel lacks a form, and how the reactions of customers are
//! understood.

use harness::{PatchbaySetup, SharedPatchbay, WebhookSink, eventually};
use serde_json::{Value, json};

use super::with_bot;

#[tokio::test]
async fn buttons_are_quick_replies_and_a_tap_names_the_message_that_it_answers() {
    let (_patchbay, _, sink, person) = with_bot("clerk").await;
    person.write("buttons").await;
    let question = person.hears("Choose:").await;
    let titles: Vec<&str> =
        question["buttons"].as_array().unwrap().iter().filter_map(|one| one["title"].as_str()).collect();
    assert_eq!(titles, ["Yes", "No"]);
    person.tap("Yes").await;
    person.hears("got").await;
    let tapped = sink.receives("incoming", "the tap", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!((&tapped["buttonText"], &tapped["buttonPayload"]), (&json!("Yes"), &json!("yes-id")));
    let event = sink
        .receives("chatbot", "the tap", |event| {
            event["messageType"] == "INTERACTIVE" && event["direction"] == "INCOMING"
        })
        .await;
    assert!(event["quotedText"].as_str().unwrap_or_default().starts_with("Choose:"), "{event}");
}

#[tokio::test]
async fn a_quick_reply_that_overtakes_the_answer_to_its_message_names_it() {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.bare_client("acme");
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    patchbay.page(&client, "555").await;
    client.activate("clerk").await;
    patchbay.simulate("/simulator/faults", &json!({ "holdAnswersMillis": 1500 })).await;
    let person = patchbay.person("24071234567", "555");
    person.write("buttons").await;
    person.hears("Choose:").await;

    person.tap("Yes").await;

    let is_tap = |event: &Value| event["messageType"] == "INTERACTIVE" && event["direction"] == "INCOMING";
    let event = sink.receives("chatbot", "the tap", is_tap).await;
    assert!(event["quotedText"].as_str().unwrap_or_default().starts_with("Choose:"), "{event}");
}

#[tokio::test]
async fn a_list_is_numbered_and_its_number_is_the_tap() {
    let (_patchbay, _, sink, person) = with_bot("clerk").await;
    person.write("list").await;
    let list = person.hears("1. Red").await;
    assert!(list["text"].as_str().unwrap().contains("2. Blue"));
    person.write("2").await;
    let tapped = sink.receives("incoming", "the answer", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!((&tapped["buttonText"], &tapped["buttonPayload"]), (&json!("Blue"), &json!("blue-id")));
}

#[tokio::test]
async fn a_chatbot_sees_that_the_channel_is_messenger() {
    let (_patchbay, _, _, person) = with_bot("clerk").await;
    person.write("where").await;
    person.hears("on messenger at ").await;
}

#[tokio::test]
async fn the_default_chatbot_greets_shows_its_menu_and_hands_over_on_messenger() {
    let (patchbay, client, _, person) = with_bot("default-chatbot").await;
    person.write("hello").await;
    let menu = eventually("the menu", || async { person.inbox().await.into_iter().next() }).await;
    assert!(!menu["text"].as_str().unwrap().is_empty());
    person.write("I want a person").await;
    eventually("the chat is with people", || async {
        let mut db = patchbay.database().await;
        let state: Option<String> = sqlx::query_scalar(
            "SELECT state FROM participant JOIN client ON client.id = client_id WHERE client_ref = $1",
        )
        .bind(&client.client_ref)
        .fetch_optional(&mut db)
        .await
        .unwrap();
        (state.as_deref() == Some("QUEUED")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_rating_is_asked_for_with_quick_replies_and_its_tap_is_the_rating() {
    let (_patchbay, _, sink, person) = with_bot("clerk").await;
    person.write("rate").await;
    let question = person
        .receives("the question", |message| message["buttons"].as_array().is_some_and(|all| all.len() == 3))
        .await;
    assert!(question["text"].as_str().unwrap().ends_with('?'));
    person.tap("Excellent").await;
    person.hears("rated Excellent").await;
    let tapped = sink.receives("incoming", "the rating", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!(tapped["buttonPayload"], "EXCELLENT");
}

#[tokio::test]
async fn a_long_text_takes_several_messages_and_a_file_with_words_two() {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.page(&client, "555").await;
    client.activate("clerk").await;
    let person = patchbay.person("24071234567", "555");
    person.write(&format!("say {}", "word ".repeat(500))).await;
    person
        .receives("the rest", |message| message["text"].as_str().is_some_and(|text| text.chars().count() <= 500))
        .await;
    let lengths: Vec<usize> =
        person.inbox().await.iter().map(|m| m["text"].as_str().unwrap().chars().count()).collect();
    assert_eq!(lengths.len(), 2);
    assert!(lengths.iter().all(|length| *length <= 2000), "{lengths:?}");
    person.write("picture").await;
    person.hears("a picture").await;
    let kinds: Vec<String> =
        person.inbox().await.iter().skip(2).map(|m| m["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["[image]", "a picture"]);
}

#[tokio::test]
async fn a_template_of_the_clients_account_is_sent_as_text_with_its_quick_replies() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let page = format!("56{}", client.number);
    patchbay.page(&client, &page).await;
    client.activate("clerk").await;
    let person = patchbay.person(&format!("25{}", client.number), &page);
    person.write(&format!("template {} order_ready", client.template_id("order_ready"))).await;
    let said = person.hears("Hi Thandi, order #42 is ready.").await;
    let reply = said["buttons"][0]["title"].as_str().unwrap().to_owned();
    person.tap(&reply).await;
    let tapped = sink.receives("incoming", "the tap", |body| body["messageContentType"] == "BUTTON").await;
    assert_eq!(tapped["buttonText"], json!(reply));
}
