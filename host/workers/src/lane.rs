//! One claimed lane: work under a lease that is renewed until the work is done.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use messaging::{
    Context, Error, Queue, Result, bot_turn, callbacks, dispatch, fallback,
    lanes::{Lease, Wake},
    media, webhooks,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How long a lease lasts without renewal: how long the work of a killed process waits. A step that takes longer renews
/// on the way, so only a process that has stopped altogether loses its lanes.
const LEASE: Duration = Duration::from_secs(15);
/// Renewals come three times as often as they must.
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
        if result.is_err() || lease.is_over() || !signals.again.load(Ordering::SeqCst) {
            break result;
        }
    };
    lease.release(ctx).await?;
    result
}

/// Runs the use case and renews the lease beside it.
async fn keep_and_work(ctx: &Context, lease: &Lease) -> Result<()> {
    let mut work = pin!(work(ctx, lease));
    let mut renewal = tokio::time::interval_at(tokio::time::Instant::now() + RENEWAL, RENEWAL);
    loop {
        tokio::select! {
            result = &mut work => return result,
            _ = renewal.tick() => {}
        }
        // The work goes on meanwhile: it may be in a transaction that holds the very row that the renewal waits for.
        let mut renewed = pin!(renew(ctx, lease));
        tokio::select! {
            result = &mut work => {
                // Left alone it might come after the release.
                renewed.await;
                return result;
            }
            () = &mut renewed => {}
        }
    }
}

/// A lease that cannot be renewed stops the work at its next step.
async fn renew(ctx: &Context, lease: &Lease) {
    match lease.renew(ctx, LEASE).await {
        Ok(true) => {}
        Ok(false) => lease.stop.cancel(),
        Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "a lease could not be renewed"),
    }
}

/// The use case of each queue.
async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    match lease.queue {
        Queue::Outbound => dispatch::work(ctx, lease).await,
        Queue::Callback => callbacks::work(ctx, lease).await,
        Queue::Participant => bot_turn::work(ctx, lease).await,
        Queue::Fallback => fallback::work(ctx, lease).await,
        Queue::Media => media::work(ctx, lease).await,
        Queue::Webhook => webhooks::deliver::work(ctx, lease).await,
    }
}
