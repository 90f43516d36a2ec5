//! Periodic work: upkeep, template catalogues, quality of numbers, table statistics and message counts. One process at
//! a time does each of them.

use std::{sync::Arc, time::Duration};

use base::{Context, audit::Administration, lanes::within, upkeep};
use inbound::{callbacks, media, number_quality};
use tenancy::{accounts, inboxes};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// Time between two searches for due template catalogues: those of new numbers, and those that changed at the provider.
const CATALOGUES: Duration = Duration::from_secs(5);

/// Time between two searches for numbers with a due quality check: after a report of the provider, and at their due time.
const NUMBERS: Duration = Duration::from_secs(2);

/// Time between two searches for callbacks that came before their number or page was added.
const STRAYS: Duration = Duration::from_secs(2);

const STATISTICS: Duration = Duration::from_secs(2);

const COUNTS: Duration = Duration::from_secs(2);

/// A round that takes longer waits for an answer of a lost database connection.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Repeats all periodic work until the process stops. They do not wait for each other: a round with many old rows can
/// take long.
pub(crate) async fn run(ctx: Arc<Context>, every: Duration, stop: CancellationToken) {
    // A statement can take long: it deletes many rows, or reads a large table. No request waits for it.
    let ctx = Arc::new(Context { db: ctx.db.with_patience(LONGEST), ..Context::clone(&ctx) });
    let rounds = repeat(every, || round(&ctx));
    let catalogues = repeat(CATALOGUES, || refresh_catalogues(&ctx));
    let numbers = repeat(NUMBERS, || look_at_numbers(&ctx));
    let statistics = repeat(STATISTICS, || renew_statistics(&ctx));
    let counts = repeat(COUNTS, || fold_counts(&ctx));
    let strays = repeat(STRAYS, || take_in_strays(&ctx));
    let others = futures::future::join5(rounds, catalogues, numbers, statistics, counts);
    stop.run_until_cancelled(futures::future::join(others, strays)).await;
}

async fn repeat<R: Future<Output = ()>>(every: Duration, what: impl Fn() -> R) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if within(LONGEST, what()).await.is_none() {
            tracing::error!("upkeep did not end in time; it is started again");
        }
    }
}

async fn round(ctx: &Context) {
    match upkeep::round(&ctx.db, ctx.now(), &ctx.settings.retention).await {
        Ok(done) => {
            metrics::counter!("patchbay_sms_receipts_unmatched_total").increment(done.unmatched_receipts);
            tracing::debug!(?done, "upkeep done");
        }
        Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "upkeep failed; it is tried again"),
    }
    if let Err(error) = accounts::forget_old_failures(&Administration::from(ctx)).await {
        tracing::error!(error = &error as &dyn std::error::Error, "old login failures could not be deleted");
    }
    media::forget_old(ctx).await;
}

async fn refresh_catalogues(ctx: &Context) {
    if let Err(error) = inboxes::refresh_due(&Administration::from(ctx), &ctx.cloud).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a template catalogue could not be refreshed");
    }
}

async fn look_at_numbers(ctx: &Context) {
    if let Err(error) = number_quality::look_at_due(ctx).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the quality of a number could not be read from its provider"
        );
    }
}

async fn take_in_strays(ctx: &Context) {
    if let Err(error) = callbacks::take_in_strays(ctx).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "callbacks that came before their number was added could not be taken in; they are tried again"
        );
    }
}

async fn renew_statistics(ctx: &Context) {
    if let Err(error) = upkeep::renew_statistics(&ctx.db).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "table statistics could not be renewed");
    }
}

async fn fold_counts(ctx: &Context) {
    if let Err(error) = upkeep::fold_message_counts(&ctx.db).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "new message counts could not be added to the stored ones; the totals stay exact"
        );
    }
}
