//! Messages of many customers at the same time. They share transactions, and no customer waits for, loses or repeats
//! another's message.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use storage::Queue;

use crate::stage::Stage;

/// One callback with one message per customer. The place in the list selects the customer.
fn written(texts: &[&str]) -> Value {
    let number = |place: usize| format!("2782000{place:04}");
    let contact = |place| json!({ "profile": { "name": "Zo" }, "wa_id": number(place) });
    let message = |(place, text): (usize, &&str)| {
        json!({ "from": number(place), "id": format!("wamid.{text}"), "timestamp": "1790000000", "type": "text",
                "text": { "body": text } })
    };
    json!({
        "contacts": (0..texts.len()).map(contact).collect::<Vec<_>>(),
        "messages": texts.iter().enumerate().map(message).collect::<Vec<_>>(),
    })
}

async fn stored(stage: &Stage) -> Vec<String> {
    stage.texts("SELECT body FROM chat_message ORDER BY body").await
}

#[tokio::test]
async fn simultaneous_messages_of_many_customers_are_processed_once_and_reported_once() {
    let stage = Stage::new().await;
    let texts: Vec<String> = (100..170).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    stage.called_back(written(&texts)).await;
    stage.called_back(written(&texts)).await;
    stage.settle().await;
    assert_eq!(stored(&stage).await, texts);
    let mut told: Vec<String> = stage.incoming_events().await.into_iter().filter_map(|event| event.text).collect();
    told.sort();
    assert_eq!(told, texts);
    assert_eq!(stage.count("SELECT count(*) FROM participant").await, 70);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
}

#[tokio::test]
async fn a_message_that_fails_does_not_affect_the_others() {
    let stage = Stage::new().await;
    let poison = "ALTER TABLE chat_message ADD CONSTRAINT no_poison CHECK (body <> 'poison')";
    sqlx::query(poison).execute(&stage.ctx.db).await.unwrap();
    stage.called_back(written(&["a", "b", "poison", "d", "e", "f", "g", "h", "i"])).await;
    stage.settle().await;
    assert_eq!(stored(&stage).await, ["a", "b", "d", "e", "f", "g", "h", "i"]);
    assert_eq!(stage.count("SELECT count(*) FROM callback WHERE attempts = 1").await, 1);
    assert_eq!(stage.count("SELECT count(*) FROM webhook_delivery").await, 16, "two of each message that was taken");
}

/// A transaction that locks the same chats in another order does not fail. With a deadlock, one of both would.
#[tokio::test]
async fn a_locked_chat_delays_only_its_own_message() {
    let stage = Arc::new(Stage::new().await);
    stage.called_back(written(&["a1", "b1", "c1", "d1", "e1"])).await;
    stage.settle().await;
    let [a, b]: [uuid::Uuid; 2] = stage
        .ids("SELECT participant_id FROM chat_message WHERE body IN ('a1', 'b1') ORDER BY body")
        .await
        .try_into()
        .unwrap();
    let lock = |chat: uuid::Uuid| sqlx::query("SELECT 1 FROM participant WHERE id = $1 FOR UPDATE").bind(chat);
    let mut holder = stage.ctx.db.begin().await.unwrap();
    lock(b).execute(&mut *holder).await.unwrap();
    stage.called_back(written(&["a2", "b2", "c2", "d2", "e2"])).await;
    assert_eq!(stage.due(Queue::Callback).await.len(), 1);
    let settling = tokio::spawn({
        let stage = Arc::clone(&stage);
        async move { stage.settle().await }
    });
    let new = "SELECT count(*) FROM chat_message WHERE body LIKE '_2'";
    while stage.count(new).await < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    lock(a).execute(&mut *holder).await.unwrap();
    assert_eq!(stage.count("SELECT count(*) FROM chat_message WHERE body = 'b2'").await, 0);
    holder.commit().await.unwrap();
    settling.await.unwrap();
    assert_eq!(stage.count(new).await, 5);
}
