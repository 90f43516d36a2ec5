//! What is done from time to time, by one process at a time.

use std::{sync::Arc, time::Duration};

use base::{Context, audit::Administration, upkeep};
use inbound::media;
use tenancy::{accounts, inboxes};
use tokio_util::sync::CancellationToken;

/// How often template catalogues are looked for that are due: those of new numbers, and those that the provider said
/// have changed.
const CATALOGUES: Duration = Duration::from_secs(5);

/// Rounds of upkeep until told to stop.
pub(crate) async fn run(ctx: Arc<Context>, every: Duration, stop: CancellationToken) {
    let mut rounds = tokio::time::interval(every);
    let mut catalogues = tokio::time::interval(CATALOGUES);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = rounds.tick() => round(&ctx).await,
            _ = catalogues.tick() => refresh_catalogues(&ctx).await,
        }
    }
}

async fn round(ctx: &Context) {
    match upkeep::round(ctx).await {
        Ok(done) => tracing::debug!(partitions.made = done.made, partitions.dropped = done.dropped, "upkeep done"),
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
