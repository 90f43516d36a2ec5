//! SIGKILL at random moments, as the tests do it, for longer and at least as often.

use std::time::{Duration, Instant};

use crate::{kill, sms_kill};

/// The cases.
pub const KILLS: [&str; 2] = ["whatsapp-kills", "sms-kills"];

/// Runs a case and returns its counts.
///
/// # Panics
///
/// If a message was lost or doubled.
pub async fn run(case: &str, length: Duration) -> String {
    let began = Instant::now();
    let goes_on = |at_least: usize| move |kills: usize| kills < at_least || began.elapsed() < length;
    let seed = rand::random();
    if case == "sms-kills" {
        sms_kill::killed_at_random(seed, goes_on(sms_kill::KILLS)).await
    } else {
        kill::killed_at_random(seed, goes_on(kill::KILLS)).await
    }
}
