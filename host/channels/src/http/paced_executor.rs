//! Tasks with bounded processor time. Counted bytes and requests bound most of the work that a peer can cause; this
//! bounds the rest without a list of kinds: TLS records without content, empty WebSocket fragments, floods of frames.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::rt::Executor;
use parking_lot::{Mutex, MutexGuard};
use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, Sleep, sleep_until};

/// Processor time that a connection to another server may use at once.
const AT_ONCE: Duration = Duration::from_millis(250);
/// The part of a processor that it may use in the long run is one divided by this.
const ONE_OF: u32 = 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct PacedExecutor;

impl<F> Executor<F> for PacedExecutor
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, connection: F) {
        tokio::spawn(PacedTask::new(connection, Some(Arc::new(Pace::new(AT_ONCE, ONE_OF)))));
    }
}

fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs().try_into().unwrap_or_default())
}

/// The processor time of one peer, which several tasks may share.
#[derive(Debug)]
pub struct Pace {
    at_once: Duration,
    one_of: u32,
    /// The time at which all use so far is earned. In the past for a peer that has used little.
    earned_at: Mutex<Instant>,
}

impl Pace {
    /// `at_once` may be used without a pause, and one part of `one_of` of a processor in the long run.
    pub fn new(at_once: Duration, one_of: u32) -> Self {
        Self { at_once, one_of, earned_at: Mutex::new(Instant::now()) }
    }

    pub fn note(&self, used: Duration) {
        let mut earned_at = self.earned_at();
        *earned_at = (*earned_at).max(Instant::now()) + used * self.one_of;
    }

    /// Takes use back that turned out to be work for a known client or provider.
    pub fn refund(&self, used: Duration) {
        let mut earned_at = self.earned_at();
        *earned_at = earned_at.checked_sub(used * self.one_of).unwrap_or(*earned_at);
    }

    /// Returns until when tasks of this peer pause, if they must.
    pub fn pause(&self) -> Option<Instant> {
        let until = self.earned_at().checked_sub(self.at_once * self.one_of)?;
        (until > Instant::now()).then_some(until)
    }

    /// True if a new one would be the same.
    pub fn is_unused(&self) -> bool {
        *self.earned_at() <= Instant::now()
    }

    fn earned_at(&self) -> MutexGuard<'_, Instant> {
        self.earned_at.lock()
    }
}

pub struct MeasuredTask<F> {
    task: Pin<Box<F>>,
    used: Duration,
}

impl<F> MeasuredTask<F> {
    pub fn new(task: F) -> Self {
        Self { task: Box::pin(task), used: Duration::ZERO }
    }
}

impl<F: Future> Future for MeasuredTask<F> {
    type Output = (F::Output, Duration);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let before = thread_time();
        let polled = self.task.as_mut().poll(cx);
        self.used += thread_time().saturating_sub(before);
        polled.map(|output| (output, self.used))
    }
}

/// A task that pauses while its peer has used more processor time than allowed.
pub struct PacedTask<F> {
    task: Pin<Box<F>>,
    pace: Option<Arc<Pace>>,
    pause: Option<Pin<Box<Sleep>>>,
    clock: fn() -> Duration,
}

impl<F> PacedTask<F> {
    /// Without a pace it never pauses.
    pub fn new(task: F, pace: Option<Arc<Pace>>) -> Self {
        Self { task: Box::pin(task), pace, pause: None, clock: thread_time }
    }
}

impl<F: Future> Future for PacedTask<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(pace) = self.pace.clone() else { return self.task.as_mut().poll(cx) };
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            // Other tasks of the peer may have used more in the meantime.
            let Some(until) = pace.pause() else { break };
            self.pause = Some(Box::pin(sleep_until(until)));
        }
        let before = (self.clock)();
        let polled = self.task.as_mut().poll(cx);
        pace.note((self.clock)().saturating_sub(before));
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time;

    use super::*;

    thread_local! {
        static USED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    fn pace() -> Option<Arc<Pace>> {
        Some(Arc::new(Pace::new(AT_ONCE, ONE_OF)))
    }

    #[tokio::test(start_paused = true)]
    async fn tasks_of_one_peer_share_its_time_and_rest_earns_no_more_than_the_beginning() {
        let pace = Pace::new(Duration::from_secs(1), 4);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        pace.note(Duration::from_millis(600));
        assert_eq!(pace.pause(), None);
        pace.note(Duration::from_millis(600));
        assert_eq!(pace.pause(), Some(Instant::now() + Duration::from_millis(800)));
        pace.refund(Duration::from_millis(200));
        assert_eq!(pace.pause(), None, "work for a client does not count");
        assert!(!pace.is_unused());
        tokio::time::advance(Duration::from_secs(4)).await;
        assert!(pace.is_unused());
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_uses_more_than_its_part_of_a_processor_pauses() {
        // Each poll uses 50 ms and is due again at once.
        let busy = std::future::poll_fn(|cx| {
            USED.set(USED.get() + Duration::from_millis(50));
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        let paced = PacedTask { clock: || USED.get(), ..PacedTask::new(busy, pace()) };
        assert!(time::timeout(Duration::from_secs(10), paced).await.is_err());
        // A quarter of a second at once, and a tenth of ten seconds.
        assert_eq!(USED.get(), Duration::from_millis(1_250 + 50));
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_uses_little_never_pauses() {
        let began = Instant::now();
        let mut polls = 0;
        let light = std::future::poll_fn(move |cx| {
            polls += 1;
            cx.waker().wake_by_ref();
            if polls > 10_000 { Poll::Ready(()) } else { Poll::Pending }
        });
        PacedTask { clock: || Duration::ZERO, ..PacedTask::new(light, pace()) }.await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
