//! Messages of an inbox whose provider refuses the token or the account.

use std::iter;

use chrono::TimeDelta;
use domain::{carriage::SendFailure, ids::MessageId};
use storage::inboxes::faults;

use crate::{leg, refused, stage::Stage};

const MINUTE: TimeDelta = TimeDelta::seconds(60);
const SECOND: TimeDelta = TimeDelta::seconds(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// A stage with so many messages, each to another visitor, after its account was refused for the first time.
async fn refused_stage(messages: usize) -> (Stage, Vec<MessageId>) {
    let stage = Stage::new().await;
    stage.notes().failures.extend(iter::repeat_with(|| SendFailure::AccountStopped(refused())).take(1000));
    let mut said = Vec::with_capacity(messages);
    for number in 0..messages {
        said.push(stage.say(&format!("v-{number}"), "Hello").await);
    }
    stage.work().await;
    (stage, said)
}

fn calls(stage: &Stage) -> usize {
    stage.notes().sent.len()
}

async fn error_code(stage: &Stage, message: MessageId) -> Option<String> {
    let code = "SELECT error_code FROM outbound_leg WHERE message_id = $1";
    sqlx::query_scalar(code).bind(message.0).fetch_one(&stage.ctx.db).await.unwrap()
}

#[tokio::test]
async fn the_messages_of_a_refused_account_wait_and_one_is_tried_each_minute() {
    let (stage, said) = refused_stage(20).await;
    let first = calls(&stage);
    assert!((1..=4).contains(&first), "{first} calls: two windows are four");

    stage.advance(MINUTE - SECOND);
    stage.work().await;
    assert_eq!(calls(&stage), first, "the minute is not over");

    stage.advance(SECOND);
    for tried in 1..=3 {
        stage.work().await;
        assert_eq!(calls(&stage), first + tried);
        stage.advance(MINUTE);
    }
    assert_eq!(stage.waiting().await, 20);
    for message in said {
        assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
    }
}

#[tokio::test]
async fn the_messages_go_out_when_a_try_is_taken() {
    let (stage, _) = refused_stage(20).await;
    stage.notes().failures.clear();
    let before = calls(&stage);

    stage.advance(MINUTE);
    stage.work().await;

    assert_eq!((calls(&stage) - before, stage.waiting().await), (20, 0));
}

#[tokio::test]
async fn the_end_of_the_fault_opens_the_lane_at_once() {
    let (stage, _) = refused_stage(3).await;
    stage.notes().failures.clear();
    faults::clear(&mut stage.ctx.db.acquire().await.unwrap(), stage.client, stage.site).await.unwrap();

    stage.work().await;

    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn a_message_fails_with_the_code_of_the_provider_after_four_hours_and_a_later_one_waits_on() {
    let (stage, said) = refused_stage(1).await;
    stage.advance(HOUR * 3);
    let later = stage.say("v-9", "Hello").await;
    stage.advance(HOUR - SECOND);
    stage.work().await;
    assert_eq!(stage.legs(said[0]).await, [leg("QUEUED", false)]);

    stage.advance(MINUTE);
    stage.work().await;

    assert_eq!(stage.legs(said[0]).await, [leg("FAILED", false)]);
    assert_eq!(error_code(&stage, said[0]).await.as_deref(), Some("7"));
    assert_eq!(stage.legs(later).await, [leg("QUEUED", false)]);
}

#[tokio::test]
async fn more_expired_messages_than_a_page_fail_without_a_call() {
    let (stage, _) = refused_stage(1).await;
    for number in 0..1_001 {
        stage.say(&format!("w-{number}"), "Hello").await;
    }
    let before = calls(&stage);

    stage.advance(HOUR * 4);
    stage.work().await;

    assert_eq!((stage.waiting().await, calls(&stage)), (0, before));
}

#[tokio::test]
async fn a_message_that_is_refused_for_itself_does_not_end_the_tries() {
    let (stage, said) = refused_stage(4).await;
    {
        let mut notes = stage.notes();
        notes.failures.clear();
        notes.failures.extend([SendFailure::Rejected(refused()), SendFailure::Rejected(refused())]);
    }

    stage.advance(MINUTE);
    stage.work().await;

    let mut states = Vec::new();
    for message in said {
        states.extend(stage.legs(message).await.into_iter().map(|(_, _, state, _)| state));
    }
    assert_eq!(states, ["FAILED", "FAILED", "ACCEPTED", "ACCEPTED"]);
}

#[tokio::test]
async fn tries_without_an_answer_end_until_the_next_minute() {
    let (stage, _) = refused_stage(12).await;
    {
        let mut notes = stage.notes();
        notes.failures.clear();
        let not_sent = || SendFailure::NotSent { reason: "no line".to_owned(), after: None };
        notes.failures.extend(iter::repeat_with(not_sent).take(1000));
    }
    let before = calls(&stage);

    stage.advance(MINUTE);
    stage.work().await;

    assert_eq!((calls(&stage) - before, stage.waiting().await), (8, 12));
    stage.advance(MINUTE - SECOND);
    stage.work().await;
    assert_eq!(calls(&stage) - before, 8, "the lane is closed again");
}
