//! Connections in their own tasks with bounded processor time. Counted bytes bound most of the work that a peer can
//! cause; this bounds the rest, for example TLS records without content.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::rt::Executor;
use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, Sleep, sleep_until};

/// Processor time that a connection may use at once.
const AT_ONCE: Duration = Duration::from_millis(250);
/// The part of a processor that it may use in the long run is one divided by this.
const ONE_OF: u32 = 10;

/// Runs the connections of a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct PacedExecutor;

impl<F> Executor<F> for PacedExecutor
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, connection: F) {
        tokio::spawn(Paced {
            task: Box::pin(connection),
            pace: Pace::from(Instant::now()),
            pause: None,
            clock: thread_time,
        });
    }
}

/// Processor time of this thread.
fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs().try_into().unwrap_or_default())
}

/// A task that pauses after it has used more processor time than allowed.
struct Paced<F> {
    task: Pin<Box<F>>,
    pace: Pace,
    pause: Option<Pin<Box<Sleep>>>,
    clock: fn() -> Duration,
}

/// The used time of a task.
struct Pace {
    since: Instant,
    used: Duration,
}

impl Pace {
    fn from(since: Instant) -> Self {
        Self { since, used: Duration::ZERO }
    }

    /// Records use and returns until when the task must pause, if it must.
    fn note(&mut self, now: Instant, used: Duration) -> Option<Instant> {
        self.used += used;
        let due = self.since + self.used.saturating_sub(AT_ONCE) * ONE_OF;
        (due > now).then_some(due)
    }
}

impl<F: Future> Future for Paced<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        let before = (self.clock)();
        let done = self.task.as_mut().poll(cx);
        let used = (self.clock)().saturating_sub(before);
        if done.is_ready() {
            return Poll::Ready(());
        }
        if let Some(until) = self.pace.note(Instant::now(), used) {
            // Polled once, so that it wakes the task at its end.
            let mut pause = Box::pin(sleep_until(until));
            if pause.as_mut().poll(cx).is_pending() {
                self.pause = Some(pause);
            } else {
                cx.waker().wake_by_ref();
            }
        }
        Poll::Pending
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

    #[tokio::test(start_paused = true)]
    async fn a_task_that_uses_more_than_its_part_of_a_processor_pauses() {
        let began = Instant::now();
        // Each poll uses 50 ms and is due again at once.
        let busy = std::future::poll_fn(|cx| {
            USED.set(USED.get() + Duration::from_millis(50));
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        let paced = Paced { task: Box::pin(busy), pace: Pace::from(began), pause: None, clock: || USED.get() };
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
        Paced { task: Box::pin(light), pace: Pace::from(began), pause: None, clock: || Duration::ZERO }.await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
