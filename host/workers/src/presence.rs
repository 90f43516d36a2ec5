//! Keeps this process announced, so that another one can take over at once if it dies.

use std::{sync::Arc, time::Duration};

use base::{Context, lanes::NodePresence};
use tokio_util::sync::CancellationToken;

/// Time between two checks of the connection, and after a failed announcement.
const CHECK: Duration = Duration::from_secs(5);

/// Keeps this process announced to the others until it stops. After a lost connection it is announced again.
pub(crate) async fn keep(ctx: Arc<Context>, stop: CancellationToken) {
    let mut presence = None;
    loop {
        let lost = match &mut presence {
            Some(present) => !NodePresence::holds(present).await,
            None => true,
        };
        if lost {
            // Releases the lock of the last announcement, so that the next one does not wait for it.
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
            "this process could not announce its end; other processes detect it"
        );
    }
}

async fn announce(ctx: &Context) -> Option<NodePresence> {
    match NodePresence::announce(ctx).await {
        Ok(presence) => Some(presence),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "this process cannot be announced; after a crash its work waits until its leases end"
            );
            None
        }
    }
}
