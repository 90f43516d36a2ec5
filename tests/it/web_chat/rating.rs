//! The question for a rating in the words of a site.

use harness::{TestClient, TestVisitor};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ORIGIN, stage};

const CHATS: &str = "/chat-service/api/v2/chats";
const QUESTION: &str = "Wie zufrieden sind Sie?";

fn in_german() -> Value {
    json!({ "look": { "language": "de" }, "texts": { "rate": QUESTION } })
}

/// The text of the question that a visitor sees.
async fn asked(visitor: &mut TestVisitor) -> Value {
    visitor.sees_one("the question", |message| message["content"]["kind"] == "rating").await["content"]["text"].clone()
}

/// The id of the only chat of a client.
async fn chat_of(client: &TestClient) -> String {
    let chats = client.get(&format!("{CHATS}?scope=all")).await.ok();
    chats["content"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_chatbot_asks_for_a_rating_in_the_words_of_the_site_which_the_chat_keeps() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, in_german()).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;

    visitor.writes("rate").await;

    assert_eq!(asked(&mut visitor).await, QUESTION);
    let path = format!("/chat-service/api/v2/messages?participantId={}", chat_of(&client).await);
    let stored = client.get(&path).await.ok();
    let question = stored.as_array().unwrap().iter().find(|message| message["contentType"] == "RATING").unwrap();
    assert!(question.to_string().contains(QUESTION), "{question}");
}

#[tokio::test]
async fn a_visitor_rates_an_agent_after_a_question_in_the_words_of_the_site() {
    let (patchbay, client, _) = stage().await;
    let wanted = json!({ "ratingWidget": true });
    client.request(Method::PUT, "/api/v1/clients/me", Some(&wanted), &[]).await.ok();
    let site = client.new_site(ORIGIN, in_german()).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("hello").await;
    visitor.sees("hello").await;
    let email = format!("thandi@{}.example", client.client_ref);
    let user = patchbay.new_user(&client.client_ref, &email, "AGENT");
    let mut agent = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
    let chat = chat_of(&client).await;

    for call in ["assign", "terminate"] {
        agent.request(Method::POST, &format!("{CHATS}/{chat}/{call}"), None, &[]).await.ok();
    }

    assert_eq!(asked(&mut visitor).await, QUESTION);
}

#[tokio::test]
async fn a_site_with_a_blank_question_asks_in_the_default_words() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({ "texts": { "rate": " " } })).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;

    visitor.writes("rate").await;

    assert_eq!(asked(&mut visitor).await, "How was our service?");
}
