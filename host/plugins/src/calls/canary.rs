//! Withdraws a canary that fails too often.

use domain::ids::ClientId;
use storage::{
    PgConnection,
    plugins::invocations::{self, Tally},
};

use super::FinishedCall;
use base::{Context, Result};

/// Outcomes that say nothing about the plugin.
const IGNORED: &[&str] = &["not-started", "key-values-unavailable"];

pub(super) async fn judge(ctx: &Context, db: &mut PgConnection, client: ClientId, made: &FinishedCall) -> Result<()> {
    let Some(canary) = &made.answering.canary else { return Ok(()) };
    let last = made.invocation.error.as_deref().unwrap_or("no answer");
    let reason = if made.hopeless {
        last.to_owned()
    } else {
        let tally = invocations::tally(db, client, canary.id, IGNORED).await?;
        match verdict(tally, canary.minimum_calls, canary.error_threshold) {
            Some(words) => format!("{words}; the last failure: {last}"),
            None => return Ok(()),
        }
    };
    let plugin = made.answering.name();
    // `false` if another process has already withdrawn it.
    if crate::fail_canary(ctx, db, client, canary, &reason).await? {
        tracing::warn!(client.id = %client, plugin, activation.id = %canary.id,
            "a canary failed too often and was rolled back; the events of the plugin have the reason");
        metrics::counter!("patchbay_plugin_canaries_taken_back_total").increment(1);
    }
    Ok(())
}

/// The reason for a withdrawal, if there is one. `error_threshold` is in percent of all calls.
fn verdict(tally: Tally, minimum_calls: u32, error_threshold: u8) -> Option<String> {
    let Tally { calls, failures } = tally;
    let judged = calls >= i64::from(minimum_calls);
    (judged && failures * 100 > calls * i64::from(error_threshold))
        .then(|| format!("{failures} of its {calls} calls failed, and at most {error_threshold} % may"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(calls: i64, failures: i64) -> Tally {
        Tally { calls, failures }
    }

    #[test]
    fn a_canary_is_judged_from_its_minimum_of_calls_on() {
        assert_eq!(verdict(of(19, 19), 20, 10), None);
        assert!(verdict(of(20, 20), 20, 10).is_some());
    }

    #[test]
    fn a_canary_may_fail_as_often_as_its_threshold_says() {
        assert_eq!(verdict(of(20, 2), 20, 10), None);
        let words = verdict(of(20, 3), 20, 10).unwrap();
        assert_eq!(words, "3 of its 20 calls failed, and at most 10 % may");
        assert!(verdict(of(1, 1), 1, 0).is_some(), "none may fail");
    }
}
