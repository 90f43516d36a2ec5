//! The last message of each chat in the lists.

use harness::eventually;
use serde_json::{Value, json};

use super::{CHATS, Desk, MESSAGES};

impl Desk {
    async fn listed_chat(&self) -> Value {
        let page = self.client.get(&format!("{CHATS}?scope=all")).await.ok();
        page["content"].as_array().unwrap().iter().find(|chat| chat["id"] == json!(self.chat)).unwrap().clone()
    }

    async fn until_last(&self, text: &str) -> Value {
        let last = || async {
            let last = self.listed_chat().await["lastMessage"].clone();
            (last["text"] == text).then_some(last)
        };
        eventually("the last message", last).await
    }
}

#[tokio::test]
async fn a_list_shows_the_beginning_of_the_last_message_of_each_chat_in_one_line() {
    let desk = Desk::set().await;
    let first = desk.until_last("hello").await;
    desk.phone.write(&desk.client.number, "one\n\n  two").await;
    let last = desk.until_last("one two").await;
    assert_eq!((&last["direction"], &last["contentType"]), (&json!("INCOMING"), &json!("TEXT")));
    assert!(last["sequenceNumber"].as_i64() > first["sequenceNumber"].as_i64(), "{first} {last}");
    let history = desk.history().await;
    let message = history.last().unwrap();
    for field in ["id", "sequenceNumber", "createdTime"] {
        assert_eq!(last[field], message[field], "{field}");
    }
    assert_eq!(desk.listed_chat().await["unreadCount"], 2);

    let answer = "x".repeat(300);
    desk.client.post(MESSAGES, &desk.text(&answer)).await.ok();
    let last = desk.until_last(&format!("{}…", "x".repeat(159))).await;
    assert_eq!(last["direction"], "OUTGOING");
    assert_eq!(desk.chat().await["lastMessage"], last);
}

#[tokio::test]
async fn a_reaction_is_not_the_last_message() {
    let desk = Desk::set().await;
    let message = desk.history().await[0]["id"].clone();
    let reaction = json!({ "participantId": desk.chat, "channel": "WHATSAPP", "reaction": { "externalMessageId": message, "emoji": "👍" } });
    desk.client.post(MESSAGES, &reaction).await.ok();
    assert_eq!(desk.history().await.len(), 2);
    assert_eq!(desk.listed_chat().await["lastMessage"]["id"], message);
}
