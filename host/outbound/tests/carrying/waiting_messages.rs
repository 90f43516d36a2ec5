//! Messages that wait without a reader: unreadable ones, and SMS without a carrier.

use chrono::TimeDelta;
use domain::{carriage::SendFailure, ids::MessageId};

use crate::{error_log::Errors, leg, refused, stage::Stage};

async fn execute(stage: &Stage, statement: &str) {
    sqlx::query(statement).execute(&stage.ctx.db).await.unwrap();
}

/// Sets the version of the stored shape of a message.
async fn is_of_version(stage: &Stage, message: MessageId, version: u32) {
    let statement = format!(
        "UPDATE outbound_part SET content = jsonb_set(content, '{{v}}', '{version}')
         WHERE id = (SELECT part_id FROM outbound_message WHERE id = '{}')",
        message.0
    );
    execute(stage, &statement).await;
}

async fn unreadable(stage: &Stage, visitor: &str) -> MessageId {
    let message = stage.say(visitor, "from another release").await;
    is_of_version(stage, message, 2).await;
    message
}

#[tokio::test]
async fn an_unreadable_message_delays_no_other_and_is_sent_when_it_is_readable() {
    let stage = Stage::new().await;
    let (errors, message) = (Errors::of_this_thread(), unreadable(&stage, "v-1").await);
    stage.say("v-1", "Hello").await;
    stage.say("v-2", "Hello").await;
    stage.work().await;
    let mut sent = stage.notes().sent.clone();
    sent.sort();
    assert_eq!(sent, ["v-1: Hello", "v-2: Hello"]);
    assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
    let lines = errors.lines();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    let said = ["a stored message cannot be read", &message.0.to_string(), "outbound_part.content", "version 2"];
    assert!(said.iter().all(|word| line.contains(word)), "{line}");

    is_of_version(&stage, message, 1).await;
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 2, "it is put aside for a while");
    stage.advance(TimeDelta::minutes(10));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}

#[tokio::test]
async fn many_messages_that_cannot_be_read_do_not_hide_one_that_can() {
    let stage = Stage::new().await;
    for number in 0..100 {
        unreadable(&stage, &format!("v-{number}")).await;
    }
    stage.say("v-100", "Hello").await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-100: Hello"]);
    assert_eq!(stage.waiting().await, 100);
}

#[tokio::test]
async fn a_message_whose_request_for_a_fallback_cannot_be_read_is_not_sent() {
    let stage = Stage::new().await;
    let message = stage.say("v-1", "Hello").await;
    execute(&stage, "UPDATE outbound_part SET fallback = '{\"v\": 2, \"value\": null}'").await;
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 0, "how its call ended could not be written down");
    assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
}

#[tokio::test]
async fn no_message_waits_behind_an_unreadable_one() {
    let stage = Stage::new().await;
    stage.notes().slow.insert("v-1".to_owned(), stage.ctx.now());
    stage.say("v-1", "one").await;
    let two = stage.say("v-1", "two").await;
    stage.work().await;
    is_of_version(&stage, two, 2).await;
    stage.say("v-1", "three").await;
    for _ in 0..2 {
        stage.advance(TimeDelta::seconds(7));
        stage.work().await;
    }
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: three"]);
}

#[tokio::test]
async fn an_unreadable_message_delays_no_waiting_lane_either() {
    let stage = Stage::new().await;
    unreadable(&stage, "v-1").await;
    stage.notes().closed = true;
    stage.work().await;
    assert_eq!(stage.waiting().await, 1);
}

#[tokio::test]
async fn an_unanswered_call_is_still_known_after_a_pause_of_its_lane() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::Unknown { reason: "no answer".to_owned() });
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    stage.notes().closed = true;
    stage.advance(TimeDelta::minutes(2));
    stage.work().await;
    stage.notes().closed = false;
    stage.advance(TimeDelta::seconds(30));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", true)], "it may have gone out twice");
}

/// Turns the waiting messages into SMS, on any channel.
async fn is_sms(stage: &Stage) {
    execute(stage, "UPDATE outbound_leg SET channel = 'SMS' WHERE state = 'QUEUED'").await;
}

fn sms(state: &str) -> (String, i16, String, bool) {
    ("SMS".to_owned(), 0, state.to_owned(), false)
}

/// Code and words of the steps that a message made.
async fn reasons(stage: &Stage, message: MessageId) -> Vec<(Option<String>, Option<String>)> {
    let steps = "SELECT error_code, error_text FROM delivery_receipt WHERE message_id = $1 ORDER BY id";
    sqlx::query_as(steps).bind(message.0).fetch_all(&stage.ctx.db).await.unwrap()
}

fn reason(code: &str, text: &str) -> (Option<String>, Option<String>) {
    (Some(code.to_owned()), Some(text.to_owned()))
}

