//! Where a call runs. Most calls are over in less than a millisecond and run where their caller does. A call that takes
//! longer, and every call of a client that has used up its share of prompt processor time, goes on apart: on threads of
//! low priority, which get the processor when nobody else wants it. So a client that burns processor time slows only
//! itself, and the threads on which everything else runs are never held up for longer than a tick.

use std::cell::Cell;
use std::future::Future;
use std::num::NonZero;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::ids::ClientId;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

use crate::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use crate::key_values::{KeyValueError, KeyValueSnapshot, Scope};
use crate::tape::Outside;

/// Processor time of one call before it goes on apart.
const PROMPT: Duration = Duration::from_millis(1);
/// Seconds whose unused share may be used at once.
const BURST_SECONDS: u32 = 5;
/// The lowest priority.
const NICE: i32 = 19;

thread_local! {
    /// This thread is one of those apart.
    static APART: Cell<bool> = const { Cell::new(false) };
}

/// A call that can go on anywhere.
pub(crate) type Moving<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The threads apart.
pub(crate) struct Lanes(Option<Runtime>);

impl Lanes {
    /// Starts the threads.
    pub(crate) fn start() -> std::io::Result<Self> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut runtime = Builder::new_multi_thread();
        runtime.worker_threads(threads).thread_name("plugins-apart").enable_all();
        runtime.on_thread_start(|| {
            APART.set(true);
            // Where that is not allowed, all threads are alike.
            let _ = rustix::process::setpriority_process(None, NICE);
        });
        Ok(Self(Some(runtime.build()?)))
    }

    /// Runs a call apart from the beginning.
    pub(crate) async fn apart<T: Send + 'static>(&self, call: Moving<T>) -> T {
        let Some(runtime) = &self.0 else { return call.await };
        metrics::counter!("patchbay_plugin_calls_apart_total").increment(1);
        Elsewhere(runtime.spawn(call)).await
    }

    /// Runs a call here, on the share of its client, for as long as it is a small one.
    pub(crate) async fn promptly<T: Send + 'static>(&self, share: &Share, call: Moving<T>) -> T {
        if share.is_used_up() {
            return self.apart(call).await;
        }
        match (Prompt { call: Some(call), share, spent: Duration::ZERO }).await {
            Ended::Over(answer) => answer,
            Ended::TooLong(call) => self.apart(call).await,
        }
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // Nobody waits for the calls any more.
            runtime.shutdown_background();
        }
    }
}

/// How far a call came here.
enum Ended<T> {
    Over(T),
    TooLong(Moving<T>),
}

/// A call that runs here and is timed.
struct Prompt<'a, T> {
    call: Option<Moving<T>>,
    share: &'a Share,
    spent: Duration,
}

impl<T> Future for Prompt<'_, T> {
    type Output = Ended<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended<T>> {
        let Some(mut call) = self.call.take() else { return Poll::Pending };
        let began = processor_time();
        let polled = call.as_mut().poll(context);
        let took = processor_time().saturating_sub(began);
        self.spent += took;
        let used_up = self.share.spend(took);
        match polled {
            Poll::Ready(answer) => Poll::Ready(Ended::Over(answer)),
            Poll::Pending if self.spent >= PROMPT || used_up => Poll::Ready(Ended::TooLong(call)),
            Poll::Pending => {
                self.call = Some(call);
                Poll::Pending
            }
        }
    }
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

/// The prompt processor time of a client: a bucket that fills with the seconds.
pub(crate) struct Share {
    /// What a second gives.
    rate: Duration,
    bucket: Mutex<Bucket>,
}

struct Bucket {
    left: Duration,
    at: Instant,
}

impl Share {
    /// A full one.
    pub(crate) fn new(rate: Duration) -> Self {
        Self { rate, bucket: Mutex::new(Bucket { left: rate * BURST_SECONDS, at: Instant::now() }) }
    }

    /// Takes time that was used; answers whether nothing is left.
    fn spend(&self, time: Duration) -> bool {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.left = bucket.left.saturating_sub(time);
        bucket.left.is_zero()
    }

    /// Whether too little is left for a call to begin.
    pub(crate) fn is_used_up(&self) -> bool {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let present = Instant::now();
        let gained = self.rate.mul_f64(present.duration_since(bucket.at).as_secs_f64());
        bucket.left = (bucket.left + gained).min(self.rate * BURST_SECONDS);
        bucket.at = present;
        bucket.left < PROMPT
    }
}

/// The outside of a call that may go on apart. What the host does for it is done where the caller is: connections belong
/// to the threads that opened them, and others use them too.
pub(crate) fn at_home(outside: Outside) -> Outside {
    let home = Handle::current();
    let http = Arc::new(AtHome { home: home.clone(), inner: outside.http }) as _;
    let key_values = outside.key_values.map(|inner| Arc::new(AtHome { home, inner }) as _);
    Outside { key_values, http }
}

struct AtHome<Inner: ?Sized> {
    home: Handle,
    inner: Arc<Inner>,
}

#[async_trait]
impl KeyValueSnapshot for AtHome<dyn KeyValueSnapshot> {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        if !APART.get() {
            return self.inner.get(scope, key).await;
        }
        let (inner, key) = (Arc::clone(&self.inner), key.to_owned());
        let read = self.home.spawn(async move { inner.get(scope, &key).await }).await;
        read.unwrap_or_else(|fault| Err(KeyValueError(Box::new(fault))))
    }
}

#[async_trait]
impl OutgoingHttp for AtHome<dyn OutgoingHttp> {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        if !APART.get() {
            return self.inner.send(client, request).await;
        }
        let inner = Arc::clone(&self.inner);
        let sent = self.home.spawn(async move { inner.send(client, request).await }).await;
        sent.unwrap_or_else(|_| Err(HttpFault::Failed("the host is stopping".to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses up processor time in steps, looking up in between as a guest does at every tick.
    async fn burn(time: Duration) -> bool {
        let begin = processor_time();
        while processor_time().saturating_sub(begin) < time {
            let step = processor_time();
            while processor_time().saturating_sub(step) < PROMPT {}
            tokio::task::yield_now().await;
            if APART.get() {
                return true;
            }
        }
        APART.get()
    }

    #[tokio::test]
    async fn a_small_call_stays_where_its_caller_is() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(Duration::from_secs(1)));
        assert!(!lanes.promptly(&share, Box::pin(async { APART.get() })).await);
    }

    #[tokio::test]
    async fn a_long_call_goes_on_apart() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(Duration::from_secs(1)));
        assert!(lanes.promptly(&share, Box::pin(burn(PROMPT * 20))).await);
    }

    #[tokio::test]
    async fn calls_of_a_client_that_has_used_up_its_share_begin_apart() {
        let (lanes, share) = (Lanes::start().unwrap(), Share::new(PROMPT));
        share.spend(PROMPT * BURST_SECONDS);
        assert!(lanes.promptly(&share, Box::pin(async { APART.get() })).await);
        std::thread::sleep(Duration::from_millis(1_100));
        assert!(!lanes.promptly(&share, Box::pin(async { APART.get() })).await, "a second gives a share anew");
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
        drop(tokio::time::timeout(Duration::from_millis(20), lanes.apart(call)).await);
        while Arc::strong_count(&alive) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
