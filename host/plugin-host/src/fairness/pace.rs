//! Calls per second: a token bucket that may go negative, so that waiting calls are served in order.

use std::time::Duration;

use domain::token_bucket::{TokenBucket, TokenRate};
use tokio::time::Instant;

use crate::calling::limits::CallLimits;

/// Seconds whose unused calls may be made at once.
const BURST_SECONDS: f64 = 2.0;

pub(super) struct CallPace(TokenBucket);

impl CallPace {
    pub(super) fn new(limits: &CallLimits) -> Self {
        Self(TokenBucket::full(rate(limits), Instant::now().into_std()))
    }

    /// The wait until the next call, which is then taken. `None` if it is longer than a call may wait.
    pub(super) fn take_turn(&mut self, limits: &CallLimits) -> Option<Duration> {
        let (rate, present) = (rate(limits), Instant::now().into_std());
        let wait = self.0.ready(rate, 1.0, present).err().unwrap_or_default();
        if wait > limits.queue_wait {
            return None;
        }
        self.0.charge(rate, 1.0, present);
        Some(wait)
    }

    pub(super) fn has_debts(&mut self, limits: &CallLimits) -> bool {
        !self.0.is_full(rate(limits), Instant::now().into_std())
    }
}

fn rate(limits: &CallLimits) -> TokenRate {
    let per_second = f64::from(limits.calls_per_second.max(1));
    TokenRate { per_second, most: per_second * BURST_SECONDS }
}
