//! How long one thing takes that is done again and again.

use std::time::{Duration, Instant};

/// No series continues for longer.
const LONGEST: Duration = Duration::from_secs(60);

/// Times in milliseconds, sorted.
pub struct Times(Vec<f64>);

impl Times {
    /// Runs `one` so many times, or until it has taken a minute. A run that is not done within `patience` counts with
    /// that time.
    pub async fn of(count: usize, patience: Duration, mut one: impl AsyncFnMut(usize) -> Option<Duration>) -> Self {
        let began = Instant::now();
        let mut took = Vec::with_capacity(count);
        for number in 0..count {
            took.push(one(number).await.unwrap_or(patience).as_secs_f64() * 1e3);
            if began.elapsed() > LONGEST {
                break;
            }
        }
        took.sort_by(f64::total_cmp);
        Self(took)
    }

    /// Of things that were timed already.
    pub fn from(took: Vec<Duration>) -> Self {
        let mut took: Vec<f64> = took.into_iter().map(|one| one.as_secs_f64() * 1e3).collect();
        took.sort_by(f64::total_cmp);
        Self(took)
    }

    /// Half of them took at most this.
    pub fn p50(&self) -> f64 {
        self.0[(self.0.len() - 1) / 2]
    }

    /// 95 of a hundred took at most this.
    pub fn p95(&self) -> f64 {
        self.0[(self.0.len() - 1) * 95 / 100]
    }

    /// All of them took at most this.
    pub fn longest(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    /// 99 of a hundred took at most this.
    pub fn p99(&self) -> f64 {
        self.0[(self.0.len() - 1) * 99 / 100]
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms, longest {:.1} ms of {}",
            self.p50(),
            self.p95(),
            self.p99(),
            self.longest(),
            self.0.len()
        )
    }
}
