//! Quotes, taps and reactions that come before the outcome of the call for their message is stored.

use chrono::TimeDelta;
use domain::{content::OutboundContent, ids::MessageId, inbound::InboundContent};
use serde_json::{Value, json};
use storage::Queue;

use crate::{
    accepted, queued, quick_reply,
    stage::{Stage, ZO},
    template,
};

const WAITING: &str = "SELECT count(*) FROM callback";
const IN_FLIGHT: &str = "UPDATE outbound_work SET phase = 'SENDING', due_at = due_at + interval '1 minute'";
const IN_DOUBT: &str =
    "UPDATE outbound_work SET phase = 'UNKNOWN', ready = false, due_at = due_at + interval '1 minute'";

async fn execute(stage: &Stage, statement: &'static str) {
    sqlx::query(statement).execute(&stage.ctx.db).await.unwrap();
}

/// A message to Zo whose call has no outcome yet.
async fn called(stage: &Stage, content: &OutboundContent, state: &'static str) -> MessageId {
    let message = queued(stage, content).await;
    execute(stage, state).await;
    message
}

/// Stores the outcome of the call: the message has the id `wamid.T`.
async fn settled(stage: &Stage, message: MessageId) {
    accepted(stage, message, "wamid.T").await;
    execute(stage, "DELETE FROM outbound_work").await;
}

fn hello() -> OutboundContent {
    OutboundContent::Text { body: "Hello".to_owned() }
}

async fn zo_taps(stage: &Stage) {
    let button = json!({ "text": "Track", "payload": "pb1:token" });
    stage.zo_sends("wamid.B", "button", button, Some("wamid.T")).await;
}

async fn zo_quotes(stage: &Stage, id: &str, text: &str) {
    stage.zo_sends(id, "text", json!({ "body": text }), Some("wamid.T")).await;
}

fn tap(payload: &str) -> InboundContent {
    InboundContent::Button { text: "Track".to_owned(), payload: payload.to_owned() }
}

/// A text of another customer.
fn of_another(id: &str, text: &str, quoted: Option<&str>) -> Value {
    let mut message = json!({ "from": "27820000002", "id": id, "timestamp": "1790000000", "type": "text",
        "text": { "body": text } });
    if let Some(quoted) = quoted {
        message["context"] = json!({ "id": quoted });
    }
    json!({ "messages": [message] })
}

#[tokio::test]
async fn a_tap_before_the_outcome_of_its_message_waits_and_has_the_payload_of_the_client() {
    for state in [IN_FLIGHT, IN_DOUBT] {
        let stage = Stage::new().await;
        let content = template(vec![quick_reply("TRACK", "pb1:token")], Vec::new());
        let message = called(&stage, &content, state).await;
        zo_taps(&stage).await;
        stage.settle_callbacks_only().await;
        assert_eq!((stage.count(WAITING).await, stage.count("SELECT count(*) FROM chat_message").await), (1, 0));
        assert!(stage.due(Queue::Callback).await.is_empty(), "it is taken a little later");

        settled(&stage, message).await;
        stage.advance(TimeDelta::seconds(1));
        stage.settle_callbacks_only().await;

        assert_eq!(stage.last_said().await, tap("TRACK"));
        let incoming = stage.incoming_events().await.pop().unwrap();
        assert_eq!((incoming.ct_id.as_deref(), incoming.tqrmt_id.as_deref()), (Some("order-42"), Some("gst-42")));
        assert_eq!(stage.count(WAITING).await, 0);
    }
}

#[tokio::test]
async fn a_quote_before_the_outcome_of_its_message_names_it() {
    let stage = Stage::new().await;
    let message = called(&stage, &hello(), IN_FLIGHT).await;
    zo_quotes(&stage, "wamid.Q", "this one").await;
    stage.settle_callbacks_only().await;

    settled(&stage, message).await;
    stage.advance(TimeDelta::seconds(1));
    stage.settle_callbacks_only().await;

    let told = stage.chatbot_events().await.pop().unwrap();
    assert_eq!((told.message_text.as_deref(), told.quoted_text.as_deref()), (Some("this one"), Some("Hello")));
}

#[tokio::test]
async fn a_reaction_before_the_outcome_of_its_message_names_it() {
    let stage = Stage::new().await;
    let message = called(&stage, &hello(), IN_FLIGHT).await;
    stage.zo_sends("wamid.R", "reaction", json!({ "message_id": "wamid.T", "emoji": "👍" }), None).await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(WAITING).await, 1);

    settled(&stage, message).await;
    stage.advance(TimeDelta::seconds(1));
    stage.settle_callbacks_only().await;

    let [incoming] = stage.incoming_events().await.try_into().unwrap();
    assert_eq!((incoming.gst_id.as_deref(), incoming.text.as_deref()), (Some("gst-42"), Some("👍")));
}

