//! Chatbots on Telegram: buttons are inline keyboards, and a tap is answered and names its message.

use harness::{PatchbaySetup, WebhookSink, eventually};
use serde_json::{Value, json};

use super::with_bot;

#[tokio::test]
async fn buttons_are_an_inline_keyboard_and_a_tap_is_answered_and_names_its_message() {
    for way in ["--polling", "--webhook"] {
        let (_patchbay, _, sink, user) = with_bot("clerk", way).await;
        user.write("buttons").await;
        let question = user.hears("Choose:").await;
        assert_eq!(
            question["reply_markup"]["inline_keyboard"],
            json!([[{ "text": "Yes", "callback_data": "pb:1" }], [{ "text": "No", "callback_data": "pb:2" }]])
        );
        let tap = user.tap("No").await;
        let tapped = sink.receives("incoming", "the tap", |body| body["messageContentType"] == "INTERACTIVE").await;
        assert_eq!((&tapped["buttonText"], &tapped["buttonPayload"]), (&json!("No"), &json!("no-id")));
        let event = sink
            .receives("chatbot", "the tap", |event| {
                event["messageType"] == "INTERACTIVE" && event["direction"] == "INCOMING"
            })
            .await;
        assert!(event["quotedText"].as_str().unwrap_or_default().starts_with("Choose:"), "{way}: {event}");
        eventually("the tap is answered", || async {
            user.chat().await["answeredTaps"].as_array().unwrap().contains(&json!(tap)).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_tap_that_overtakes_the_answer_to_its_message_names_it() {
    let patchbay = PatchbaySetup::new().with_guests().start().await;
    let client = patchbay.bare_client("acme");
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    patchbay.bot(&client, "555", "--polling");
    client.activate("clerk").await;
    patchbay.simulate("/simulator/faults", &json!({ "holdAnswersMillis": 1500 })).await;
    let user = patchbay.telegram_user("77", "555");
    user.write("buttons").await;
    user.hears("Choose:").await;

    user.tap("No").await;

    let is_tap = |event: &Value| event["messageType"] == "INTERACTIVE" && event["direction"] == "INCOMING";
    let event = sink.receives("chatbot", "the tap", is_tap).await;
    assert!(event["quotedText"].as_str().unwrap_or_default().starts_with("Choose:"), "{event}");
    assert!(event["quotedMessageId"].is_string(), "{event}");
}

#[tokio::test]
async fn a_list_has_a_button_for_each_row() {
    let (_patchbay, _, sink, user) = with_bot("clerk", "--polling").await;
    user.write("list").await;
    user.receives("the list", |message| message["reply_markup"]["inline_keyboard"].is_array()).await;
    user.tap("Blue").await;
    let tapped = sink.receives("incoming", "the answer", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!((&tapped["buttonText"], &tapped["buttonPayload"]), (&json!("Blue"), &json!("blue-id")));
}

#[tokio::test]
async fn the_label_of_a_button_as_a_text_is_a_tap_too() {
    let (_patchbay, _, sink, user) = with_bot("clerk", "--polling").await;
    user.write("buttons").await;
    user.hears("Choose:").await;
    user.write("yes").await;
    let tapped = sink.receives("incoming", "the answer", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!(tapped["buttonPayload"], "yes-id");
}

#[tokio::test]
async fn a_chatbot_sees_telegram() {
    let (_patchbay, _, _, user) = with_bot("clerk", "--polling").await;
    user.write("where").await;
    user.hears("on telegram at ").await;
}

#[tokio::test]
async fn a_rating_is_requested_with_buttons_and_its_tap_is_the_rating() {
    let (_patchbay, _, sink, user) = with_bot("clerk", "--polling").await;
    user.write("rate").await;
    user.receives("the question", |message| {
        message["reply_markup"]["inline_keyboard"].as_array().is_some_and(|rows| rows.len() == 3)
    })
    .await;
    user.tap("Excellent").await;
    user.hears("rated Excellent").await;
    let tapped = sink.receives("incoming", "the rating", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!(tapped["buttonPayload"], "EXCELLENT");
}

#[tokio::test]
async fn a_picture_has_its_caption_and_a_location_its_name() {
    let (_patchbay, _, _, user) = with_bot("clerk", "--polling").await;
    user.write("picture").await;
    let picture = user.hears("a picture").await;
    assert!(picture["photo"].is_array(), "{picture}");
    user.write("place").await;
    let place = user.receives("the place", |message| message["venue"].is_object()).await;
    assert_eq!(place["venue"]["title"], "Shop");
}
