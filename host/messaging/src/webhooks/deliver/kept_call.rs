//! What is kept of a call of a shaper.

use domain::ids::DeliveryId;
use plugin_host::{CallTrace, World};
use storage::plugins::Invocation;
use uuid::Uuid;

/// A call worth keeping: all of a client's own plugin, and those of a built-in one that failed.
#[derive(Debug)]
pub(super) struct KeptCall {
    pub(super) plugin: String,
    /// `None` when the plugin was not even started.
    pub(super) trace: Option<CallTrace>,
    pub(super) error: Option<String>,
}

impl KeptCall {
    /// The row of it.
    pub(super) fn into_invocation(self, id: Uuid, delivery: DeliveryId) -> Invocation {
        let world = World::WebhookShaper.as_str().to_owned();
        let error = self.error.as_deref().map(storable);
        let subject = Some(delivery.0);
        let Some(trace) = self.trace else {
            return Invocation {
                id,
                plugin: self.plugin,
                version: String::new(),
                world,
                outcome: "not-started".to_owned(),
                duration_micros: 0,
                peak_memory_bytes: 0,
                logs: String::new(),
                error,
                subject,
            };
        };
        Invocation {
            id,
            plugin: self.plugin,
            version: trace.version.to_string(),
            world,
            outcome: trace.outcome.as_str().to_owned(),
            duration_micros: i64::try_from(trace.duration.as_micros()).unwrap_or(i64::MAX),
            peak_memory_bytes: i64::try_from(trace.peak_memory_bytes).unwrap_or(i64::MAX),
            logs: logs_of(&trace),
            error,
            subject,
        }
    }
}

/// The log lines, then what went to standard error.
fn logs_of(trace: &CallTrace) -> String {
    let mut lines: Vec<&str> = trace.logs.iter().map(|line| line.message.as_str()).collect();
    if !trace.stderr.is_empty() {
        lines.push(&trace.stderr);
    }
    storable(&lines.join("\n"))
}

/// PostgreSQL takes no NUL characters; a plugin may write some.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