#[tokio::test]
async fn later_messages_of_the_customer_wait_with_an_early_answer_and_those_of_others_do_not() {
    let stage = Stage::new().await;
    let message = called(&stage, &hello(), IN_FLIGHT).await;
    zo_quotes(&stage, "wamid.Q", "this one").await;
    stage.zo_writes("wamid.2", "please").await;
    stage.called_back(of_another("wamid.O", "other", None)).await;
    stage.settle_callbacks_only().await;
    stage.zo_writes("wamid.3", "quickly").await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.texts("SELECT body FROM chat_message").await, ["other"]);

    settled(&stage, message).await;
    stage.advance(TimeDelta::seconds(1));
    stage.settle_callbacks_only().await;

    let of_zo = "SELECT body FROM chat_message WHERE body <> 'other' ORDER BY sequence_number";
    assert_eq!(stage.texts(of_zo).await, ["this one", "please", "quickly"]);
    assert_eq!(stage.count("SELECT count(*) FROM callback WHERE attempts > 0").await, 0);
}

#[tokio::test]
async fn another_attempt_of_an_early_answer_rolls_back_no_message_of_others() {
    let stage = Stage::new().await;
    called(&stage, &hello(), IN_FLIGHT).await;
    zo_quotes(&stage, "wamid.Q", "this one").await;
    stage.settle_callbacks_only().await;
    stage.advance(TimeDelta::seconds(1));
    // Of twelve messages the first three are neighbours.
    let message = |number: u8| {
        json!({ "from": format!("278200001{number:02}"), "id": format!("wamid.O{number}"), "timestamp": "1790000000",
            "type": "text", "text": { "body": number.to_string() } })
    };
    stage.called_back(json!({ "messages": (1..=11).map(message).collect::<Vec<_>>() })).await;

    stage.settle_callbacks_only().await;

    assert_eq!(stage.count("SELECT count(*) FROM chat_message").await, 11);
    assert_eq!(stage.count(WAITING).await, 1);
    let transactions = "SELECT count(DISTINCT xmin::text) FROM chat_message WHERE body IN ('1', '2')";
    assert_eq!(stage.count(transactions).await, 1, "after a rollback each would have its own");
}

#[tokio::test]
async fn an_early_answer_waits_for_thirty_seconds_at_most() {
    let stage = Stage::new().await;
    let content = template(vec![quick_reply("TRACK", "pb1:token")], Vec::new());
    called(&stage, &content, IN_FLIGHT).await;
    zo_taps(&stage).await;
    stage.zo_writes("wamid.2", "hello?").await;
    for _ in 0..29 {
        stage.settle_callbacks_only().await;
        stage.advance(TimeDelta::seconds(1));
    }
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(WAITING).await, 2);

    stage.advance(TimeDelta::seconds(1));
    stage.settle_callbacks_only().await;

    assert_eq!(stage.count(WAITING).await, 0);
    assert_eq!(stage.transcript().await, ["< Track", "< hello?"]);
}

#[tokio::test]
async fn an_answer_to_an_unknown_message_is_taken_at_once_unless_a_call_to_its_customer_is_open() {
    let stage = Stage::new().await;
    queued(&stage, &hello()).await;
    zo_quotes(&stage, "wamid.Q", "the call has not begun").await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(WAITING).await, 0);

    execute(&stage, IN_FLIGHT).await;
    stage.called_back(of_another("wamid.O", "of another customer", Some("wamid.GONE"))).await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(WAITING).await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM chat_message").await, 2);
}

#[tokio::test]
async fn a_message_without_a_target_and_one_with_a_known_target_do_not_wait_for_open_calls() {
    let stage = Stage::new().await;
    let message = called(&stage, &hello(), IN_FLIGHT).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle_callbacks_only().await;
    accepted(&stage, message, "wamid.T").await;
    zo_quotes(&stage, "wamid.Q", "this one").await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.transcript().await, ["< hi", "< this one"]);
}

#[tokio::test]
async fn the_call_may_be_to_another_address_of_the_customer() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle_callbacks_only().await;
    called(&stage, &hello(), IN_FLIGHT).await;
    let recipients = "SELECT DISTINCT recipient FROM outbound_work";
    assert_eq!(stage.texts(recipients).await, [ZO]);
    let message = json!({ "from_user_id": "ZA.100", "id": "wamid.Q", "timestamp": "1790000000", "type": "text",
        "text": { "body": "this one" }, "context": { "id": "wamid.T" } });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(WAITING).await, 1);
}
