//! The question for a rating, and its answer.

use harness::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{CHATS, Desk, MESSAGES, tickets::found};

/// Customers are asked for a rating.
pub(super) async fn asks(desk: &Desk) {
    let path = "/api/v1/clients/me";
    let changed = desk.client.request(Method::PUT, path, Some(&json!({ "ratingWidget": true })), &[]).await.ok();
    assert_eq!(changed["ratingWidget"], true);
}

async fn questions(desk: &Desk) -> Vec<Value> {
    let inbox = desk.phone.inbox().await;
    inbox.into_iter().filter(|message| message.to_string().contains("How was our service?")).collect()
}

/// Waits for a question on the phone, and returns its id.
pub(super) async fn question(desk: &Desk, nth: usize) -> String {
    let asked = eventually("the question", || async { questions(desk).await.get(nth).cloned() }).await;
    asked["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_customer_rates_the_ticket_once_and_the_chat_stays_closed() {
    let desk = Desk::set().await;
    asks(&desk).await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let ended = thandi.does(&desk.chat, "terminate").await.ok();
    assert_eq!((&ended["conversationClosed"], &ended["sendRatingWidget"]), (&json!(true), &json!(true)));
    let asked = question(&desk, 0).await;
    desk.phone.tap(&asked, "Excellent").await;
    let rated = eventually("the rating", || async { found(&desk.client, "&rating=excellent").await.pop() }).await;
    assert_eq!((&rated["status"], &rated["rating"]), (&json!("CLOSED"), &json!("excellent")));

    desk.phone.tap(&asked, "Poor").await;
    eventually("the second tap", || async { (desk.history().await.len() == 4).then_some(()) }).await;
    assert_eq!(found(&desk.client, "").await[0]["rating"], "excellent", "the first one counts");
    assert_eq!(desk.chat().await["conversationClosed"], true);
}

#[tokio::test]
async fn an_answer_that_comes_late_finds_the_ticket_that_was_asked_about() {
    let desk = Desk::set().await;
    asks(&desk).await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    thandi.does(&desk.chat, "terminate").await.ok();
    let asked = question(&desk, 0).await;
    desk.phone.write(&desk.client.number, "one more thing").await;
    eventually("the chat to open again", || async { (desk.chat().await["conversationClosed"] == false).then_some(()) })
        .await;
    thandi.does(&desk.chat, "assign").await.ok();
    let answer = json!({ "participantId": desk.chat, "channel": "WHATSAPP", "text": "go on" });
    thandi.client.post(MESSAGES, &answer).await.ok();

    desk.phone.tap(&asked, "Average").await;
    let rated = eventually("the rating", || async { found(&desk.client, "&rating=average").await.pop() }).await;
    assert_eq!(rated["ticketNumber"], "1");
    let waits = "SELECT count(*) FROM chat_due WHERE lane_id = $1::text::uuid AND kind = 'ANSWER'";
    let waits = sqlx::query_scalar::<_, i64>(waits).bind(&desk.chat);
    assert_eq!(waits.fetch_one(&mut desk.patchbay.database().await).await.unwrap(), 0, "it asks for no answer");
    let now = &found(&desk.client, "&ticketNumber=2").await[0];
    assert_eq!(
        (&now["status"], &now["rating"]),
        (&json!("AWAITING_CUSTOMER"), &Value::Null),
        "the ticket of now is not touched"
    );
}

#[tokio::test]
async fn a_rating_is_requested_only_if_the_client_wants_it_and_an_agent_had_the_chat() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    thandi.does(&desk.chat, "terminate").await.ok();
    thandi.does(&desk.chat, "open").await.ok();
    asks(&desk).await;
    thandi.does(&desk.chat, "resolve").await.ok();
    desk.phone.write(&desk.client.number, "again").await;
    eventually("the chat to open again", || async { (desk.chat().await["conversationClosed"] == false).then_some(()) })
        .await;
    desk.client.request(Method::POST, &format!("{CHATS}/{}/terminate", desk.chat), None, &[]).await.ok();
    thandi.does(&desk.chat, "open").await.ok();
    thandi.does(&desk.chat, "terminate").await.ok();
    question(&desk, 0).await;
    assert_eq!(questions(&desk).await.len(), 1, "only the last end was asked about");
}
