//! Messages without an answer to their calls. If a status reports the sending, the last message to a customer is known,
//! too (SPEC 6.5).

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    carriage::SendFailure,
    content::{OutboundContent, TemplateSend},
    ids::MessageId,
    inbound::{ProviderStatus, StatusUpdate},
};
use outbound::delivery::{apply_statuses, opaque};
use storage::outbound::legs::LockPolicy;
use tokio::sync::Semaphore;

use crate::{leg, stage::Stage};

fn template() -> OutboundContent {
    OutboundContent::Template(TemplateSend {
        id: "12".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        header: None,
        header_text: Vec::new(),
        body: Vec::new(),
        buttons: Vec::new(),
        cards: Vec::new(),
        rendered_text: "Your order is ready".to_owned(),
        replies: Vec::new(),
    })
}

fn lost() -> SendFailure {
    SendFailure::Unknown { reason: "no answer".to_owned() }
}

/// A provider says that a message went out at this moment.
pub async fn went_out(stage: &Stage, message: MessageId, at: DateTime<Utc>) {
    let status = StatusUpdate {
        provider_id: format!("p-{message}"),
        opaque: Some(opaque(stage.client, message, 0)),
        status: ProviderStatus::Sent,
        at,
        recipient: None,
        recipient_user_id: None,
        error: None,
    };
    let mut tx = stage.ctx.db.begin().await.unwrap();
    let outcome = apply_statuses(&stage.ctx, &mut tx, stage.client, &[&status], LockPolicy::Wait).await.unwrap();
    tx.commit().await.unwrap();
    assert!(outcome.unknown.is_empty());
}

/// The template that the only customer was sent last.
async fn last_template(stage: &Stage) -> Option<String> {
    let known = sqlx::query_scalar("SELECT last_template_name FROM inbox_customer").fetch_optional(&stage.ctx.db).await;
    known.unwrap().flatten()
}

#[tokio::test]
async fn a_template_confirmed_only_by_a_status_is_the_last_sent_message() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(lost());
    let message = stage.say_content("v-1", template()).await;
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("QUEUED", false)]);
    assert_eq!(last_template(&stage).await, None);

    went_out(&stage, message, stage.ctx.now()).await;

    assert_eq!(stage.legs(message).await, [leg("SENT", false)]);
    assert_eq!(last_template(&stage).await.as_deref(), Some("order_ready"));
}

#[tokio::test]
async fn a_text_confirmed_only_by_a_status_replaces_the_template_before_it() {
    let stage = Stage::new().await;
    stage.say_content("v-1", template()).await;
    stage.work().await;
    assert_eq!(last_template(&stage).await.as_deref(), Some("order_ready"));
    stage.notes().failures.push_back(lost());
    let text = stage.say("v-1", "Are you there?").await;
    stage.advance(TimeDelta::seconds(5));
    stage.work().await;

    went_out(&stage, text, stage.ctx.now()).await;

    assert_eq!(last_template(&stage).await, None);
}

#[tokio::test]
async fn a_status_that_arrives_before_its_call_is_given_up_updates_the_last_sent_message() {
    let stage = Stage::new().await;
    let gate = Arc::new(Semaphore::new(0));
    stage.notes().gate = Some(Arc::clone(&gate));
    stage.notes().failures.push_back(lost());
    let message = stage.say_content("v-1", template()).await;
    let told = async {
        stage.marked(1).await;
        went_out(&stage, message, stage.ctx.now()).await;
        gate.add_permits(1);
    };

    let ((), ()) = tokio::join!(stage.work(), told);

    assert_eq!((stage.legs(message).await, stage.waiting().await), (vec![leg("SENT", false)], 0));
    assert_eq!(last_template(&stage).await.as_deref(), Some("order_ready"));
}

