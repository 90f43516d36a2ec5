//! How fast a bind may submit: pauses after throttling, and an optional rate.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The pace of one bind.
#[derive(Debug)]
pub(super) struct Pacing {
    /// Time between two submits, when a rate is set.
    interval: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    paused_until: Option<Instant>,
    pause: Duration,
    next_slot: Option<Instant>,
}

impl State {
    fn left(&self, now: Instant) -> Option<Duration> {
        self.paused_until?.checked_duration_since(now).filter(|left| !left.is_zero())
    }
}

impl Pacing {
    /// `rate` is in submits per second.
    pub(super) fn new(rate: Option<u32>) -> Self {
        Self { interval: rate.map(|rate| Duration::from_secs(1) / rate), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the bind is still paused.
    pub(super) fn paused_for(&self, now: Instant) -> Option<Duration> {
        self.state().left(now)
    }

    /// The SMSC said that we are too fast: pause for 1 s, doubling to 30 s. Several such answers to submits that were under
    /// way together count once.
    pub(super) fn throttled(&self, now: Instant) -> Duration {
        let mut state = self.state();
        if let Some(left) = state.left(now) {
            return left;
        }
        state.pause = if state.pause.is_zero() { FIRST_PAUSE } else { (state.pause * 2).min(LONGEST_PAUSE) };
        state.paused_until = Some(now + state.pause);
        state.pause
    }

    /// A submit was taken after the pause: the next pause starts small again.
    pub(super) fn taken(&self, now: Instant) {
        let mut state = self.state();
        if state.paused_until.is_some_and(|until| until <= now) {
            state.paused_until = None;
            state.pause = Duration::ZERO;
        }
    }

    /// Reserves the next place in the rate and says how long to wait for it; `Err` with the wait when it lies more than
    /// `longest` ahead, and then nothing is reserved.
    pub(super) fn slot(&self, now: Instant, longest: Duration) -> Result<Duration, Duration> {
        let Some(interval) = self.interval else {
            return Ok(Duration::ZERO);
        };
        let mut state = self.state();
        let at = state.next_slot.map_or(now, |slot| slot.max(now));
        let wait = at - now;
        if wait > longest {
            return Err(wait);
        }
        state.next_slot = Some(at + interval);
        Ok(wait)
    }

    /// How long until a place in the rate lies at most `longest` ahead.
    pub(super) fn wait(&self, now: Instant, longest: Duration) -> Duration {
        let next = self.state().next_slot;
        next.map_or(Duration::ZERO, |slot| slot.saturating_duration_since(now)).saturating_sub(longest)
    }

    /// The place that was reserved last, or one of the last, is not used.
    pub(super) fn give_back(&self) {
        let mut state = self.state();
        if let (Some(interval), Some(slot)) = (self.interval, state.next_slot) {
            state.next_slot = slot.checked_sub(interval);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute_and_start_over_after_success() {
        let pacing = Pacing::new(None);
        let mut now = Instant::now();
        let mut pauses = Vec::new();
        for _ in 0..7 {
            let pause = pacing.throttled(now);
            pauses.push(pause.as_secs());
            assert_eq!(pacing.throttled(now + pause / 2), pause / 2, "answers of one burst count once");
            now += pause;
            assert_eq!(pacing.paused_for(now), None);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        pacing.taken(now);
        assert_eq!(pacing.throttled(now), FIRST_PAUSE);
    }

    #[test]
    fn a_rate_spaces_submits_evenly() {
        let pacing = Pacing::new(Some(10));
        let now = Instant::now();
        let waits: Vec<u128> = (0..4).map(|_| pacing.slot(now, Duration::from_secs(1)).unwrap().as_millis()).collect();
        assert_eq!(waits, [0, 100, 200, 300]);
        assert_eq!(pacing.slot(now, Duration::from_millis(100)), Err(Duration::from_millis(400)));
        pacing.give_back();
        assert_eq!(pacing.wait(now, Duration::from_millis(100)), Duration::from_millis(200));
        assert_eq!(pacing.slot(now, Duration::from_millis(300)), Ok(Duration::from_millis(300)));
        let later = now + Duration::from_secs(5);
        assert_eq!(pacing.slot(later, Duration::ZERO), Ok(Duration::ZERO), "unused places are not saved up");
    }
}
