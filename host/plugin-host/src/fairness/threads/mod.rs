//! The threads that run calls. Most calls end in a fraction of a millisecond and run on the thread of their caller. A
//! longer call moves to a separate thread. A very long call moves to the threads that run last: they get a processor
//! when it is idle, and clients take turns on them.
//!
//! For a while the client's next calls begin where its call moved to. (On separate threads, only after a second longer
//! call within a second, because the machine may have delayed a single one.) The calls of a client begin on the last
//! threads after a misbehaving call, and if the client has used up its share of processor time.
//!
//! There is one thread fewer of each kind than there are processors. So a client that uses much processor time slows
//! only itself, and the threads of other work stay free.

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

use crate::fairness::share::{self, PROMPT, Share, ShareStart};

/// `nice` value of the separate threads.
const NICE: i32 = 5;
/// Longest age of a reading of a thread's clock. Other work since then is charged to the call.
const READING_AGE_MAX: Duration = Duration::from_micros(500);

thread_local! {
    static IS_CALL_THREAD: Cell<bool> = const { Cell::new(false) };
    /// Time and value of the last reading of this thread's clock.
    static LOOKED_AT: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

pub(crate) fn is_call_thread() -> bool {
    IS_CALL_THREAD.get()
}

pub(crate) type MovingCall<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) struct CallThreads(Option<Runtimes>);

struct Runtimes {
    apart: Runtime,
    last: Runtime,
}

impl CallThreads {
    pub(crate) fn start() -> std::io::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = processors.saturating_sub(1).max(1);
        let apart = runtime("plugins-apart", count, || {
            let _ = rustix::process::setpriority_process(None, NICE);
        })?;
        let last = runtime("plugins-last", count, yield_to_all)?;
        Ok(Self(Some(Runtimes { apart, last })))
    }

    /// Runs a call in the background when a processor is idle.
    pub(crate) async fn last<T: Send + 'static>(&self, call: MovingCall<T>) -> T {
        let Some(runtimes) = &self.0 else { return call.await };
        Elsewhere(runtimes.last.spawn(call)).await
    }

    /// Runs a call on this thread, on the share of its client, while it is short. Then moves it.
    pub(crate) async fn promptly<T: Send + 'static>(&self, share: &Share, mut call: MovingCall<T>) -> T {
        let Some(runtimes) = &self.0 else { return call.await };
        let mut standing = share.standing();
        if standing == ShareStart::Prompt {
            call = match Bounded::here(call, share).await {
                Ended::Over(answer) => return answer,
                Ended::TooLong(call) => call,
            };
            standing = share.standing();
        }
        if standing != ShareStart::Last {
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
            // The results of the remaining calls are not awaited.
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
        // If that is not allowed, all threads have the same priority.
        begin();
    });
    builder.build()
}

/// Gives the processor of this thread at once to any other thread. The lowest `nice` alone does not do that.
fn yield_to_all() {
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let set =
        thread_priority::set_thread_priority_and_policy(thread_priority::thread_native_id(), ThreadPriority::Min, idle);
    if set.is_err() {
        let _ = rustix::process::setpriority_process(None, 19);
    }
}

enum Ended<T> {
    Over(T),
    TooLong(MovingCall<T>),
}

/// A call with a time limit. It runs until it exceeds the limit or the share of its client is used up.
struct Bounded<T> {
    call: Option<MovingCall<T>>,
    share: Share,
    spent: Duration,
    most: Duration,
    /// Called on the share if the call exceeds the limit.
    beyond: fn(&Share),
}

impl<T> Bounded<T> {
    fn here(call: MovingCall<T>, share: &Share) -> Self {
        Self {
            call: Some(call),
            share: share.clone(),
            spent: Duration::ZERO,
            most: PROMPT,
            beyond: Share::move_to_own_thread,
        }
    }

    fn apart(call: MovingCall<T>, share: &Share) -> Self {
        Self { most: share::APART, beyond: Share::put_last, ..Self::here(call, share) }
    }
}

impl<T> Future for Bounded<T> {
    type Output = Ended<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended<T>> {
        let Some(mut call) = self.call.take() else { return Poll::Pending };
        let (polled, took) = measure_poll(&mut call, context);
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

/// A call on the threads that run last. It gives its turn to the client's next call when it waits or has run for a
/// tick.
struct Last<T> {
    call: MovingCall<T>,
    share: Share,
    /// The wait for its turn; `None` before the first poll of a turn.
    turn: Option<Acquiring>,
}

type Acquiring = Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send>>;

impl<T> Future for Last<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let turn = this.turn.get_or_insert_with(|| Box::pin(this.share.turn().acquire_owned()));
        // The semaphore is never closed, so this never fails.
        let permit = ready!(turn.as_mut().poll(context)).ok();
        this.turn = None;
        let (polled, took) = measure_poll(&mut this.call, context);
        this.share.spend(took);
        drop(permit);
        polled
    }
}

/// Polls a call and returns its processor time. The clock of the thread is slow to read, so a short poll counts with
/// the time of the other clock.
fn measure_poll<T>(call: &mut MovingCall<T>, context: &mut Context<'_>) -> (Poll<T>, Duration) {
    let began = Instant::now();
    let used = match LOOKED_AT.get() {
        Some((at, used)) if began.duration_since(at) < READING_AGE_MAX => used,
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

pub(crate) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

struct Elsewhere<T>(JoinHandle<T>);

impl<T> Future for Elsewhere<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match ready!(Pin::new(&mut self.0).poll(context)) {
            Ok(answer) => Poll::Ready(answer),
            Err(fault) => match fault.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The threads are gone, and the waiting task ends with them.
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
