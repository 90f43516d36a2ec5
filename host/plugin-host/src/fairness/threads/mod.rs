//! The threads that calls run on. Most calls are over in a fraction of a millisecond and run where their caller does. One
//! that takes longer goes on apart, on threads of its own kind, and one that takes very long goes on where calls run last:
//! on threads that get a processor when nobody else wants one, each client in its turn. The client's next calls begin there
//! for a while (apart only after a second one within a second: one alone may have been held up by the machine), after one
//! that misbehaved too, and all calls of a client that has used up its share of processor time. Both
//! kinds of threads are one fewer than there are processors. So a client that burns processor time slows only itself, and
//! the threads on which everything else runs are not held up.

use std::cell::Cell;
use std::future::Future;
use std::num::NonZero;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{AcquireError, OwnedSemaphorePermit};
use tokio::task::JoinHandle;

use crate::fairness::share::{self, PROMPT, Share, Standing};

/// How much the threads apart give way to others.
const NICE: i32 = 5;
/// How old a reading of a thread's clock may be: what else ran there meanwhile is put down to the call, so it is less than
/// what makes a call a long one.
const LOOK_EVERY: Duration = Duration::from_micros(500);

thread_local! {
    /// This thread is one of ours.
    static IS_CALL_THREAD: Cell<bool> = const { Cell::new(false) };
    /// When the clock of this thread was read last, and what it showed.
    static LOOKED_AT: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// Whether this thread is one of those that belong to plugins.
pub(crate) fn is_call_thread() -> bool {
    IS_CALL_THREAD.get()
}

/// A call that can go on anywhere.
pub(crate) type Moving<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The threads that belong to plugins; none once it is being dropped.
pub(crate) struct CallThreads(Option<Runtimes>);

struct Runtimes {
    apart: Runtime,
    last: Runtime,
}

impl CallThreads {
    /// Starts the threads.
    pub(crate) fn start() -> std::io::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = processors.saturating_sub(1).max(1);
        let apart = runtime("plugins-apart", count, || {
            let _ = rustix::process::setpriority_process(None, NICE);
        })?;
        let last = runtime("plugins-last", count, yield_to_all)?;
        Ok(Self(Some(Runtimes { apart, last })))
    }

    /// Runs a call that nobody waits for, when nobody else wants a processor.
    pub(crate) async fn last<T: Send + 'static>(&self, call: Moving<T>) -> T {
        let Some(runtimes) = &self.0 else { return call.await };
        Elsewhere(runtimes.last.spawn(call)).await
    }

    /// Runs a call here, on the share of its client, for as long as it is a small one; then where it belongs.
    pub(crate) async fn promptly<T: Send + 'static>(&self, share: &Share, mut call: Moving<T>) -> T {
        let Some(runtimes) = &self.0 else { return call.await };
        let mut standing = share.standing();
        if standing == Standing::Prompt {
            call = match Bounded::here(call, share).await {
                Ended::Over(answer) => return answer,
                Ended::TooLong(call) => call,
            };
            standing = share.standing();
        }
        if standing != Standing::Last {
            metrics::counter!("patchbay_plugin_calls_apart_total", "threads" => "apart").increment(1);
            call = match Elsewhere(runtimes.apart.spawn(Bounded::apart(call, share))).await {
                Ended::Over(answer) => return answer,
                Ended::TooLong(call) => call,
            };
        }
        metrics::counter!("patchbay_plugin_calls_apart_total", "threads" => "last").increment(1);
        Elsewhere(runtimes.last.spawn(Last { call, share: share.clone(), turn: None })).await
    }
}

impl Drop for CallThreads {
    fn drop(&mut self) {
        if let Some(runtimes) = self.0.take() {
            // Nobody waits for the calls any more.
            runtimes.apart.shutdown_background();
            runtimes.last.shutdown_background();
        }
    }
}

fn runtime(name: &str, count: usize, begin: fn()) -> std::io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(count).thread_name(name).enable_all();
    builder.on_thread_start(move || {
        IS_CALL_THREAD.set(true);
        // Where that is not allowed, all threads are alike.
        begin();
    });
    builder.build()
}

