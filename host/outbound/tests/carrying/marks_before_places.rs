//! Marks that run ahead of places: never more than calls in flight, and never called for when there is no place.

use std::sync::Arc;

use chrono::TimeDelta;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{stage::Stage, toy::WINDOW};

/// A stage whose marks may run ahead, with nine messages to visitors; sends wait for the gate.
async fn nine_to_be_sent() -> (Stage, Arc<Semaphore>) {
    let (stage, gate) = (Stage::new().await, Arc::new(Semaphore::new(0)));
    for number in 0..9 {
        stage.say(&format!("v-{number}"), "Hello").await;
    }
    stage.notes().ahead = true;
    stage.notes().gate = Some(Arc::clone(&gate));
    (stage, gate)
}

fn each_once() -> Vec<String> {
    (0..9).map(|number| format!("v-{number}: Hello")).collect()
}

#[tokio::test]
async fn while_a_window_is_in_flight_the_next_one_is_marked_and_waits() {
    let (stage, gate) = nine_to_be_sent().await;
    let observed = async {
        stage.marked(4).await;
        let (in_flight, _) = stage.notes().in_flight;
        gate.add_permits(9);
        in_flight
    };
    let ((), in_flight) = tokio::join!(stage.work(), observed);
    assert_eq!(in_flight, WINDOW);
    assert_eq!(stage.notes().in_flight, (0, WINDOW), "never more than there are places");
    assert!(stage.notes().most_marks <= 4, "{}: two windows are four", stage.notes().most_marks);
    let mut sent = stage.notes().sent.clone();
    sent.sort();
    assert_eq!(sent, each_once());
    assert_eq!(stage.waiting().await, 0);
}

#[tokio::test]
async fn legs_marked_ahead_are_released_when_the_carrier_has_no_more_places() {
    let (stage, gate) = nine_to_be_sent().await;
    let closed = async {
        stage.marked(4).await;
        stage.notes().closed = true;
        gate.add_permits(9);
    };
    let ((), ()) = tokio::join!(stage.work(), closed);
    assert_eq!(stage.notes().sent.len(), 2, "those in flight");
    stage.marked(0).await;
    assert_eq!(stage.waiting().await, 7);
    stage.notes().closed = false;
    stage.advance(TimeDelta::seconds(31));
    stage.work().await;
    let mut sent = stage.notes().sent.clone();
    sent.sort();
    assert_eq!(sent, each_once());
}

#[tokio::test]
async fn legs_marked_ahead_are_released_when_the_program_stops() {
    let (stage, gate) = nine_to_be_sent().await;
    let stop = CancellationToken::new();
    let stopped = async {
        stage.marked(4).await;
        stop.cancel();
        gate.add_permits(9);
    };
    let ((), ()) = tokio::join!(stage.work_until(stop.clone()), stopped);
    assert_eq!(stage.notes().sent.len(), 2, "those in flight");
    stage.marked(0).await;
    assert_eq!(stage.waiting().await, 7);
}

#[tokio::test]
async fn legs_marked_ahead_are_not_sent_while_outcomes_cannot_be_stored() {
    let (stage, gate) = nine_to_be_sent().await;
    stage.refuse_receipts().await;
    let mended = async {
        stage.marked(4).await;
        gate.add_permits(9);
        stage.refusals(6).await;
        let sent = stage.notes().sent.len();
        stage.take_receipts().await;
        sent
    };
    let ((), sent) = tokio::join!(stage.work(), mended);
    assert_eq!(sent, WINDOW, "those in flight, and nothing before one is on disk");
    let mut all = stage.notes().sent.clone();
    all.sort();
    assert_eq!(all, each_once());
}

#[tokio::test]
async fn no_more_than_one_window_goes_out_before_an_outcome_is_written_however_slow_the_disk_is() {
    let stage = Stage::new().await;
    for number in 0..4 {
        stage.say(&format!("v-{number}"), "Hello").await;
    }
    stage.notes().ahead = true;
    stage.refuse_receipts().await;
    let disk = stage.hold_receipts().await;
    let observed = async {
        stage.sent(WINDOW).await;
        for number in 4..9 {
            stage.say(&format!("v-{number}"), "Hello").await;
        }
        // Every place is free by now, and nothing was refused yet.
        stage.think_again().await;
        let held = stage.notes().in_doubt;
        stage.let_go(disk).await;
        stage.refusals(6).await;
        let sent = stage.notes().sent.len();
        stage.take_receipts().await;
        (sent, held)
    };
    let ((), (sent, held)) = tokio::join!(stage.work(), observed);
    assert_eq!((sent, held), (WINDOW, WINDOW), "places that lanes share are held until the mark is on disk, too");
    let mut all = stage.notes().sent.clone();
    all.sort();
    assert_eq!(all, each_once());
    assert_eq!(stage.notes().in_doubt, 0);
}

#[tokio::test]
async fn an_outcome_that_alone_cannot_be_written_keeps_nothing_that_lanes_share() {
    let stage = Stage::new().await;
    let poisoned = stage.say("v-0", "Hello").await;
    for number in 1..9 {
        stage.say(&format!("v-{number}"), "Hello").await;
    }
    stage.notes().ahead = true;
    stage.refuse_receipts_of(poisoned).await;
    let observed = async {
        stage.only_one_waits().await;
        while stage.notes().in_doubt > 0 {
            stage.think_again().await;
        }
        stage.take_receipts().await;
    };
    let ((), ()) = tokio::join!(stage.work(), observed);
    let waiting = stage.waiting().await;
    assert_eq!((stage.notes().sent.len(), waiting), (9, 0));
}
