//! Receipts of an SMSC, as they are stored before they are acknowledged (ADR 0042).
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::{path::Path, sync::Arc};

use base::Context;
use channels::smpp::{SmppEvents, SmsState, SmscReceipt};
use domain::ids::{ClientId, MessageId};
use futures::future::join_all;
use props::{HandClock, Surroundings};
use sms::SmscEvents;
use storage::sms::{
    accepted_parts::{self, TakenPart},
    parts::SmsPart,
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const MESSAGE: MessageId = MessageId(Uuid::from_u128(7));

async fn context() -> Arc<Context> {
    let pool = scratch::database().await.pool(8).await;
    let mut surroundings = Surroundings::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("sms"));
    surroundings.plugins.built_ins = false;
    Arc::new(surroundings.build(pool, Arc::new(HandClock::at(1_790_000_000))).await)
}

fn receipt(smsc_id: usize, error: Option<&str>) -> SmscReceipt {
    SmscReceipt {
        bind: "bind".to_owned(),
        smsc_id: smsc_id.to_string(),
        others: Vec::new(),
        state: SmsState::Delivered,
        intermediate: false,
        error: error.map(str::to_owned),
        raw_text: String::new(),
    }
}

/// How many receipts wait for the answers to their submits, and in how many transactions they were stored.
async fn parked(ctx: &Context) -> (i64, i64) {
    let statement = "SELECT count(*), count(DISTINCT xmin::text) FROM parked_receipt";
    sqlx::query_as(statement).fetch_one(&ctx.db).await.unwrap()
}

#[tokio::test]
async fn receipts_that_come_together_share_transactions() {
    let ctx = context().await;
    let events = SmscEvents::new(Arc::clone(&ctx));

    let stored = join_all((0..60).map(|at| events.receipt(receipt(at, None)))).await;

    assert!(stored.iter().all(Result::is_ok));
    let (receipts, transactions) = parked(&ctx).await;
    assert_eq!(receipts, 60);
    assert!(transactions <= 6, "{transactions} transactions");
}

#[tokio::test]
async fn a_receipt_that_cannot_be_stored_does_not_affect_others() {
    let ctx = context().await;
    let events = SmscEvents::new(Arc::clone(&ctx));

    let all = (0..9).map(|at| events.receipt(receipt(at, (at == 5).then_some("no text:\0"))));
    let stored = join_all(all).await;

    let refused: Vec<usize> = (0..9).filter(|at| stored[*at].is_err()).collect();
    assert_eq!(refused, [5], "the SMSC is told to bring this one again");
    assert_eq!(parked(&ctx).await.0, 8);
}

/// The SMSC takes a part of the message. Returns the legs for which receipts came before.
async fn takes(ctx: &Context, part: i16, bind: &str, smsc_id: &str) -> Vec<(MessageId, i16)> {
    let part = SmsPart { message: MESSAGE, ordinal: 0, part };
    let taken = TakenPart { part, bind: bind.to_owned(), smsc_id: smsc_id.to_owned() };
    let mut tx = ctx.db.begin().await.unwrap();
    let legs = accepted_parts::enter(&mut tx, CLIENT, &[taken]).await.unwrap();
    tx.commit().await.unwrap();
    legs
}

async fn states(ctx: &Context) -> Vec<String> {
    sqlx::query_scalar("SELECT state FROM sms_part ORDER BY part").fetch_all(&ctx.db).await.unwrap()
}

/// A receipt of the bind `two` that may be about messages of these other binds and ids.
fn receipt_of(smsc_id: usize, others: &[(&str, &str)]) -> SmscReceipt {
    let others = others.iter().map(|(bind, id)| ((*bind).to_owned(), (*id).to_owned())).collect();
    SmscReceipt { bind: "two".to_owned(), others, ..receipt(smsc_id, None) }
}

#[tokio::test]
async fn a_receipt_joins_the_part_that_is_known_by_one_of_its_names_and_the_likeliest_first() {
    let ctx = context().await;
    let events = SmscEvents::new(Arc::clone(&ctx));
    takes(&ctx, 1, "one", "1001").await;
    takes(&ctx, 2, "two", "1002").await;
    takes(&ctx, 3, "one", "1002").await;

    events.receipt(receipt_of(1001, &[("one", "1001")])).await.unwrap();
    assert_eq!(states(&ctx).await, ["DELIVERED", "ACCEPTED", "ACCEPTED"]);
    events.receipt(receipt_of(1002, &[("one", "1002")])).await.unwrap();
    assert_eq!(states(&ctx).await, ["DELIVERED", "DELIVERED", "ACCEPTED"]);
    assert_eq!(parked(&ctx).await.0, 0);
}

#[tokio::test]
async fn a_receipt_that_comes_before_its_answer_waits_under_all_of_its_names_and_is_joined_once() {
    let ctx = context().await;
    let events = SmscEvents::new(Arc::clone(&ctx));

    events.receipt(receipt_of(1001, &[("one", "1001"), ("one", "4097")])).await.unwrap();
    assert_eq!(parked(&ctx).await.0, 3);

    assert_eq!(takes(&ctx, 1, "one", "1001").await, [(MESSAGE, 0)]);
    assert!(takes(&ctx, 2, "one", "4097").await.is_empty());
    assert_eq!(states(&ctx).await, ["DELIVERED", "ACCEPTED"]);
    assert_eq!(parked(&ctx).await.0, 0);
}
