//! The rates that Meta enforces: per number (130429) and per pair of number and phone (131056).

use std::collections::HashMap;
use std::time::Instant;

use super::errors::SimulatedGraphError;
use crate::faults::FaultSwitches;

/// Messages to one phone in a burst, then one per [`PAIR_SECONDS`] (PROVIDERS A.11).
const PAIR_BURST: f64 = 45.0;
const PAIR_SECONDS: f64 = 6.0;

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn take(&mut self, burst: f64, per_second: f64) -> bool {
        let now = Instant::now();
        let earned = now.duration_since(self.filled).as_secs_f64() * per_second;
        self.tokens = (self.tokens + earned).min(burst);
        self.filled = now;
        let allowed = self.tokens >= 1.0;
        if allowed {
            self.tokens -= 1.0;
        }
        allowed
    }
}

#[derive(Debug, Default)]
pub(crate) struct GraphAllowance {
    numbers: HashMap<String, Bucket>,
    pairs: HashMap<(String, String), Bucket>,
}

impl GraphAllowance {
    /// `throughput` is in messages per second, with a burst of two seconds.
    pub(crate) fn count(
        &mut self,
        faults: &FaultSwitches,
        phone_number_id: &str,
        throughput: u32,
        msisdn: &str,
    ) -> Result<(), SimulatedGraphError> {
        if faults.limits_numbers() {
            let rate = f64::from(throughput);
            let bucket = self
                .numbers
                .entry(phone_number_id.to_owned())
                .or_insert_with(|| Bucket { tokens: rate * 2.0, filled: Instant::now() });
            if !bucket.take(rate * 2.0, rate) {
                return Err(SimulatedGraphError::plain(429, 130_429));
            }
        }
        if faults.limits_pairs() {
            let bucket = self
                .pairs
                .entry((phone_number_id.to_owned(), msisdn.to_owned()))
                .or_insert_with(|| Bucket { tokens: PAIR_BURST, filled: Instant::now() });
            if !bucket.take(PAIR_BURST, 1.0 / PAIR_SECONDS) {
                return Err(SimulatedGraphError::plain(429, 131_056));
            }
        }
        Ok(())
    }
}
