//! Events that the business raises for a chatbot come after earlier messages of customers.

use chat::custom_events::{CustomEventRequest, EventReceiver, raise};
use domain::ids::ParticipantEventId;
use serde_json::json;

use crate::stage::{Stage, ZO};

const KINDS: &str = "SELECT kind FROM participant_event ORDER BY id";

/// Raises an event, and takes in stored callbacks only after that has begun.
async fn raised_first(stage: &Stage, hears: EventReceiver) -> ParticipantEventId {
    let event = CustomEventRequest { hears, name: "order-paid".to_owned(), payload: json!({ "order": 1001 }) };
    let (raised, ()) = tokio::join!(raise(&stage.ctx, stage.client, event), async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        stage.settle_callbacks_only().await;
    });
    raised.unwrap()
}

#[tokio::test]
async fn a_custom_event_follows_earlier_messages_of_a_provider() {
    let stage = Stage::with_chatbot("default-chatbot", json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    for text in ["my order?", "is it paid?"] {
        stage.zo_writes(&format!("wamid.{text}"), text).await;
    }
    raised_first(&stage, EventReceiver::Participant(stage.chat().await.id)).await;
    assert_eq!(stage.texts(KINDS).await, ["MESSAGE", "MESSAGE", "CUSTOM"]);
}

#[tokio::test]
async fn a_chat_that_begins_with_a_message_just_received_is_found() {
    let stage = Stage::with_chatbot("default-chatbot", json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    raised_first(&stage, EventReceiver::Customer(stage.number, ZO.to_owned())).await;
    assert_eq!(stage.texts(KINDS).await.last().unwrap(), "CUSTOM");
}

#[tokio::test]
async fn a_deferred_callback_is_not_waited_for() {
    let stage = Stage::with_chatbot("default-chatbot", json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    stage.zo_writes("wamid.B", "later").await;
    let aside = "UPDATE callback SET ready = false, due_at = due_at + interval '1 minute'";
    sqlx::query(aside).execute(&stage.ctx.db).await.unwrap();
    let hears = EventReceiver::Participant(stage.chat().await.id);
    let event = CustomEventRequest { hears, name: "order-paid".to_owned(), payload: json!(null) };
    raise(&stage.ctx, stage.client, event).await.unwrap();
    assert_eq!(stage.texts(KINDS).await, ["CUSTOM"]);
}
