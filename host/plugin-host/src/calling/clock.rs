//! The clocks of a guest. They start at the time of the call, advance one microsecond per reading, and by each sleep,
//! so a replayed call sees the same times.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Sleep, sleep};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, p2::Pollable};

const READ_TIME: Duration = Duration::from_micros(1);

#[derive(Clone)]
pub(crate) struct GuestClock(Arc<Shared>);

struct Shared {
    start: Duration,
    /// Whether sleeps take real time or end at once.
    sleeps: bool,
    time: Mutex<Time>,
}

#[derive(Default)]
struct Time {
    passed: Duration,
    /// The timers that the guest is waiting for, in the order in which they joined.
    awaited: Vec<(u64, Duration)>,
    joined: u64,
    /// The timer that moves the clock: the first that joined, even if it is done before the others have read the clock.
    leader: u64,
}

impl GuestClock {
    pub(crate) fn new(now: DateTime<Utc>, sleeps: bool) -> Self {
        let start = Duration::from_micros(u64::try_from(now.timestamp_micros()).unwrap_or(0));
        Self(Arc::new(Shared { start, sleeps, time: Mutex::default() }))
    }

    pub(super) fn look(&self) -> Duration {
        let mut time = self.time();
        let shown = time.passed;
        time.passed += READ_TIME;
        shown
    }

    fn time(&self) -> MutexGuard<'_, Time> {
        self.0.time.lock()
    }

    /// Waits until the clock shows `until`. Of timers that are awaited together, the first to join moves the clock to
    /// the earliest.
    async fn wait(&self, until: Duration) {
        let Some(awaited) = Awaited::join(self, until) else { return };
        let mut first_round = true;
        let mut sleeping: Option<Pin<Box<Sleep>>> = None;
        poll_fn(|context| {
            // All timers must have joined before one is chosen.
            if std::mem::take(&mut first_round) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            awaited.poll(context, &mut sleeping)
        })
        .await;
    }
}

/// Registration of a timer that a guest waits for. Dropping it removes the timer.
struct Awaited<'a> {
    clock: &'a GuestClock,
    id: u64,
    until: Duration,
}

impl<'a> Awaited<'a> {
    fn join(clock: &'a GuestClock, until: Duration) -> Option<Self> {
        let mut time = clock.time();
        if time.passed >= until {
            return None;
        }
        // A query is a reading too, so a guest that polls in a loop reaches the time.
        time.passed += READ_TIME;
        time.joined += 1;
        let id = time.joined;
        if time.awaited.is_empty() {
            time.leader = id;
        }
        time.awaited.push((id, until));
        Some(Self { clock, id, until })
    }

    fn poll(&self, context: &mut Context<'_>, sleeping: &mut Option<Pin<Box<Sleep>>>) -> Poll<()> {
        let mut time = self.clock.time();
        if time.leader == self.id && time.passed < self.until {
            let earliest = time.awaited.iter().map(|(_, until)| *until).min().unwrap_or(self.until);
            if self.clock.0.sleeps {
                let left = earliest.saturating_sub(time.passed);
                let sleeping = sleeping.get_or_insert_with(|| Box::pin(sleep(left)));
                std::task::ready!(sleeping.as_mut().poll(context));
            }
            time.passed = time.passed.max(earliest);
        }
        if time.passed >= self.until { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.clock.time().awaited.retain(|(id, _)| *id != self.id);
    }
}

impl HostWallClock for GuestClock {
    fn resolution(&self) -> Duration {
        READ_TIME
    }

    fn now(&self) -> Duration {
        self.0.start + self.look()
    }
}

impl HostMonotonicClock for GuestClock {
    fn resolution(&self) -> u64 {
        nanoseconds(READ_TIME)
    }

    fn now(&self) -> u64 {
        nanoseconds(self.look())
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) struct ClockTimer {
    pub(super) clock: GuestClock,
    pub(super) until: Duration,
}

#[async_trait]
impl Pollable for ClockTimer {
    async fn ready(&mut self) {
        self.clock.wait(self.until).await;
    }
}