/// Anybody else who wakes up gets the processor of this thread at once. The lowest `nice` alone does not do that: Linux
/// lets a thread finish its slice first, which is a millisecond or more.
fn yield_to_all() {
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let set =
        thread_priority::set_thread_priority_and_policy(thread_priority::thread_native_id(), ThreadPriority::Min, idle);
    if set.is_err() {
        let _ = rustix::process::setpriority_process(None, 19);
    }
}

/// How far a call came.
enum Ended<T> {
    Over(T),
    TooLong(Moving<T>),
}

/// A call that is timed, for as long as it takes no more than it may and something is left of the share of its client.
struct Bounded<T> {
    call: Option<Moving<T>>,
    share: Share,
    spent: Duration,
    most: Duration,
    /// What the share is told of a call that takes more.
    beyond: fn(&Share),
}

impl<T> Bounded<T> {
    fn here(call: Moving<T>, share: &Share) -> Self {
        Self { call: Some(call), share: share.clone(), spent: Duration::ZERO, most: PROMPT, beyond: Share::put_apart }
    }

    fn apart(call: Moving<T>, share: &Share) -> Self {
        Self { most: share::APART, beyond: Share::put_last, ..Self::here(call, share) }
    }
}

impl<T> Future for Bounded<T> {
    type Output = Ended<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended<T>> {
        let Some(mut call) = self.call.take() else { return Poll::Pending };
        let (polled, took) = timed(&mut call, context);
        self.spent += took;
        let used_up = self.share.spend(took);
        let too_long = self.spent >= self.most;
        if too_long {
            (self.beyond)(&self.share);
        }
        match polled {
            Poll::Ready(answer) => Poll::Ready(Ended::Over(answer)),
            Poll::Pending if too_long || used_up => Poll::Ready(Ended::TooLong(call)),
            Poll::Pending => {
                self.call = Some(call);
                Poll::Pending
            }
        }
    }
}

/// A call that runs last: it does when it is its turn, and gives the turn to the next call of the client whenever it waits
/// or has run for a tick.
struct Last<T> {
    call: Moving<T>,
    share: Share,
    /// The wait for its turn; none while nobody has asked it to go on.
    turn: Option<Acquiring>,
}

/// The wait for a turn.
type Acquiring = Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send>>;

impl<T> Future for Last<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let turn = this.turn.get_or_insert_with(|| Box::pin(this.share.turn().acquire_owned()));
        // A turn that cannot be had is nobody's: there is no semaphore that is ever closed.
        let permit = ready!(turn.as_mut().poll(context)).ok();
        this.turn = None;
        let (polled, took) = timed(&mut this.call, context);
        this.share.spend(took);
        drop(permit);
        polled
    }
}

/// Polls a call, and tells how much processor time that took.
///
/// The clock of the thread is slow to read. So a poll that took next to no time by the other clock counts as that, and one
/// that took longer, or was interrupted, as no more than what the thread has used since it was last looked at.
fn timed<T>(call: &mut Moving<T>, context: &mut Context<'_>) -> (Poll<T>, Duration) {
    let began = Instant::now();
    let used = match LOOKED_AT.get() {
        Some((at, used)) if began.duration_since(at) < LOOK_EVERY => used,
        _ => {
            let used = processor_time();
            LOOKED_AT.set(Some((began, used)));
            used
        }
    };
    let polled = call.as_mut().poll(context);
    let passed = began.elapsed();
    let took = if passed < PROMPT / 10 { passed } else { passed.min(processor_time().saturating_sub(used)) };
    (polled, took)
}

/// Time that this thread has spent on a processor.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// A call on another thread, which ends when nobody waits for it.
struct Elsewhere<T>(JoinHandle<T>);

impl<T> Future for Elsewhere<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match ready!(Pin::new(&mut self.0).poll(context)) {
            Ok(answer) => Poll::Ready(answer),
            Err(fault) => match fault.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The threads are gone, and with them whoever waits here.
                Err(_) => Poll::Pending,
            },
        }
    }
}

impl<T> Drop for Elsewhere<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests;
