//! Where a call runs. Most calls are over in a fraction of a millisecond and run where their caller does. One that takes
//! longer goes on apart, on threads of its own kind, and one that takes very long goes on where calls run last: on threads
//! that get a processor when nobody else wants one, each client in its turn. The client's next calls begin there for a
//! while, after one that misbehaved too, and all calls of a client that has used up its share of processor time. Both kinds of threads are one fewer than
//! there are processors. So a client that burns processor time slows only itself, and the threads on which everything else
//! runs are not held up.

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

use crate::share::{self, PROMPT, Share, Standing};

/// How much the threads apart give way to others.
const NICE: i32 = 5;
/// How old a reading of a thread's clock may be: what else ran there meanwhile is put down to the call, so it is less than
/// what makes a call a long one.
const LOOK_EVERY: Duration = Duration::from_micros(500);

thread_local! {
    /// This thread is one of ours.
    static APART: Cell<bool> = const { Cell::new(false) };
    /// When the clock of this thread was read last, and what it showed.
    static LOOKED_AT: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// Whether this thread is one of those that belong to plugins.
pub(crate) fn is_apart() -> bool {
    APART.get()
}

/// A call that can go on anywhere.
pub(crate) type Moving<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The threads that belong to plugins; none once it is being dropped.
pub(crate) struct Lanes(Option<Threads>);

struct Threads {
    apart: Runtime,
    last: Runtime,
}

impl Lanes {
    /// Starts the threads.
    pub(crate) fn start() -> std::io::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = processors.saturating_sub(1).max(1);
        let apart = threads("plugins-apart", count, || {
            let _ = rustix::process::setpriority_process(None, NICE);
        })?;
        let last = threads("plugins-last", count, yield_to_all)?;
        Ok(Self(Some(Threads { apart, last })))
    }

    /// Runs a call that nobody waits for, when nobody else wants a processor.
    pub(crate) async fn last<T: Send + 'static>(&self, call: Moving<T>) -> T {
        let Some(threads) = &self.0 else { return call.await };
        Elsewhere(threads.last.spawn(call)).await
    }

    /// Runs a call here, on the share of its client, for as long as it is a small one; then where it belongs.
    pub(crate) async fn promptly<T: Send + 'static>(&self, share: &Share, mut call: Moving<T>) -> T {
        let Some(threads) = &self.0 else { return call.await };
        let mut standing = share.standing();
        if standing == Standing::Prompt {
            call = match Bounded::here(call, share).await {
                Ended::Over(answer) => return answer,
                Ended::TooLong(call) => call,
            };
            standing = share.standing();
        }
        if standing != Standing::Last {
            metrics::counter!("patchbay_plugin_calls_apart_total", "lane" => "apart").increment(1);
            call = match Elsewhere(threads.apart.spawn(Bounded::apart(call, share))).await {
                Ended::Over(answer) => return answer,
                Ended::TooLong(call) => call,
            };
        }
        metrics::counter!("patchbay_plugin_calls_apart_total", "lane" => "last").increment(1);
        Elsewhere(threads.last.spawn(Last { call, share: share.clone(), turn: None })).await
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        if let Some(threads) = self.0.take() {
            // Nobody waits for the calls any more.
            threads.apart.shutdown_background();
            threads.last.shutdown_background();
        }
    }
}

fn threads(name: &str, count: usize, begin: fn()) -> std::io::Result<Runtime> {
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(count).thread_name(name).enable_all();
    runtime.on_thread_start(move || {
        APART.set(true);
        // Where that is not allowed, all threads are alike.
        begin();
    });
    runtime.build()
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
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Where a thread belongs.
    #[derive(Debug, PartialEq)]
    enum Place {
        Caller,
        Apart,
        Last,
    }

    fn place() -> Place {
        match std::thread::current().name() {
            Some("plugins-apart") => Place::Apart,
            Some("plugins-last") => Place::Last,
            _ => Place::Caller,
        }
    }

    /// Uses up processor time in steps, looking up in between as a guest does at every tick, until it is elsewhere or
    /// the time is up.
    async fn burn(time: Duration, until: Place) -> Place {
        let begin = processor_time();
        while processor_time().saturating_sub(begin) < time && place() != until {
            let step = processor_time();
            while processor_time().saturating_sub(step) < PROMPT {}
            tokio::task::yield_now().await;
        }
        place()
    }

    #[tokio::test]
    async fn a_small_call_stays_where_its_caller_is() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(Duration::from_secs(1)));
        assert_eq!(lanes.promptly(&share, Box::pin(async { place() })).await, Place::Caller);
    }

    #[tokio::test]
    async fn a_long_call_goes_on_apart_and_the_next_one_begins_there() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(Duration::from_secs(1)));
        assert_eq!(lanes.promptly(&share, Box::pin(burn(PROMPT * 20, Place::Apart))).await, Place::Apart);
        assert_eq!(lanes.promptly(&share, Box::pin(async { place() })).await, Place::Apart);
        let other = Share::new(Duration::from_secs(1));
        assert_eq!(lanes.promptly(&other, Box::pin(async { place() })).await, Place::Caller, "of another client");
    }

    #[tokio::test]
    async fn a_very_long_call_goes_on_last_and_the_next_one_begins_there() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(Duration::from_secs(10)));
        assert_eq!(lanes.promptly(&share, Box::pin(burn(PROMPT * 100, Place::Last))).await, Place::Last);
        assert_eq!(lanes.promptly(&share, Box::pin(async { place() })).await, Place::Last);
    }

    #[tokio::test]
    async fn the_calls_of_a_client_that_has_used_up_its_share_run_last() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(PROMPT));
        share.spend(Duration::from_secs(1));
        assert_eq!(lanes.promptly(&share, Box::pin(async { place() })).await, Place::Last);
    }

    #[tokio::test]
    async fn calls_that_run_last_take_turns_within_their_client() {
        let (lanes, share) = (Arc::new(Lanes::start().unwrap()), Share::new(PROMPT));
        share.spend(Duration::from_secs(1));
        let under_way = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let calls = (0..8).map(|_| {
            let (lanes, share, under_way) = (Arc::clone(&lanes), share.clone(), Arc::clone(&under_way));
            tokio::spawn(async move {
                let call = Box::pin(async move {
                    for _ in 0..20 {
                        let others = under_way.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        std::hint::black_box((0..10_000).sum::<u64>());
                        under_way.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        assert_eq!(others, 0);
                        tokio::task::yield_now().await;
                    }
                });
                share.spend(Duration::from_secs(1));
                lanes.promptly(&share, call).await;
            })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_call_that_waits_gives_its_turn_to_the_next() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(PROMPT));
        share.spend(Duration::from_secs(1));
        let (go_on, waits) = tokio::sync::oneshot::channel();
        let waiting = lanes.promptly(&share, Box::pin(async { waits.await.unwrap() }));
        let next = async {
            share.spend(Duration::from_secs(1));
            lanes.promptly(&share, Box::pin(async { go_on.send(()).unwrap() })).await;
        };
        tokio::time::timeout(Duration::from_secs(10), async { tokio::join!(waiting, next) }).await.unwrap();
    }

    #[tokio::test]
    async fn a_call_that_nobody_waits_for_ends() {
        let lanes = Lanes::start().unwrap();
        let alive = Arc::new(());
        let held = Arc::clone(&alive);
        let call: Moving<()> = Box::pin(async move {
            std::future::pending::<()>().await;
            drop(held);
        });
        drop(tokio::time::timeout(Duration::from_millis(20), lanes.last(call)).await);
        while Arc::strong_count(&alive) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
