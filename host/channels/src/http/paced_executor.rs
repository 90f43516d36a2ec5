//! Tasks with bounded processor time, for work that is not counted: empty TLS records, WebSocket fragments, frames.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use hyper::rt::Executor;
use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Sleep, sleep_until};

use super::pace::{Pace, ProcessorTurn};

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

/// Measures the processor time of each poll of a future, and reports it to `note`.
pub struct MeasuredTask<F, N> {
    task: Pin<Box<F>>,
    note: N,
}

impl<F, N> MeasuredTask<F, N> {
    pub fn new(task: F, note: N) -> Self {
        Self { task: Box::pin(task), note }
    }
}

impl<F: Future, N: FnMut(Duration) + Unpin> Future for MeasuredTask<F, N> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let before = thread_time();
        let polled = self.task.as_mut().poll(cx);
        let used = thread_time().saturating_sub(before);
        (self.note)(used);
        polled
    }
}

pub struct PacedTask<F> {
    task: Pin<Box<F>>,
    pace: Option<Arc<Pace>>,
    pause: Option<Pin<Box<Sleep>>>,
    turn: Option<BoxFuture<'static, ProcessorTurn>>,
    clock: fn() -> Duration,
}

impl<F> PacedTask<F> {
    /// Without a pace it never waits.
    pub fn new(task: F, pace: Option<Arc<Pace>>) -> Self {
        Self { task: Box::pin(task), pace, pause: None, turn: None, clock: thread_time }
    }

    pub fn inner(&mut self) -> Pin<&mut F> {
        self.task.as_mut()
    }

    fn poll_pause(&mut self, pace: &Pace, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            // Other tasks of the peer may have used more in the meantime.
            let Some(until) = pace.pause() else { return Poll::Ready(()) };
            self.pause = Some(Box::pin(sleep_until(until)));
        }
    }

    /// A task that waits for its turn does not pause, because it would keep the turn from others.
    fn poll_turn(&mut self, pace: &Pace, cx: &mut Context<'_>) -> Poll<Option<ProcessorTurn>> {
        if self.turn.is_none() {
            ready!(self.poll_pause(pace, cx));
            self.turn = pace.turn();
        }
        let Some(waiting) = &mut self.turn else { return Poll::Ready(None) };
        let turn = ready!(waiting.poll_unpin(cx));
        self.turn = None;
        Poll::Ready(Some(turn))
    }
}

impl<F: Future> Future for PacedTask<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(pace) = self.pace.clone() else { return self.task.as_mut().poll(cx) };
        let turn = ready!(self.poll_turn(&pace, cx));
        let before = (self.clock)();
        let polled = self.task.as_mut().poll(cx);
        let used = (self.clock)().saturating_sub(before);
        match turn {
            Some(_) => pace.note_in_turn(used),
            None => pace.note(used),
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::{self, Instant};

    use super::*;
    use crate::http::SharedProcessors;

    thread_local! {
        static USED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    fn pace() -> Option<Arc<Pace>> {
        Some(Arc::new(Pace::new(AT_ONCE, ONE_OF)))
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

    #[tokio::test(start_paused = true)]
    async fn a_task_of_a_busy_peer_works_only_in_its_turn_and_others_never_wait() {
        let of_all = Arc::new(SharedProcessors::new(1));
        let peer = || Arc::new(Pace::new(AT_ONCE, ONE_OF).within(Arc::clone(&of_all)));
        let (heavy, light) = (peer(), peer());
        heavy.note(Duration::from_millis(60));
        let others = of_all.turns().acquire_owned().await.unwrap();
        let mut waits = PacedTask::new(async {}, Some(heavy));
        assert!(futures::poll!(&mut waits).is_pending());
        PacedTask::new(async {}, Some(light)).await;
        drop(others);
        waits.await;
        assert_eq!(of_all.turns().available_permits(), 1);
    }
}