#[tokio::test]
async fn a_later_message_stays_the_last_sent_one_when_a_late_status_confirms_a_template() {
    let stage = Stage::new().await;
    stage.notes().failures.push_back(lost());
    let message = stage.say_content("v-1", template()).await;
    stage.work().await;
    let late = stage.ctx.now();
    stage.advance(TimeDelta::seconds(5));
    stage.send("v-1", "Are you there?").await;
    stage.work().await;
    assert_eq!(stage.notes().sent.len(), 2);

    went_out(&stage, message, late).await;

    assert_eq!(stage.legs(message).await, [leg("SENT", false)]);
    assert_eq!(last_template(&stage).await, None);
}

async fn wants_none_twice(stage: &Stage) {
    sqlx::query("UPDATE client SET at_most_once = true").execute(&stage.ctx.db).await.unwrap();
}

/// A message without an answer to its call, of a client that wants none twice.
async fn in_doubt(stage: &Stage) -> MessageId {
    wants_none_twice(stage).await;
    stage.notes().failures.push_back(lost());
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    message
}

#[tokio::test]
async fn a_message_in_doubt_fails_after_a_minute_for_a_client_that_wants_none_twice_and_the_next_one_goes_out() {
    let stage = Stage::new().await;
    let message = in_doubt(&stage).await;
    stage.advance(TimeDelta::seconds(59));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("QUEUED", false)], "news of it may still come");

    stage.advance(TimeDelta::seconds(2));
    let next = stage.say("v-1", "Are you there?").await;
    stage.work().await;

    assert_eq!(stage.legs(message).await, [leg("FAILED", false)]);
    assert_eq!(stage.legs(next).await, [leg("ACCEPTED", false)]);
    assert_eq!(stage.notes().sent, ["v-1: Hello", "v-1: Are you there?"]);
}

#[tokio::test]
async fn a_message_that_was_called_for_a_second_time_before_the_change_fails_as_before() {
    let stage = Stage::new().await;
    stage.notes().failures.extend([lost(), lost()]);
    let message = stage.say("v-1", "Hello").await;
    stage.work().await;
    stage.advance(TimeDelta::seconds(61));
    stage.work().await;
    wants_none_twice(&stage).await;
    stage.advance(TimeDelta::seconds(61));
    stage.work().await;
    assert_eq!(stage.legs(message).await, [leg("QUEUED", true)], "after the last call the wait is longer");

    stage.advance(TimeDelta::minutes(10));
    stage.work().await;

    assert_eq!(stage.legs(message).await, [leg("FAILED", true)]);
    let code: String = sqlx::query_scalar("SELECT error_code FROM delivery_receipt WHERE state = 'FAILED'")
        .fetch_one(&stage.ctx.db)
        .await
        .unwrap();
    assert_eq!(code, "900408");
}

#[tokio::test]
async fn a_message_in_doubt_that_is_not_sent_again_also_fails_while_its_carrier_has_no_place() {
    let stage = Stage::new().await;
    let message = in_doubt(&stage).await;
    stage.notes().closed = true;

    stage.advance(TimeDelta::seconds(61));
    stage.work().await;

    assert_eq!((stage.legs(message).await, stage.waiting().await), (vec![leg("FAILED", false)], 0));
}

#[tokio::test]
async fn a_status_settles_a_message_in_doubt_that_is_not_sent_again_and_changes_nothing_after_its_failure() {
    let stage = Stage::new().await;
    let settled = in_doubt(&stage).await;
    went_out(&stage, settled, stage.ctx.now()).await;
    stage.advance(TimeDelta::seconds(61));
    stage.work().await;
    assert_eq!(stage.legs(settled).await, [leg("SENT", false)]);

    let failed = in_doubt(&stage).await;
    stage.advance(TimeDelta::seconds(61));
    stage.work().await;
    went_out(&stage, failed, stage.ctx.now()).await;

    assert_eq!(stage.legs(failed).await, [leg("FAILED", false)]);
    assert_eq!(stage.notes().sent.len(), 2);
}
