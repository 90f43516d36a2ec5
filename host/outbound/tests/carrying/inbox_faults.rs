//! The faults of an inbox at its provider, as the list of its owner shows them on each process.

use base::Context;
use chrono::TimeDelta;
use domain::{
    carriage::SendFailure,
    channel::Channel,
    inbox_fault::{InboxCallFailure, InboxFaults},
    page::PageRequest,
};
use tenancy::inboxes::list_inboxes;

use crate::{refused, stage::Stage};

const SECOND: TimeDelta = TimeDelta::seconds(1);

/// The faults of the site, in the list of a process.
async fn shown(stage: &Stage, process: &Context) -> InboxFaults {
    let listed = list_inboxes(process, stage.client, Some(Channel::Web), PageRequest::first(10)).await.unwrap();
    listed.items.into_iter().next().unwrap().faults
}

/// The failed call that the process of the stage shows.
async fn failed_call(stage: &Stage) -> Option<InboxCallFailure> {
    shown(stage, &stage.ctx).await.failed_call
}

fn not_sent() -> SendFailure {
    SendFailure::NotSent { reason: "no line to 10.0.0.7".to_owned(), after: None }
}

#[tokio::test]
async fn a_refusal_of_one_process_is_over_on_all_when_another_process_sends() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::AccountStopped(refused()));
    stage.say("v-1", "lost").await;
    stage.work().await;
    stage.advance(SECOND);
    let other = stage.another_process().await;
    for process in [&stage.ctx, &other] {
        assert!(shown(&stage, process).await.refusal.is_some());
    }

    stage.say("v-1", "there").await;
    stage.advance(TimeDelta::minutes(1));
    stage.work_in(&other).await;

    assert_eq!(stage.notes().sent, ["v-1: lost", "v-1: lost", "v-1: there"]);
    for process in [&stage.ctx, &other] {
        assert_eq!(shown(&stage, process).await, InboxFaults::default());
    }
}

#[tokio::test]
async fn a_refusal_is_shown_for_a_day_without_a_message() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::AccountStopped(refused()));
    stage.say("v-1", "lost").await;
    stage.work().await;

    stage.advance(TimeDelta::days(1) - SECOND);
    assert!(shown(&stage, &stage.ctx).await.refusal.is_some());

    stage.advance(SECOND);
    assert_eq!(shown(&stage, &stage.ctx).await, InboxFaults::default());
}

#[tokio::test]
async fn a_failed_call_stays_until_a_message_goes_out_and_names_the_next_attempt() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([not_sent(), not_sent()]);
    stage.say("v-1", "Hello").await;
    stage.work().await;
    let failed = failed_call(&stage).await.unwrap();
    assert_eq!(failed.until, Some(stage.ctx.now() + SECOND));
    assert_eq!(failed.reason, "the message could not be handed to the provider", "without addresses");

    stage.advance(TimeDelta::seconds(30));
    assert_eq!(failed_call(&stage).await, Some(failed), "the attempt is late");
    stage.work().await;
    assert_eq!(failed_call(&stage).await.unwrap().until, Some(stage.ctx.now() + SECOND * 2));

    stage.advance(TimeDelta::seconds(2));
    stage.work().await;
    assert_eq!(failed_call(&stage).await, None);
}

#[tokio::test]
async fn a_call_without_an_answer_is_shown_with_the_time_of_the_next_call() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(SendFailure::Unknown { reason: "no answer".to_owned() });
    stage.say("v-1", "Hello").await;
    stage.work().await;

    let failed = failed_call(&stage).await.unwrap();

    assert_eq!(failed.until, Some(stage.ctx.now() + TimeDelta::minutes(1)));
}

#[tokio::test]
async fn a_refused_message_is_no_fault_of_its_inbox() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([
        SendFailure::Rejected(refused()),
        SendFailure::Unreachable(refused()),
        SendFailure::RecipientLimited(refused()),
    ]);
    for visitor in ["v-1", "v-2", "v-3"] {
        stage.say(visitor, "Hello").await;
    }
    stage.work().await;
    assert_eq!(shown(&stage, &stage.ctx).await, InboxFaults::default());
}
