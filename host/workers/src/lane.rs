//! Works on one claimed lane, under a lease that is renewed until the work is done.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base::{
    Context, Error, Queue, Result,
    lanes::{LEASE, LaneKey, LaneState, Lease, silent},
};
use futures::FutureExt;
use inbound::{accounts, callbacks, lite, media};
use outbound::{
    dispatch::{self, DispatchHooks},
    fallback,
};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

/// A third of the lease. A step that takes longer than a lease renews on the way, so only a process that has stopped
/// altogether loses its lanes.
const RENEWAL: Duration = Duration::from_secs(5);

/// Time for a worker to end after the database was lost and is back. A worker that needs longer waits for an answer of
/// the lost connection.
const COMING_TO_AN_END: Duration = Duration::from_secs(120);

const PAUSE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(crate) struct Signals {
    pub(crate) nudge: Arc<Notify>,
    /// Set when work was added: the worker reads once more before it gives the lane back.
    pub(crate) again: Arc<AtomicBool>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self { nudge: Arc::new(Notify::new()), again: Arc::new(AtomicBool::new(false)) }
    }

    pub(crate) fn notify(&self) {
        self.again.store(true, Ordering::SeqCst);
        self.nudge.notify_one();
    }
}

/// Claims the lane, works until nothing is due, and gives it back. If another process holds the lane, it does nothing.
pub(crate) async fn run(
    ctx: Arc<Context>,
    hooks: DispatchHooks,
    lane: LaneKey,
    signals: Signals,
    stop: CancellationToken,
) {
    let result = claim_and_work(&ctx, &hooks, lane, &signals, stop).await;
    let Err(error) = result else { return };
    let (queue, client, id) = (lane.queue.name(), lane.client, lane.lane);
    match error {
        Error::LeaseLost => {
            tracing::info!(queue, client.id = %client, lane.id = %id, "the lane passed to another process")
        }
        error => {
            metrics::counter!("patchbay_lane_failures_total", "queue" => queue).increment(1);
            tracing::error!(queue, client.id = %client, lane.id = %id, error = &error as &dyn std::error::Error, "work on a lane failed; it is tried again");
            // The cause of the failure may need a moment to pass.
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn claim_and_work(
    ctx: &Context,
    hooks: &DispatchHooks,
    lane: LaneKey,
    signals: &Signals,
    stop: CancellationToken,
) -> Result<()> {
    let claimed = Lease::claim(ctx, lane, LEASE, stop.child_token(), Arc::clone(&signals.nudge)).await?;
    let Some(lease) = claimed else { return Ok(()) };
    let result = loop {
        signals.again.store(false, Ordering::SeqCst);
        let result = match keep_and_work(ctx, hooks, &lease).await {
            // The runner takes the lane again if work was added.
            Ok(LaneState::GivenBack) => return Ok(()),
            Ok(LaneState::Held) => Ok(()),
            Err(error) => Err(error),
        };
        if result.is_err() || lease.is_over() {
            break result;
        }
        if signals.again.load(Ordering::SeqCst) {
            continue;
        }
        if !leaves_nothing(lease.queue) {
            break result;
        }
        if lease.give_back(ctx).await? {
            return Ok(());
        }
    };
    give_up(ctx, &lease).await;
    result
}

/// Frees the lane as soon as the database answers. Until its lease ends, no other process can work on it.
async fn give_up(ctx: &Context, lease: &Lease) {
    let releasing = async {
        while let Err(error) = lease.release(ctx).await {
            if !matches!(&error, Error::Storage(error) if error.is_lost()) {
                return tracing::warn!(error = &error as &dyn std::error::Error, "a lane could not be released");
            }
            tokio::time::sleep(PAUSE).await;
            ctx.db.until_answering().await;
        }
    };
    // After that time the lease has ended.
    if tokio::time::timeout(LEASE, releasing).await.is_err() {
        tracing::warn!(queue = lease.queue.name(), lane.id = %lease.lane, "a lane could not be released; its lease expires");
    }
}

/// True if the use case of a queue returns after all the work that it saw, and [`Lease::give_back`] must look for added
/// work. The other use cases look until they find nothing, or leave work that may not go out yet.
fn leaves_nothing(queue: Queue) -> bool {
    match queue {
        Queue::Callback | Queue::Webhook => true,
        Queue::Outbound
        | Queue::Participant
        | Queue::Fallback
        | Queue::Media
        | Queue::Chat
        | Queue::LiteSession
        | Queue::SmsCallback
        | Queue::Email
        | Queue::Account
        | Queue::PluginRequest
        | Queue::ScheduledTemplate => false,
    }
}

async fn keep_and_work(ctx: &Context, hooks: &DispatchHooks, lease: &Lease) -> Result<LaneState> {
    let done = work_with_renewals(work(ctx, hooks, lease).boxed(), &lease.stop, RENEWAL, || renew(ctx, lease)).await;
    done.unwrap_or_else(|| Err(silent()))
}

/// Renews the lease. If it is lost, the work stops at its next step. Returns `false` if the database is lost.
async fn renew(ctx: &Context, lease: &Lease) -> bool {
    match lease.renew(ctx, LEASE).await {
        Ok(true) => true,
        Ok(false) => {
            lease.stop.cancel();
            true
        }
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a lease could not be renewed");
            !matches!(error, Error::Storage(error) if error.is_lost())
        }
    }
}

/// Runs the work and the renewals at the same time until the work is done. A renewal waits for the transaction in which
/// the worker holds the lane, so the worker must never wait for the renewal. A renewal in progress ends before the lane
/// is given back.
///
/// While `renew` reports that the database is lost, the work continues, because it may hold outcomes that are not stored.
/// When the database is back, the work stops at its next step. `None`: there was no next step, and it was given up.
async fn work_with_renewals<T, R>(
    work: impl Future<Output = T>,
    stop: &CancellationToken,
    every: Duration,
    renew: impl Fn() -> R,
) -> Option<T>
where
    R: Future<Output = bool>,
{
    let (done, hopeless) = (CancellationToken::new(), CancellationToken::new());
    let working = async {
        let result = hopeless.run_until_cancelled(work).await;
        done.cancel();
        result
    };
    let renewing = async {
        let (mut was_lost, mut back) = (false, None);
        while done.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            if !renew().await {
                (was_lost, back) = (true, None);
            } else if was_lost {
                stop.cancel();
                if back.get_or_insert_with(Instant::now).elapsed() >= COMING_TO_AN_END {
                    hopeless.cancel();
                }
            }
        }
    };
    let (result, ()) = tokio::join!(working, renewing);
    result
}

async fn work(ctx: &Context, hooks: &DispatchHooks, lease: &Lease) -> Result<LaneState> {
    match lease.queue {
        Queue::Outbound => dispatch::work(ctx, hooks, lease).await,
        Queue::Callback => callbacks::work(ctx, lease).await,
        Queue::Participant => chat::work(ctx, lease).await,
        Queue::Fallback => fallback::work(ctx, lease).await,
        Queue::Media => media::work(ctx, lease).await,
        Queue::Webhook => return webhooks::deliver::work(ctx, lease).await,
        Queue::Chat => chat::automation::work(ctx, lease).await,
        Queue::LiteSession => lite::work(ctx, lease).await,
        Queue::SmsCallback => sms::callbacks::work(ctx, lease).await,
        Queue::Email => sms::email::work(ctx, lease).await,
        Queue::Account => accounts::work(ctx, lease).await,
        Queue::PluginRequest => chat::started_requests::work(ctx, lease).await,
        Queue::ScheduledTemplate => chat::scheduled_templates::work(ctx, lease).await,
    }?;
    Ok(LaneState::Held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lease_renewal_that_waits_for_the_worker_does_not_stop_it() {
        let every = Duration::from_millis(5);
        // Stands for the row lock that both need.
        let row = tokio::sync::Mutex::new(0);
        let work = async {
            let held = row.lock().await;
            tokio::time::sleep(every * 4).await;
            drop(held);
            tokio::time::sleep(every * 4).await;
            "done"
        };
        let renew = || async {
            *row.lock().await += 1;
            true
        };
        let done = tokio::time::timeout(
            Duration::from_secs(30),
            work_with_renewals(work, &CancellationToken::new(), every, renew),
        )
        .await;
        assert_eq!(done, Ok(Some("done")));
        assert!(*row.lock().await >= 1, "the lease was not renewed");
    }

    /// Runs work while the database is lost for some seconds. `None`: it was given up.
    async fn while_lost(away: std::ops::Range<u64>, work: impl AsyncFnOnce(&CancellationToken)) -> Option<()> {
        let (begun, stop) = (Instant::now(), CancellationToken::new());
        let renew = || async { !away.contains(&begun.elapsed().as_secs()) };
        work_with_renewals(work(&stop), &stop, RENEWAL, renew).await
    }

    async fn seconds(count: u64) {
        tokio::time::sleep(Duration::from_secs(count)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_has_no_next_step_after_the_database_was_lost_is_given_up() {
        let patience = COMING_TO_AN_END.as_secs();
        assert_eq!(while_lost(10..60, async |_| seconds(50 + patience).await).await, Some(()), "it ended in time");
        assert_eq!(while_lost(10..60, async |_| seconds(70 + patience).await).await, None);
        assert_eq!(while_lost(10..60, async |_| std::future::pending().await).await, None);
        assert_eq!(while_lost(0..0, async |_| seconds(100_000).await).await, Some(()), "nothing was lost");
    }

    #[tokio::test(start_paused = true)]
    async fn work_continues_while_the_database_is_lost_and_is_stopped_when_it_is_back() {
        let begun = Instant::now();
        assert_eq!(while_lost(10..100_000, async |stop| stop.cancelled().await).await, Some(()));
        assert_eq!(begun.elapsed().as_secs(), 100_000);
    }
}
