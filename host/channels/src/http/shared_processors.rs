//! Processors that several peers share: their turns, and a bound on all use without turns.

use std::{sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::Semaphore;

/// Processor time that all peers together may use at once without turns.
const AT_ONCE: Duration = Duration::from_secs(1);
/// The part of the shared processors that they may use so in the long run is one divided by this.
const ONE_OF: u32 = 4;

/// Each of many peers may use little without turns. If their sum is much, all of them take turns.
#[derive(Debug)]
pub struct SharedProcessors {
    /// As many as the processors that work for the peers at the same time.
    turns: Arc<Semaphore>,
    processors: u32,
    /// The time at which all use without turns is earned.
    earned: Mutex<Duration>,
    /// Processor time is real, and so is this clock.
    clock: fn() -> Duration,
}

fn real_clock() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs().try_into().unwrap_or_default())
}

impl SharedProcessors {
    pub fn new(processors: usize) -> Self {
        let processors = processors.max(1);
        Self {
            turns: Arc::new(Semaphore::new(processors)),
            processors: u32::try_from(processors).unwrap_or(u32::MAX),
            earned: Mutex::default(),
            clock: real_clock,
        }
    }

    pub fn turns(&self) -> Arc<Semaphore> {
        Arc::clone(&self.turns)
    }

    /// Records use without a turn.
    pub(super) fn note(&self, used: Duration) {
        let (mut earned, now) = (self.lock_time(), (self.clock)());
        let latest = now + self.time_to_earn(AT_ONCE) * 2;
        *earned = ((*earned).max(now) + self.time_to_earn(used)).min(latest);
    }

    /// Takes recorded use back.
    pub(super) fn refund(&self, used: Duration) {
        let mut earned = self.lock_time();
        *earned = earned.saturating_sub(self.time_to_earn(used));
    }

    /// True if peers have used too much without turns.
    pub(super) fn are_short(&self) -> bool {
        *self.lock_time() > (self.clock)() + self.time_to_earn(AT_ONCE)
    }

    fn time_to_earn(&self, used: Duration) -> Duration {
        used * ONE_OF / self.processors
    }

    fn lock_time(&self) -> MutexGuard<'_, Duration> {
        self.earned.lock()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static NOW: Cell<Duration> = const { Cell::new(Duration::from_secs(1_000)) };
    }

    #[test]
    fn all_peers_may_use_a_second_at_once_and_a_quarter_of_the_shared_processors_in_the_long_run() {
        let shared = SharedProcessors { clock: || NOW.get(), ..SharedProcessors::new(2) };
        shared.note(Duration::from_millis(900));
        assert!(!shared.are_short());
        shared.note(Duration::from_millis(900));
        assert!(shared.are_short());
        shared.refund(Duration::from_millis(900));
        assert!(!shared.are_short(), "it was work for a client");
        let mut short = 0;
        for _ in 0..100 {
            NOW.set(NOW.get() + Duration::from_secs(1));
            match shared.are_short() {
                true => short += 1,
                false => shared.note(Duration::from_secs(1)),
            }
        }
        assert!((49..=50).contains(&short), "{short}: half a second of use is earned in each second");
    }
}
