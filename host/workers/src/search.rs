//! Looks for work that nobody announced: of other processes, due later, or left by a crash. Beside the runner, which goes on
//! meanwhile: a search is some thirty statements, and what is announced must not wait for them.

use std::{sync::Arc, time::Duration};

use base::{
    Context, Queue,
    lanes::{self, Search, Wake},
};
use tokio::{sync::mpsc, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// Lanes that have been found and not been taken yet; the search waits for room.
const FOUND_AT_ONCE: usize = 256;

/// Starts to search all queues, again after each `every`, until `stop`; answers where the lanes that are found come out. Of a queue
/// `limit` are looked for at once.
pub(crate) fn start(ctx: Arc<Context>, every: Duration, limit: usize, stop: CancellationToken) -> mpsc::Receiver<Wake> {
    let (found, lanes) = mpsc::channel(FOUND_AT_ONCE);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut search = Search::default();
        let searching = async {
            loop {
                tick.tick().await;
                // Nothing is found in a database that does not answer; each try would only be a line in the log.
                ctx.db.until_answering().await;
                once(&ctx, &mut search, limit, &found).await;
            }
        };
        stop.run_until_cancelled(searching).await;
    });
    lanes
}

async fn once(ctx: &Context, search: &mut Search, limit: i64, found: &mpsc::Sender<Wake>) {
    match lanes::bury_the_dead(ctx).await {
        Ok(0) => {}
        Ok(dead) => tracing::warn!(dead, "took over from processes that died"),
        Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "cannot look for dead processes"),
    }
    for queue in Queue::ALL {
        match search.due(ctx, queue, limit).await {
            Ok(due) => {
                for lane in due {
                    // Nobody takes any when the process stops.
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
