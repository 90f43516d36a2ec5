//! Keeps this process announced, so that another one can take over at once when it dies.

use std::{sync::Arc, time::Duration};

use base::{Context, lanes::Presence};
use tokio_util::sync::CancellationToken;

/// How often the connection is tried, and how long a failed announcement waits for the next.
const CHECK: Duration = Duration::from_secs(5);

/// Announces the process, again whenever the connection is lost, until it stops.
pub(crate) async fn keep(ctx: Arc<Context>, stop: CancellationToken) {
    let mut presence = None;
    loop {
        let lost = match &mut presence {
            Some(present) => !Presence::holds(present).await,
            None => true,
        };
        if lost {
            // The lock of the announcement before, if there is one, must not be waited for.
            drop(presence.take());
            presence = announce(&ctx).await;
        }
        if stop.run_until_cancelled(tokio::time::sleep(CHECK)).await.is_none() {
            break;
        }
    }
    if let Some(present) = presence
        && let Err(error) = present.retire(&ctx).await
    {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "could not say goodbye; others find out by themselves"
        );
    }
}

async fn announce(ctx: &Context) -> Option<Presence> {
    match Presence::announce(ctx).await {
        Ok(presence) => Some(presence),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "this process cannot be announced; after a crash its work would wait for the leases to end"
            );
            None
        }
    }
}
