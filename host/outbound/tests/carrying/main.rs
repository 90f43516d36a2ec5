//! The one dispatcher over a carrier that it has never seen: a toy for web sites, in one file, with one line in the table.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod counts;
mod error_log;
mod hooks;
mod inbox_faults;
mod marks_before_places;
mod message_order;
mod refused_accounts;
mod stage;
mod toy;
mod unanswered_calls;
mod waiting_messages;

use channels::carrier::ProviderState;
use chrono::TimeDelta;
use domain::{
    carriage::{Acceptance, SendFailure},
    inbound::ProviderFailure,
};

use stage::Stage;

fn leg(state: &str, ambiguous: bool) -> (String, i16, String, bool) {
    ("WEB".to_owned(), 0, state.to_owned(), ambiguous)
}

fn refused() -> ProviderFailure {
    ProviderFailure { code: 7, text: "no".to_owned() }
}

#[tokio::test]
async fn the_first_leg_of_a_message_goes_over_the_channel_of_its_inbox() {
    let stage = Stage::new().await;
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: Hello"]);
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn no_more_is_in_flight_than_the_carrier_gave_places_for_and_no_more_in_doubt_than_twice_that() {
    let stage = Stage::new().await;
    for number in 0..9 {
        stage.say(&format!("v-{number}"), "Hello").await;
    }
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 9);
    let (now, most) = stage.notes().in_flight;
    assert!(now == 0 && (1..=2).contains(&most), "{now} now, {most} at most");
    assert!((1..=4).contains(&stage.notes().most_marks), "{}", stage.notes().most_marks);
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn a_visitor_gets_messages_in_the_order_that_they_were_said_in() {
    let stage = Stage::new().await;
    for text in ["one", "two", "three"] {
        stage.say("v-1", text).await;
    }
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: two", "v-1: three"]);
}

#[tokio::test]
async fn a_message_that_is_refused_for_good_fails_and_is_not_sent_again() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::Rejected(refused()));
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    stage.advance(TimeDelta::hours(1));
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 1);
    assert_eq!(stage.legs(message).await, [leg("FAILED", false)]);
}

#[tokio::test]
async fn a_message_that_was_not_handed_over_goes_out_a_little_later() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::NotSent { reason: "no line".to_owned(), after: None });
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    let waiting = stage.waiting().await;
    assert_eq!((stage.notes().sent.len(), waiting), (1, 1));
    stage.advance(TimeDelta::seconds(1));
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 2);
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}

#[tokio::test]
async fn a_send_with_a_lost_answer_is_repeated_once_and_marked_ambiguous() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([SendFailure::Unknown { reason: "no answer".to_owned() }]);
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
    stage.advance(TimeDelta::seconds(59));
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 1, "news of it may still come");
    stage.advance(TimeDelta::seconds(2));
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 2);
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", true)]);
}

#[tokio::test]
async fn a_second_lost_answer_fails_the_message_with_the_text_of_the_carrier() {
    let stage = Stage::new().await;
    let lost = || SendFailure::Unknown { reason: "no answer".to_owned() };
    stage.notes().failures.extend([lost(), lost()]);
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    for _ in 0..2 {
        stage.advance(TimeDelta::minutes(11));
        stage.work().await;
    }
    assert_eq!(stage.notes().sent.len(), 2);
    assert_eq!(stage.legs(message).await, [leg("FAILED", true)]);
}

#[tokio::test]
async fn a_provider_that_can_be_asked_is_asked_before_a_message_goes_out_again() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::Unknown { reason: "no answer".to_owned() });
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    stage.notes().known =
        Some(ProviderState::Taken(Acceptance { provider_id: Some("p-1".to_owned()), ..Acceptance::default() }));
    stage.advance(TimeDelta::minutes(2));
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 1, "the provider has it");
    let [(_, _, state, _)] = &stage.legs(message).await[..] else { panic!("not one leg") };
    assert_eq!(state, "ACCEPTED");
}

#[tokio::test]
async fn due_messages_wait_while_the_carrier_has_no_place() {
    let stage = Stage::new().await;
    stage.notes().closed = true;
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    stage.notes().closed = false;
    stage.advance(TimeDelta::seconds(29));
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 0);
    stage.advance(TimeDelta::seconds(1));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("ACCEPTED", false)]);
}

#[tokio::test]
async fn outcomes_that_the_database_refuses_are_kept_and_nothing_more_goes_out_until_one_is_written() {
    let stage = Stage::new().await;
    for number in 0..9 {
        stage.say(&format!("v-{number}"), "Hello").await;
    }
    stage.refuse_receipts().await;
    let mended = async {
        stage.refusals(6).await;
        let sent = stage.notes().sent.len();
        stage.take_receipts().await;
        sent
    };
    let ((), sent) = tokio::join!(stage.work(), mended);
    assert!((1..=4).contains(&sent), "{sent} went out: two windows are four");
    let mut all = stage.notes().sent.clone();
    all.sort();
    let each_once: Vec<String> = (0..9).map(|number| format!("v-{number}: Hello")).collect();
    assert_eq!(all, each_once);
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn an_outcome_that_cannot_be_stored_delays_no_other() {
    let stage = Stage::new().await;
    let poisoned = stage.say("v-0", "Hello").await;
    for number in 1..9 {
        stage.say(&format!("v-{number}"), "Hello").await;
    }
    stage.refuse_receipts_of(poisoned).await;
    let mended = async {
        stage.only_one_waits().await;
        stage.take_receipts().await;
    };
    let ((), ()) = tokio::join!(stage.work(), mended);
    assert_eq!(stage.notes().sent.len(), 9);
    assert_eq!(stage.legs(poisoned).await, [leg("ACCEPTED", false)]);
}

#[tokio::test]
async fn a_recipient_limited_to_one_message_per_six_seconds_delays_no_other() {
    let stage = Stage::new().await;
    stage.notes().slow.insert("v-1".to_owned(), stage.ctx.now());
    for _ in 0..200 {
        stage.say("v-1", "Hello").await;
    }
    stage.say("v-2", "Hello").await;
    stage.work().await;
    let mut sent = stage.notes().sent.clone();
    sent.sort();
    assert_eq!(sent, ["v-1: Hello", "v-2: Hello"]);
    assert_eq!(stage.waiting().await, 199);
}

#[tokio::test]
async fn a_deferred_message_is_sent_in_its_order_and_before_later_ones() {
    let stage = Stage::new().await;
    stage.notes().slow.insert("v-1".to_owned(), stage.ctx.now());
    for text in ["one", "two", "three"] {
        stage.say("v-1", text).await;
    }
    stage.work().await;
    stage.say("v-1", "four").await;
    for _ in 0..4 {
        stage.work().await;
        stage.advance(TimeDelta::seconds(7));
    }
    stage.work().await;
    assert_eq!(stage.notes().sent, ["v-1: one", "v-1: two", "v-1: three", "v-1: four"]);
}

#[tokio::test]
async fn many_messages_to_one_visitor_do_not_hide_another_one() {
    let stage = Stage::new().await;
    for number in 0..300 {
        stage.say("v-1", &number.to_string()).await;
    }
    stage.say("v-2", "Hello").await;
    stage.work().await;
    let sent = stage.notes().sent.clone();
    let place = sent.iter().position(|sent| sent == "v-2: Hello").expect("it went out");
    assert!(place < 16, "it was behind {place} others");
}
