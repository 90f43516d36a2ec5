//! Puts the question of a live call to a shadow after the live answer has taken effect: the same event, the same time,
//! and the same answers of the host. The answer of the shadow is compared and dropped. No live call waits for it.
//! Shadows have their own few places; without a free place a comparison is skipped and counted.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use plugin_host::{CallError, PluginHost, Recording, ShadowPlace};
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{
    Db,
    plugins::{
        differences::{self, AnswerDifference},
        invocations::{self, Invocation},
        shadow_skips::SkippedCount,
    },
};
use uuid::Uuid;

use super::{AnsweringVersion, FinishedCall, trace};
use crate::slots::{Mode, SlotActivation, stored_version};
use base::{Context, Result};

/// A comparison with a shadow that is to be made.
#[derive(Debug)]
pub(super) struct ShadowComparison {
    pub(super) shadow: Arc<SlotActivation>,
    recording: Arc<Recording>,
    live: Arc<AnsweringVersion>,
    subject: Uuid,
    event: Option<String>,
}

impl ShadowComparison {
    /// The comparison for a call; `None` if it has no shadow, or if the live plugin was not called.
    pub(super) fn of(made: FinishedCall) -> Option<Self> {
        Some(Self {
            shadow: made.answering.shadow.clone()?,
            recording: made.recording?,
            event: made.invocation.event,
            live: made.answering,
            subject: made.invocation.subject.unwrap_or_default(),
        })
    }

    fn skipped_count(&self, now: DateTime<Utc>) -> SkippedCount {
        SkippedCount {
            activation: self.shadow.id,
            plugin: self.shadow.plugin.name().to_owned(),
            version: stored_version(&self.shadow.plugin),
            comparisons: 1,
            last_at: now,
        }
    }
}

/// Compares the shadow of a client with calls that took effect together, later and one after the other. Does not wait.
/// Without a free place, these comparisons are skipped and counted.
pub(super) fn spawn(ctx: &Context, client: ClientId, calls: Vec<ShadowComparison>) {
    if calls.is_empty() {
        return;
    }
    let Some(room) = ctx.plugins.shadow_place(client) else {
        count("skipped", calls.len());
        ctx.skipped.count(
            &ctx.db,
            client,
            calls.iter().map(|comparison| comparison.skipped_count(ctx.now())).collect(),
        );
        return;
    };
    // The order of ids is the order of the live calls.
    let ids = || ComparisonIds { invocation: ctx.mint(), difference: ctx.mint() };
    let calls: Vec<_> = calls.into_iter().map(|comparison| (comparison, ids())).collect();
    let mut run = ShadowRun { db: ctx.db.clone(), plugins: Arc::clone(&ctx.plugins), room, client };
    let (skipped, now) = (ctx.skipped.clone(), ctx.now());
    tokio::spawn(async move {
        for (comparison, ids) in calls {
            match run.compare(&comparison, ids).await {
                Ok(true) => {}
                Ok(false) => {
                    count("skipped", 1);
                    skipped.count(&run.db, client, vec![comparison.skipped_count(now)]);
                }
                Err(error) => {
                    tracing::warn!(client.id = %client, error = &error as &dyn std::error::Error,
                        "the answer of a shadow could not be stored");
                    count("lost", 1);
                }
            }
        }
    });
}

fn count(result: &'static str, comparisons: usize) {
    metrics::counter!("patchbay_plugin_shadow_calls_total", "result" => result).increment(comparisons as u64);
}

/// The ids of the rows that a comparison stores.
#[derive(Clone, Copy)]
struct ComparisonIds {
    invocation: Uuid,
    difference: Uuid,
}

/// Comparisons for calls that took effect together.
struct ShadowRun {
    db: Db,
    plugins: Arc<PluginHost>,
    room: ShadowPlace,
    client: ClientId,
}

