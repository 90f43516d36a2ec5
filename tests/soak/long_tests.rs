//! Tests that need minutes by nature: `make test` has a short version of most.

use std::time::{Duration, Instant};

use crate::{console_day, llm_bot, long_stories, plugin_swaps, schema};

/// The cases.
pub const LONG: [&str; 5] = ["plugin-swaps", "schemathesis", "console-day", "console-stories", "slow-model"];
/// As long as a model may take (`docs/plugins/llm.md`).
const SLOW_MODEL: Duration = Duration::from_secs(40);

/// Runs a case; answers what was counted.
///
/// # Panics
///
/// When the test fails.
pub async fn run(case: &str, length: Duration) -> String {
    if case == "schemathesis" {
        let seed = u64::from(rand::random::<u32>());
        schema::try_out(length.as_secs(), seed).await;
        return format!("seed {seed}: every answer is one that the document allows");
    }
    if case == "console-day" {
        return console_day::worked_for(length).await;
    }
    if case == "console-stories" {
        return long_stories::played().await;
    }
    if case == "slow-model" {
        return llm_bot::answered_after(SLOW_MODEL).await;
    }
    let began = Instant::now();
    plugin_swaps::swapped_under_load(length, |swaps| swaps < plugin_swaps::SWAPS || began.elapsed() < length).await
}
