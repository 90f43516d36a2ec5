//! The order of a chat for the customer: a later message waits for an earlier one that is still tried, but not for
//! ever.

use chrono::TimeDelta;
use domain::carriage::SendFailure;

use crate::{refused, stage::Stage};

fn busy() -> SendFailure {
    SendFailure::Retry { failure: refused(), after: None }
}

fn lost() -> SendFailure {
    SendFailure::Unknown { reason: "no answer".to_owned() }
}

/// Time passes, and the worker of the lane looks at it every second.
async fn seconds(stage: &Stage, count: usize) {
    for _ in 0..count {
        stage.advance(TimeDelta::seconds(1));
        stage.work().await;
    }
}

#[tokio::test]
async fn later_messages_wait_for_a_temporarily_refused_one() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(busy());
    stage.say("v-1", "one").await;
    stage.work().await;
    for text in ["two", "three"] {
        stage.say("v-1", text).await;
    }
    stage.say("v-2", "of another chat").await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-2: of another chat"]);
    stage.notes().failures.push_back(busy());
    seconds(&stage, 8).await;
    let sent = stage.notes().sent.split_off(2);
    assert_eq!(sent, ["v-1: one", "v-1: one", "v-1: two", "v-1: three"]);
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn queued_messages_stay_behind_a_refused_first_one() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([busy(), busy()]);
    for text in ["one", "two", "three"] {
        stage.say("v-1", text).await;
    }
    stage.work().await;
    seconds(&stage, 8).await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: one", "v-1: one", "v-1: two", "v-1: three"]);
}

#[tokio::test]
async fn a_message_that_fails_in_the_end_frees_the_next_one() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([busy(), SendFailure::Rejected(refused())]);
    let first = stage.say("v-1", "one").await;
    stage.work().await;
    stage.say("v-1", "two").await;
    stage.work().await;
    seconds(&stage, 2).await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: one", "v-1: two"]);
    assert_eq!(stage.legs(first).await[0].2, "FAILED");
}

#[tokio::test]
async fn later_messages_wait_for_one_with_a_lost_answer_until_it_is_sent_again() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(lost());
    stage.say("v-1", "one").await;
    stage.work().await;
    stage.say("v-1", "two").await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one"]);
    seconds(&stage, 62).await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: one", "v-1: two"]);
}

#[tokio::test]
async fn a_status_of_a_message_with_a_lost_answer_frees_the_next_one_at_once() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(lost());
    let first = stage.say("v-1", "one").await;
    stage.work().await;
    stage.say("v-1", "two").await;
    stage.work().await;
    crate::unanswered_calls::went_out(&stage, first, stage.ctx.now()).await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: two"]);
}

#[tokio::test]
async fn no_message_waits_for_the_status_of_one_that_is_not_sent_again() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([lost(), lost()]);
    stage.say("v-1", "one").await;
    stage.work().await;
    stage.say("v-1", "two").await;
    seconds(&stage, 62).await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: one", "v-1: two"]);
}

#[tokio::test]
async fn later_messages_wait_for_a_quarter_of_an_hour_at_most() {
    let stage = Stage::new().await;
    let away =
        || SendFailure::NotSent { reason: "no line".to_owned(), after: Some(std::time::Duration::from_secs(7200)) };
    stage.notes().failures.push_back(away());
    stage.say("v-1", "one").await;
    stage.work().await;
    stage.say("v-1", "two").await;
    stage.work().await;
    stage.advance(TimeDelta::seconds(899));
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one"]);
    stage.advance(TimeDelta::seconds(2));
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: two"]);
}

#[tokio::test]
async fn api_sends_do_not_wait_for_the_chat() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(busy());
    stage.say("v-1", "one").await;
    stage.work().await;
    stage.say("v-1", "two").await;
    stage.send("v-1", "your code is 123456").await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: your code is 123456"]);
    stage.send("v-1", "your code is 654321").await;
    stage.work().await;
    assert_eq!(stage.notes().sent[2..], ["v-1: your code is 654321"]);
    seconds(&stage, 2).await;
    assert_eq!(stage.notes().sent[3..], ["v-1: one", "v-1: two"]);
}
