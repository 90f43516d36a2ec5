use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::SmppSettings;

/// Time until the next check during a probe. All waiting messages are woken at its end, so this is rarely used.
const PROBE_CHECK_DELAY: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(super) struct Pacing {
    /// Time between two submits, if a rate is set.
    interval: Option<Duration>,
    first_pause: Duration,
    longest_pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The end of the pause; the pause counts until a submit is accepted after it.
    paused_until: Option<Instant>,
    pause: Duration,
    /// True while the probing submit after a pause is under way.
    probing: bool,
    next_slot: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SubmitPermit {
    pub wait: Duration,
    pub is_probe: bool,
}

impl State {
    fn remaining_pause(&self, now: Instant) -> Option<Duration> {
        let left = self.paused_until?.saturating_duration_since(now);
        match left.is_zero() {
            true => self.probing.then_some(PROBE_CHECK_DELAY),
            false => Some(left),
        }
    }
}

impl Pacing {
    pub(super) fn new(rate: Option<u32>, settings: &SmppSettings) -> Self {
        Self {
            interval: rate.map(|rate| Duration::from_secs(1) / rate),
            first_pause: settings.throttle_first,
            longest_pause: settings.throttle_longest,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// How long the bind gives no place: the rest of the pause, or of the probe after it.
    pub(super) fn paused_for(&self, now: Instant) -> Option<Duration> {
        self.state().remaining_pause(now)
    }

    /// The pause doubles. Several such answers to submits that were under way together count once.
    pub(super) fn throttle(&self, now: Instant) -> Duration {
        let mut state = self.state();
        if let Some(left) = state.paused_until.map(|until| until.saturating_duration_since(now))
            && !left.is_zero()
        {
            return left;
        }
        state.pause = if state.pause.is_zero() { self.first_pause } else { (state.pause * 2).min(self.longest_pause) };
        state.paused_until = Some(now + state.pause);
        state.probing = false;
        state.pause
    }

    /// A submit was accepted after the pause: the next pause starts small again.
    pub(super) fn note_accepted(&self, now: Instant) {
        let mut state = self.state();
        if state.paused_until.is_some_and(|until| until <= now) {
            state.paused_until = None;
            state.pause = Duration::ZERO;
            state.probing = false;
        }
    }

    /// The probe ended without a result, or was not made: another one may follow.
    pub(super) fn probe_ended(&self) {
        self.state().probing = false;
    }

    /// Reserves the next place in the rate, unless it is more than `longest` ahead or the bind is paused.
    pub(super) fn admit(&self, now: Instant, longest: Duration) -> Option<SubmitPermit> {
        let mut state = self.state();
        if state.remaining_pause(now).is_some() {
            return None;
        }
        let wait = self.place(&mut state, now, longest)?;
        let is_probe = state.paused_until.is_some();
        state.probing = is_probe;
        Some(SubmitPermit { wait, is_probe })
    }

    pub(super) fn next(&self, now: Instant) -> Duration {
        self.place(&mut self.state(), now, Duration::MAX).unwrap_or_default()
    }

    fn place(&self, state: &mut State, now: Instant, longest: Duration) -> Option<Duration> {
        let Some(interval) = self.interval else { return Some(Duration::ZERO) };
        let at = state.next_slot.map_or(now, |slot| slot.max(now));
        let wait = at - now;
        if wait > longest {
            return None;
        }
        state.next_slot = Some(at + interval);
        Some(wait)
    }

    pub(super) fn wait(&self, now: Instant, longest: Duration) -> Duration {
        let next = self.state().next_slot;
        next.map_or(Duration::ZERO, |slot| slot.saturating_duration_since(now)).saturating_sub(longest)
    }

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

    fn pacing(rate: Option<u32>) -> Pacing {
        Pacing::new(rate, &SmppSettings::default())
    }

    #[test]
    fn pauses_double_up_to_half_a_minute_and_start_over_after_success() {
        let pacing = pacing(None);
        let mut now = Instant::now();
        let mut pauses = Vec::new();
        for _ in 0..7 {
            let pause = pacing.throttle(now);
            pauses.push(pause.as_secs());
            assert_eq!(pacing.throttle(now + pause / 2), pause / 2, "answers of one burst count once");
            now += pause;
            assert_eq!(pacing.paused_for(now), None);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        pacing.note_accepted(now);
        assert_eq!(pacing.throttle(now), Duration::from_secs(1));
    }

    #[test]
    fn after_a_pause_one_submit_probes_and_the_others_wait_for_it() {
        let pacing = pacing(None);
        let now = Instant::now();
        let first = pacing.admit(now, Duration::ZERO).unwrap();
        assert!(!first.is_probe && !pacing.admit(now, Duration::ZERO).unwrap().is_probe);
        let later = now + pacing.throttle(now);
        assert_eq!(pacing.admit(later - Duration::from_millis(1), Duration::ZERO), None);
        assert!(pacing.admit(later, Duration::ZERO).unwrap().is_probe);
        assert_eq!(pacing.admit(later, Duration::ZERO), None, "one probes");
        assert!(pacing.paused_for(later).is_some());
        pacing.probe_ended();
        assert!(pacing.admit(later, Duration::ZERO).unwrap().is_probe, "nothing came of the first one");
        let again = later + pacing.throttle(later);
        assert!(pacing.admit(again, Duration::ZERO).unwrap().is_probe);
        pacing.note_accepted(again);
        assert!(
            !pacing.admit(again, Duration::ZERO).unwrap().is_probe && pacing.admit(again, Duration::ZERO).is_some()
        );
    }

    #[test]
    fn a_rate_spaces_submits_evenly() {
        let pacing = pacing(Some(10));
        let now = Instant::now();
        let admitted = |now, longest| pacing.admit(now, Duration::from_millis(longest)).map(|one| one.wait.as_millis());
        assert_eq!([(); 4].map(|()| admitted(now, 1_000)), [Some(0), Some(100), Some(200), Some(300)]);
        assert_eq!(admitted(now, 100), None);
        pacing.give_back();
        assert_eq!(pacing.wait(now, Duration::from_millis(100)), Duration::from_millis(200));
        assert_eq!(admitted(now, 300), Some(300));
        let later = now + Duration::from_secs(5);
        assert_eq!(admitted(later, 0), Some(0), "unused places are not saved up");
    }
}
