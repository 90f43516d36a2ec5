//! Receipts of an SMSC, as they are stored before they are acknowledged (ADR 0042).
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::{path::Path, sync::Arc};

use base::Context;
use channels::smpp::{SmppEvents, SmsState, SmscReceipt};
use futures::future::join_all;
use props::{HandClock, Surroundings};
use sms::SmscEvents;

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
