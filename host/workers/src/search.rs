//! Searches for work that was not announced here: work of other processes, work with a later due time, and work left by
//! a crash. A search is about thirty statements, so the runner does not wait for it.

use std::{sync::Arc, time::Duration};

use base::{
    Context, Queue,
    lanes::{self, LaneKey, LaneSearch},
};
use tokio::{sync::mpsc, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// Most lanes that were found and not taken yet. The search waits if there are so many.
const FOUND_AT_ONCE: usize = 256;

/// Searches all queues after each `every` until `stop`, for at most `limit` lanes of each queue. Returns the receiver
/// of the lanes.
pub(crate) fn start(
    ctx: Arc<Context>,
    every: Duration,
    limit: usize,
    stop: CancellationToken,
) -> mpsc::Receiver<LaneKey> {
    let (found, lanes) = mpsc::channel(FOUND_AT_ONCE);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut search = LaneSearch::default();
        let searching = async {
            loop {
                tick.tick().await;
                // While the database is down, a search would only add lines to the log.
                ctx.db.until_answering().await;
                once(&ctx, &mut search, limit, &found).await;
            }
        };
        stop.run_until_cancelled(searching).await;
    });
    lanes
}

async fn once(ctx: &Context, search: &mut LaneSearch, limit: i64, found: &mpsc::Sender<LaneKey>) {
    match lanes::release_dead_nodes(ctx).await {
        Ok(0) => {}
        Ok(dead) => tracing::warn!(dead, "took over from processes that died"),
        Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "cannot look for dead processes"),
    }
    for queue in Queue::ALL {
        match search.due(ctx, queue, limit).await {
            Ok(due) => {
                for lane in due {
                    // The receiver is gone when the process stops.
                    let _ = found.send(lane).await;
                }
            }
            Err(error) => {
                tracing::error!(
                    queue = queue.name(),
                    error = &error as &dyn std::error::Error,
                    "a queue could not be searched"
                );
            }
        }
    }
}
