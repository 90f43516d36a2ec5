//! Taps and choices that come before the outcome of the call for their message is stored, over an inbox that keeps the
//! choices of its messages.

use chat::receive::{MessageGroup, ReceiveOutcome, receive_all};
use chrono::TimeDelta;
use domain::{
    inbound::{CallbackBody, InboundContent, InboundMessage},
    lite::place_payload,
};

use crate::lite::{Stage, tap};

const ANSWER: &str = "ANSWER";

/// A stage whose number is connected through a device in this process.
async fn connected() -> Stage {
    let stage = Stage::new().await;
    stage.is_up_in(stage.ctx.node).await;
    stage
}

/// Zo answers. `false`: the answer is too early.
async fn comes(stage: &Stage, message: &InboundMessage) -> bool {
    let mut tx = stage.ctx.db.begin().await.unwrap();
    let messages = MessageGroup { messages: &[message], may_wait: true };
    let received = receive_all(&stage.ctx, &mut tx, stage.client, stage.number, messages).await.unwrap();
    let is_taken = matches!(received, ReceiveOutcome::Done(_));
    if is_taken {
        tx.commit().await.unwrap();
    } else {
        tx.rollback().await.unwrap();
    }
    is_taken
}

/// Something happens while the device has the call for a list and has not answered it.
async fn before_the_device_answers<T>(stage: &Stage, early: impl Future<Output = T>) -> T {
    let gate = stage.holds_answers();
    stage.offers("Sales", "Support").await;
    let early = async {
        stage.until_asked().await;
        let outcome = early.await;
        gate.add_permits(1);
        outcome
    };
    let ((), outcome) = tokio::join!(stage.sends(), early);
    outcome
}

/// Zo answers before the device does. `false`: the answer is too early.
async fn comes_before_the_device_answers(stage: &Stage, message: &InboundMessage) -> bool {
    before_the_device_answers(stage, comes(stage, message)).await
}

async fn count(stage: &Stage, statement: &'static str) -> i64 {
    sqlx::query_scalar(statement).fetch_one(&stage.ctx.db).await.unwrap()
}

fn quoting(stage: &Stage, sent: &str) -> InboundMessage {
    InboundMessage { quoted_provider_id: Some(sent.to_owned()), ..stage.message(ANSWER, "2") }
}

/// A tap on the second button, in the form of Telegram.
fn tapping(stage: &Stage, sent: &str) -> InboundMessage {
    let content = InboundContent::Interactive { text: "Support".to_owned(), payload: place_payload(2) };
    InboundMessage { content, ..quoting(stage, sent) }
}

/// The provider id of the list.
async fn list(stage: &Stage) -> String {
    sqlx::query_scalar("SELECT provider_id FROM outbound_leg").fetch_one(&stage.ctx.db).await.unwrap()
}

/// The provider id that the answer quotes.
async fn quoted(stage: &Stage) -> Option<String> {
    let statement = "SELECT quoted_provider_id FROM chat_message WHERE provider_id = $1";
    sqlx::query_scalar(statement).bind(ANSWER).fetch_one(&stage.ctx.db).await.unwrap()
}

#[tokio::test]
async fn a_choice_that_quotes_a_list_is_too_early_while_the_device_has_not_answered() {
    let stage = connected().await;
    assert!(!comes_before_the_device_answers(&stage, &quoting(&stage, "not known")).await);

    let list = list(&stage).await;
    assert!(comes(&stage, &quoting(&stage, &list)).await);
    assert_eq!(stage.understood(ANSWER).await, tap("Support"));
}

#[tokio::test]
async fn a_tap_on_a_place_is_too_early_while_the_call_for_its_message_is_in_flight() {
    let stage = connected().await;
    assert!(!comes_before_the_device_answers(&stage, &tapping(&stage, "not known")).await);

    let list = list(&stage).await;
    assert!(comes(&stage, &tapping(&stage, &list)).await);
    assert_eq!((stage.understood(ANSWER).await, quoted(&stage).await), (tap("Support"), Some(list)));
}

#[tokio::test]
async fn a_number_that_names_no_message_is_too_early_while_the_call_for_its_list_is_in_flight() {
    let stage = connected().await;
    let number = stage.message(ANSWER, "2");
    assert!(!comes_before_the_device_answers(&stage, &number).await);

    assert!(comes(&stage, &number).await);
    assert_eq!((stage.understood(ANSWER).await, quoted(&stage).await), (tap("Support"), Some(list(&stage).await)));
}

#[tokio::test]
async fn a_text_that_is_no_choice_does_not_wait_for_the_call_in_flight() {
    let stage = connected().await;
    assert!(comes_before_the_device_answers(&stage, &stage.message(ANSWER, "hello")).await);
}

#[tokio::test]
async fn a_tap_is_taken_at_once_if_the_call_for_its_message_is_in_doubt() {
    let stage = connected().await;
    stage.loses_an_answer();
    stage.offers("Sales", "Support").await;
    stage.sends().await;

    assert!(comes(&stage, &tapping(&stage, "not known")).await);

    let named = Some("not known".to_owned());
    assert_eq!((stage.understood(ANSWER).await, quoted(&stage).await), (tap("Support"), named));
}

#[tokio::test]
async fn another_attempt_of_an_early_number_rolls_back_no_message_of_others() {
    let stage = connected().await;
    let came = |message: InboundMessage| CallbackBody::Message(Box::new(message));
    let of_another = |number: u8| {
        let message = stage.message(&format!("OTHER{number}"), &format!("other {number}"));
        came(InboundMessage { from: Some(format!("278200001{number:02}")), ..message })
    };
    let attempts = async {
        stage.called_back([came(stage.message(ANSWER, "2"))]).await;
        stage.advance(TimeDelta::seconds(1));
        // Of twelve messages the first three are neighbours.
        stage.called_back((1..=11).map(of_another)).await;
    };
    before_the_device_answers(&stage, attempts).await;

    assert_eq!(count(&stage, "SELECT count(*) FROM chat_message WHERE body LIKE 'other %'").await, 11);
    assert_eq!(count(&stage, "SELECT count(*) FROM callback").await, 1);
    let transactions = "SELECT count(DISTINCT xmin::text) FROM chat_message WHERE body IN ('other 1', 'other 2')";
    assert_eq!(count(&stage, transactions).await, 1, "after a rollback each would have its own");
}
