//! What is done from time to time, by one process at a time.

use std::{sync::Arc, time::Duration};

use messaging::{Context, accounts::Administration, numbers, upkeep};
use tokio_util::sync::CancellationToken;

/// Rounds of upkeep until told to stop.
pub(crate) async fn run(ctx: Arc<Context>, every: Duration, stop: CancellationToken) {
    let mut rounds = tokio::time::interval(every);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = rounds.tick() => round(&ctx).await,
        }
    }
}

async fn round(ctx: &Context) {
    match upkeep::round(ctx).await {
        Ok(done) => tracing::debug!(partitions.made = done.made, partitions.dropped = done.dropped, "upkeep done"),
        Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "upkeep failed; it is tried again"),
    }
    if let Err(error) = numbers::refresh_due(&Administration::from(ctx), &ctx.cloud).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a template catalogue could not be refreshed");
    }
}