#[tokio::test]
async fn an_sms_that_is_not_accepted_for_two_days_fails_with_the_reason() {
    let stage = Stage::new().await;
    stage.notes().closed = true;
    let message = stage.say("v-1", "Hello").await;
    is_sms(&stage).await;
    stage.advance(TimeDelta::hours(48));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [sms("QUEUED")]);

    stage.advance(TimeDelta::seconds(30));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [sms("FAILED")]);
    assert_eq!(reasons(&stage, message).await, [reason("900503", "expired: no SMSC took the SMS within 48 h")]);
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn sms_that_have_waited_too_long_are_not_sent_and_delay_no_other() {
    let stage = Stage::new().await;
    for number in 0..700 {
        stage.say(&format!("v-{number}"), "Late").await;
    }
    is_sms(&stage).await;
    stage.advance(TimeDelta::hours(48) + TimeDelta::seconds(1));
    stage.say("v-1", "Hello").await;
    is_sms(&stage).await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: Hello"]);
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn an_sms_waits_from_when_it_was_queued_on_and_not_its_message() {
    let stage = Stage::new().await;
    let message = stage.say("v-1", "Hello").await;
    stage.advance(TimeDelta::hours(72));
    let queued = format!("UPDATE outbound_leg SET channel = 'SMS', updated_at = '{}'", stage.ctx.now());
    execute(&stage, &queued).await;
    stage.work().await;
    assert_eq!(stage.legs(message).await, [sms("ACCEPTED")]);
}

#[tokio::test]
async fn an_unanswered_sms_that_is_not_accepted_again_fails_and_may_have_arrived() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::Unknown { reason: "no answer".to_owned() });
    let message = stage.say("v-1", "Hello").await;
    is_sms(&stage).await;
    stage.work().await;
    stage.notes().closed = true;
    stage.advance(TimeDelta::hours(49));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [sms("FAILED")]);
    let text = "expired: no SMSC reported the outcome of the SMS within 48 h; it may have arrived";
    assert_eq!(reasons(&stage, message).await, [reason("900451", text)]);
}

#[tokio::test]
async fn other_messages_wait_for_as_long_as_it_takes() {
    let stage = Stage::new().await;
    stage.notes().closed = true;
    let message = stage.say("v-1", "Hello").await;
    for _ in 0..30 {
        stage.work().await;
        stage.advance(TimeDelta::days(1));
    }
    stage.notes().closed = false;
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}

#[tokio::test]
async fn a_lane_outlives_any_number_of_attempts() {
    let stage = Stage::new().await;
    let message = stage.say("v-1", "Hello").await;
    execute(&stage, "UPDATE outbound_work SET attempts = 32767").await;
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}

/// Works on the lane once a minute, so often.
async fn work_for_minutes(stage: &Stage, minutes: usize) {
    for _ in 0..minutes {
        stage.work().await;
        stage.advance(TimeDelta::minutes(1));
    }
}

#[tokio::test]
async fn calls_that_were_too_fast_use_up_none_of_the_refusals_that_a_message_has() {
    let stage = Stage::new().await;
    let slow = || SendFailure::SlowDown { failure: refused(), after: None };
    let passing = || SendFailure::Retry { failure: refused(), after: None };
    stage.notes().failures.extend((0..8).map(|_| slow()));
    stage.notes().failures.extend((0..5).map(|_| passing()));
    let message = stage.say("v-1", "Hello").await;
    work_for_minutes(&stage, 20).await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}

#[tokio::test]
async fn the_seventh_temporary_refusal_fails_a_message_also_with_other_outcomes_between() {
    let stage = Stage::new().await;
    for _ in 0..7 {
        stage.notes().failures.push_back(SendFailure::Retry { failure: refused(), after: None });
        stage.notes().failures.push_back(SendFailure::NotSent { reason: "no line".to_owned(), after: None });
    }
    let message = stage.say("v-1", "Hello").await;
    work_for_minutes(&stage, 21).await;
    assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
    work_for_minutes(&stage, 1).await;
    assert_eq!(stage.legs(message).await, [leg("FAILED", false)]);
}

#[tokio::test]
async fn an_sms_that_never_finds_room_is_not_given_up_before_it_expires() {
    let stage = Stage::new().await;
    let message = stage.say("v-1", "Hello").await;
    is_sms(&stage).await;
    execute(&stage, "UPDATE outbound_work SET attempts = 32767").await;
    stage.notes().failures.push_back(SendFailure::NotSent { reason: "no room".to_owned(), after: None });
    stage.work().await;
    assert_eq!(stage.legs(message).await, [sms("QUEUED")]);
    stage.advance(TimeDelta::minutes(1));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [sms("ACCEPTED")]);
}

#[tokio::test]
async fn an_smsc_with_a_fault_for_a_minute_fails_no_message_for_good() {
    let stage = Stage::new().await;
    let message = stage.say("v-1", "Hello").await;
    for _ in 0..60 {
        // ESME_RSYSERR to each submit of this second.
        stage.notes().failures = [SendFailure::Retry { failure: refused(), after: None }].into();
        stage.work().await;
        assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
        stage.advance(TimeDelta::seconds(1));
    }
    let tried = stage.notes().sent.len();
    assert!((3..=5).contains(&tried), "the pauses grow: {tried} submits");
    stage.notes().failures.clear();
    stage.advance(TimeDelta::minutes(5));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}
