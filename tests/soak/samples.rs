//! How long an action took, again and again.

use std::{collections::BTreeMap, time::Duration};

/// The times of one action, and the attempts that failed.
#[derive(Debug, Default, Clone)]
pub struct Samples {
    times: Vec<Duration>,
    failures: BTreeMap<String, usize>,
}

impl Samples {
    /// Adds an attempt.
    pub fn add(&mut self, took: Duration, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.times.push(took),
            Err(reason) => *self.failures.entry(reason).or_default() += 1,
        }
    }

    /// Half of the attempts took at most this. An action that never succeeded has no time.
    pub fn median(&self) -> Option<Duration> {
        self.at(50)
    }

    /// 99 of 100 attempts took at most this; of fewer than 100, all.
    pub fn p99(&self) -> Option<Duration> {
        self.at(99)
    }

    fn at(&self, percent: usize) -> Option<Duration> {
        let mut sorted = self.times.clone();
        sorted.sort();
        let last = sorted.len().checked_sub(1)?;
        sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1).min(last)).copied()
    }

    /// How many succeeded.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// How many failed.
    pub fn failed(&self) -> usize {
        self.failures.values().sum()
    }

    /// Why, with a count each.
    pub fn reasons(&self) -> String {
        let reasons: Vec<String> = self.failures.iter().map(|(reason, count)| format!("{count}x {reason}")).collect();
        reasons.join(", ")
    }
}