impl ShadowRun {
    /// Runs the shadow for one call and stores the result. `false` if there was not enough memory for it.
    async fn compare(&mut self, comparison: &ShadowComparison, ids: ComparisonIds) -> Result<bool> {
        let shadow = &comparison.shadow;
        let asked = as_asked(comparison, &self.plugins);
        let replayed = self.plugins.replay_shadow(&mut self.room, self.client, &shadow.plugin, &asked).await;
        let (live, live_words) = comparable(&comparison.recording);
        let (answer, answer_words, row) = match replayed {
            Ok(replay) => {
                let answered = Recording { result: replay.result_now, ..asked };
                let (answer, words) = comparable(&answered);
                let row = row(ids.invocation, comparison, &answered.result, replay.duration, replay.peak_memory_bytes);
                (answer, words, row)
            }
            Err(CallError::TooBusy { .. }) => return Ok(false),
            // A shadow that could not be called is a difference too.
            Err(error) => {
                let result = json!({ "outcome": "not-started", "failure": error.to_string() });
                let row = row(ids.invocation, comparison, &result.to_string(), Duration::ZERO, 0);
                (result.clone(), result, row)
            }
        };
        let same = live == answer;
        count(if same { "same" } else { "different" }, 1);
        let mut tx = self.db.begin().await?;
        invocations::record(&mut tx, self.client, &[row]).await?;
        if !same {
            let difference = AnswerDifference {
                id: ids.difference,
                activation: shadow.id,
                plugin: shadow.plugin.name().to_owned(),
                version: stored_version(&shadow.plugin),
                live_plugin: comparison.live.name().to_owned(),
                live_version: stored_version(&comparison.live.plugin),
                subject: comparison.subject,
                live: live_words.into(),
                shadow: answer_words.into(),
            };
            differences::insert(&mut tx, self.client, &difference).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

#[derive(Default, Deserialize)]
struct Told {
    outcome: String,
    failure: Option<String>,
    #[serde(default)]
    logs: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    level: String,
    message: String,
}

/// The stored row of the shadow's call. `result` is its JSON text.
fn row(
    id: Uuid,
    comparison: &ShadowComparison,
    result: &str,
    duration: Duration,
    peak_memory_bytes: u64,
) -> Invocation {
    let result: Told = serde_json::from_str(result).unwrap_or_default();
    let logs: String =
        result.logs.iter().map(|line| format!("{}: {}\n", line.level.to_lowercase(), line.message)).collect();
    let answering = AnsweringVersion::from(comparison.shadow.as_ref());
    Invocation {
        outcome: result.outcome,
        error: result.failure.map(|failure| trace::storable(&failure, trace::ERROR_LENGTH)),
        duration_micros: i64::try_from(duration.as_micros()).unwrap_or(i64::MAX),
        peak_memory_bytes: i64::try_from(peak_memory_bytes).unwrap_or(i64::MAX),
        logs: trace::storable(&logs, usize::MAX),
        event: comparison.event.clone(),
        mode: Mode::Shadow.as_str().to_owned(),
        ..trace::invocation(id, &answering, None, None, comparison.subject)
    }
}

/// The live call with the shadow's own configuration, allowed hosts and HTTP limits.
fn as_asked(comparison: &ShadowComparison, plugins: &PluginHost) -> Recording {
    Recording {
        config: comparison.shadow.call_config().to_string(),
        allowed_hosts: comparison.shadow.allowed_hosts.clone(),
        limits: comparison.recording.limits.clone().with_http(comparison.shadow.http_limits, plugins.limits()),
        stopped_after: None,
        ..comparison.recording.as_ref().clone()
    }
}

/// The compared parts of a result, which are all but the log lines: in exact and in readable form.
fn comparable(recording: &Recording) -> (Value, Value) {
    let exact: Value = serde_json::from_str(&recording.result).unwrap_or_default();
    let words = recording.to_json().get_mut("result").map(Value::take).unwrap_or_default();
    (without_logs(exact), without_logs(words))
}

/// Text of customers may contain characters that PostgreSQL cannot store.
fn without_logs(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.remove("logs");
    }
    without_nul(&mut result);
    result
}

fn without_nul(value: &mut Value) {
    match value {
        Value::String(text) if text.contains('\0') => *text = text.replace('\0', "\u{fffd}"),
        Value::Array(items) => items.iter_mut().for_each(without_nul),
        Value::Object(fields) => fields.values_mut().for_each(without_nul),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_a_plugin_make_no_difference() {
        let live = json!({ "outcome": "answered", "answer": ["hi"], "logs": [{ "level": "info", "message": "a" }] });
        assert_eq!(without_logs(live), json!({ "outcome": "answered", "answer": ["hi"] }));
    }

    #[test]
    fn characters_that_the_database_refuses_are_replaced() {
        assert_eq!(without_logs(json!({ "answer": ["a\0b"] })), json!({ "answer": ["a\u{fffd}b"] }));
    }
}
