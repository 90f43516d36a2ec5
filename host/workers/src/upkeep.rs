//! What is done from time to time, by one process at a time.

use std::{sync::Arc, time::Duration};

use base::{Context, audit::Administration, lanes::within, upkeep};
use inbound::{media, number_quality};
use tenancy::{accounts, inboxes};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// How often template catalogues are looked for that are due: those of new numbers, and those that the provider said
/// have changed.
const CATALOGUES: Duration = Duration::from_secs(5);

/// How often numbers are looked for that are to be read: those that the provider said something of, and those whose time has
/// come.
const NUMBERS: Duration = Duration::from_secs(2);

/// How often tables are looked for that have outgrown what PostgreSQL knows of them.
const STATISTICS: Duration = Duration::from_secs(2);

/// How often what was counted is folded into the counts.
const COUNTS: Duration = Duration::from_secs(2);

/// What takes longer waits for an answer of a database that has vanished.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Rounds of upkeep until told to stop. A round may take long where much has become old; catalogues do not wait for it.
pub(crate) async fn run(ctx: Arc<Context>, every: Duration, stop: CancellationToken) {
    // Much that has become old is deleted at once, and a large table is read through: no request waits for it.
    let ctx = Arc::new(Context { db: ctx.db.with_patience(LONGEST), ..Context::clone(&ctx) });
    let rounds = repeat(every, || round(&ctx));
    let catalogues = repeat(CATALOGUES, || refresh_catalogues(&ctx));
    let numbers = repeat(NUMBERS, || look_at_numbers(&ctx));
    let statistics = repeat(STATISTICS, || renew_statistics(&ctx));
    let counts = repeat(COUNTS, || fold_counts(&ctx));
    let others = futures::future::join5(rounds, catalogues, numbers, statistics, counts);
    stop.run_until_cancelled(others).await;
}

async fn repeat<R: Future<Output = ()>>(every: Duration, what: impl Fn() -> R) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if within(LONGEST, what()).await.is_none() {
            tracing::error!("upkeep did not end; it is begun again");
        }
    }
}

async fn round(ctx: &Context) {
    match upkeep::round(&ctx.db, ctx.now(), &ctx.settings.retention).await {
        Ok(done) => tracing::debug!(?done, "upkeep done"),
        Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "upkeep failed; it is tried again"),
    }
    if let Err(error) = accounts::forget_old_failures(&Administration::from(ctx)).await {
        tracing::error!(error = &error as &dyn std::error::Error, "old failures to log in could not be forgotten");
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
            "what a provider thinks of a number could not be read"
        );
    }
}

async fn renew_statistics(ctx: &Context) {
    if let Err(error) = upkeep::renew_statistics(&ctx.db).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "what PostgreSQL knows of its tables could not be renewed"
        );
    }
}

async fn fold_counts(ctx: &Context) {
    if let Err(error) = upkeep::fold_message_counts(&ctx.db).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "message counts could not be folded; they stay exact");
    }
}
