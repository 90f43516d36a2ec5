//! One claimed lane: work under a lease that is renewed until the work is done.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base::{
    Context, Error, Queue, Result,
    lanes::{LEASE, Lease, Wake},
};
use inbound::{callbacks, lite, media};
use outbound::{dispatch, fallback};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Renewals come three times as often as they must: a step that takes longer than a lease renews on the way, so only a
/// process that has stopped altogether loses its lanes.
const RENEWAL: Duration = Duration::from_secs(5);

/// What the runner keeps of a lane that is being worked on.
#[derive(Clone)]
pub(crate) struct Signals {
    /// Wakes a worker that waits for calls in flight.
    pub(crate) nudge: Arc<Notify>,
    /// Set when work was added: look once more before giving the lane back.
    pub(crate) again: Arc<AtomicBool>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self { nudge: Arc::new(Notify::new()), again: Arc::new(AtomicBool::new(false)) }
    }

    /// Says that work was added.
    pub(crate) fn notify(&self) {
        self.again.store(true, Ordering::SeqCst);
        self.nudge.notify_one();
    }
}

/// Claims the lane, works until nothing is due, and gives it back. A lane of another process is left alone.
pub(crate) async fn run(ctx: Arc<Context>, lane: Wake, signals: Signals, stop: CancellationToken) {
    let result = claim_and_work(&ctx, lane, &signals, stop).await;
    let Err(error) = result else { return };
    let (queue, client, id) = (lane.queue.name(), lane.client, lane.lane);
    match error {
        Error::LeaseLost => {
            tracing::info!(queue, client.id = %client, lane.id = %id, "the lane went to another process")
        }
        error => {
            metrics::counter!("patchbay_lane_failures", "queue" => queue).increment(1);
            tracing::error!(queue, client.id = %client, lane.id = %id, error = &error as &dyn std::error::Error, "work on a lane failed; it is taken up again");
            // Not at once: what failed may need a moment.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

async fn claim_and_work(ctx: &Context, lane: Wake, signals: &Signals, stop: CancellationToken) -> Result<()> {
    let claimed = Lease::claim(ctx, lane, LEASE, stop.child_token(), Arc::clone(&signals.nudge)).await?;
    let Some(lease) = claimed else { return Ok(()) };
    let result = loop {
        signals.again.store(false, Ordering::SeqCst);
        let result = keep_and_work(ctx, &lease).await;
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
    lease.release(ctx).await?;
    result
}

/// Whether the use case of a queue returns after it has done all that it saw, and leaves it to [`Lease::give_back`] to look for
/// what was added meanwhile. The others look until they find nothing, or leave what may not go out yet.
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
        | Queue::Email => false,
    }
}

/// Runs the use case and renews the lease beside it.
async fn keep_and_work(ctx: &Context, lease: &Lease) -> Result<()> {
    renewed_beside(work(ctx, lease), RENEWAL, || renew(ctx, lease)).await
}

/// A lease that cannot be renewed stops the work at its next step.
async fn renew(ctx: &Context, lease: &Lease) {
    match lease.renew(ctx, LEASE).await {
        Ok(true) => {}
        Ok(false) => lease.stop.cancel(),
        Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "a lease could not be renewed"),
    }
}

/// Does both at the same time until the work is done. A renewal waits for the transaction in which the worker holds the
/// lane, so the worker must never wait for the renewal. One that is under way is finished before the lane is given back.
async fn renewed_beside<T, R>(work: impl Future<Output = T>, every: Duration, renew: impl Fn() -> R) -> T
where
    R: Future<Output = ()>,
{
    let done = CancellationToken::new();
    let working = async {
        let result = work.await;
        done.cancel();
        result
    };
    let renewing = async {
        while done.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            renew().await;
        }
    };
    let (result, ()) = tokio::join!(working, renewing);
    result
}

/// The use case of each queue.
async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    match lease.queue {
        Queue::Outbound => dispatch::work(ctx, lease).await,
        Queue::Callback => callbacks::work(ctx, lease).await,
        Queue::Participant => chat::work(ctx, lease).await,
        Queue::Fallback => fallback::work(ctx, lease).await,
        Queue::Media => media::work(ctx, lease).await,
        Queue::Webhook => webhooks::deliver::work(ctx, lease).await,
        Queue::Chat => chat::by_itself::work(ctx, lease).await,
        Queue::LiteSession => lite::work(ctx, lease).await,
        Queue::SmsCallback => sms_products::callbacks::work(ctx, lease).await,
        Queue::Email => sms_products::email::work(ctx, lease).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_renewal_that_waits_for_the_worker_does_not_stop_it() {
        let every = Duration::from_millis(5);
        // What a row lock of the database is between the two.
        let row = tokio::sync::Mutex::new(0);
        let work = async {
            let held = row.lock().await;
            tokio::time::sleep(every * 4).await;
            drop(held);
            tokio::time::sleep(every * 4).await;
            "done"
        };
        let renew = || async { *row.lock().await += 1 };
        let done = tokio::time::timeout(Duration::from_secs(30), renewed_beside(work, every, renew)).await;
        assert_eq!(done, Ok("done"));
        assert!(*row.lock().await >= 1, "the lease was not renewed");
    }
}
