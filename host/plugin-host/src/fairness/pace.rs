//! Calls per second: a token bucket that may go negative, so that waiting calls are served in order.

use std::time::Duration;

use tokio::time::Instant;

use crate::calling::limits::CallLimits;

/// Seconds whose unused calls may be made at once.
const BURST_SECONDS: f64 = 2.0;

pub(super) struct CallPace {
    calls: f64,
    at: Instant,
}

impl CallPace {
    pub(super) fn new(limits: &CallLimits) -> Self {
        Self { calls: burst(limits), at: Instant::now() }
    }

    /// The wait until the next call, which is then taken. `None` if it is longer than a call may wait.
    pub(super) fn take_turn(&mut self, limits: &CallLimits) -> Option<Duration> {
        self.fill(limits);
        let owed = (1.0 - self.calls).max(0.0);
        let wait = Duration::from_secs_f64(owed / f64::from(limits.calls_per_second.max(1)));
        if wait > limits.queue_wait {
            return None;
        }
        self.calls -= 1.0;
        Some(wait)
    }

    pub(super) fn has_debts(&mut self, limits: &CallLimits) -> bool {
        self.fill(limits);
        self.calls < burst(limits)
    }

    fn fill(&mut self, limits: &CallLimits) {
        let present = Instant::now();
        let gained = present.duration_since(self.at).as_secs_f64() * f64::from(limits.calls_per_second.max(1));
        self.calls = (self.calls + gained).min(burst(limits));
        self.at = present;
    }
}

fn burst(limits: &CallLimits) -> f64 {
    f64::from(limits.calls_per_second.max(1)) * BURST_SECONDS
}
