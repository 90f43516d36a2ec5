//! A number whose chatbot is replaced by another one while chats go on: each gets its own timers and keys.

use harness::{Patchbay, PatchbaySetup, TestClient, TestPhone, guest};
use serde_json::json;

/// A separate server, because the tests move its clock, with the chatbots `first` (in two versions) and `second`.
async fn with_two_chatbots() -> (Patchbay, TestClient, TestPhone) {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    // An empty custom section makes another version.
    let again = [guest("clerk"), vec![0, 2, 1, b'x']].concat();
    for (name, component) in [("first", guest("clerk")), ("first", again), ("second", guest("clerk"))] {
        client.upload(name, component).await;
    }
    let phone = patchbay.phone("27820000001");
    (patchbay, client, phone)
}

async fn asks(phone: &TestPhone, client: &TestClient, text: &str, answer: &str) {
    phone.write(&client.number, text).await;
    phone.receives(answer, |message| message["text"] == answer).await;
}

async fn texts(phone: &TestPhone) -> Vec<String> {
    phone.inbox().await.iter().map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_timer_does_not_reach_the_next_chatbot_of_a_number() {
    let (patchbay, client, phone) = with_two_chatbots().await;
    client.put_in_force("first", json!({ "version": 1 })).await;
    asks(&phone, &client, "remind tea 60", "reminder tea set").await;
    client.put_in_force("second", json!({ "version": 1 })).await;

    patchbay.advance_clock(120).await;

    asks(&phone, &client, "say still here", "still here").await;
    assert!(!texts(&phone).await.contains(&"time for tea".to_owned()));
}

#[tokio::test]
async fn a_timer_outlives_another_chatbot_and_comes_to_the_next_version_of_its_own() {
    let (patchbay, client, phone) = with_two_chatbots().await;
    client.put_in_force("first", json!({ "version": 1 })).await;
    asks(&phone, &client, "remind tea 600", "reminder tea set").await;
    client.put_in_force("second", json!({ "version": 1 })).await;
    asks(&phone, &client, "forget tea", "no reminder tea").await;
    client.put_in_force("first", json!({ "version": 2 })).await;

    patchbay.advance_clock(660).await;

    phone.receives("the timer", |message| message["text"] == "time for tea").await;
}

#[tokio::test]
async fn a_timer_of_a_canary_that_fails_does_not_reach_the_live_chatbot() {
    let (patchbay, client, phone) = with_two_chatbots().await;
    client.put_in_force("first", json!({ "version": 1 })).await;
    let version = client.upload("errands", guest("errand-bot")).await;
    client.put_in_force("errands", json!({ "version": version, "mode": "canary", "percent": 100 })).await;
    asks(&phone, &client, "post-moment-later https://not-allowed.example/", "later").await;

    patchbay.advance_clock(120).await;

    asks(&phone, &client, "channel", "Channel::Whatsapp").await;
    let call = client.keeps("errands", "invocations", |call| call["outcome"] != "answered").await;
    assert!(call["consequence"].as_str().unwrap_or_default().contains("the event is dropped"), "{call}");
    let said = texts(&phone).await;
    assert!(!said.iter().any(|text| text.starts_with("time for")), "{said:?}");
}

#[tokio::test]
async fn the_keys_of_a_chatbot_are_not_those_of_the_next_one() {
    let (_patchbay, client, phone) = with_two_chatbots().await;
    client.put_in_force("first", json!({ "version": 1 })).await;
    asks(&phone, &client, "keep note 600", "note is kept").await;
    client.put_in_force("second", json!({ "version": 1 })).await;

    asks(&phone, &client, "keys", "keys []").await;

    client.put_in_force("first", json!({ "version": 2 })).await;
    asks(&phone, &client, "keys", r#"keys ["note"]"#).await;
}
