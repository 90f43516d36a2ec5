//! The JSON of what is kept of plugins: their calls, what happened to them, where shadows differed, what was recorded.

use chrono::DateTime;
use plugins::{Difference, Invocation, PluginEvent, Skipped};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use utoipa::ToSchema;
use uuid::Uuid;

use super::plugin_bodies::{WorldName, time};
use crate::page::Page;

/// When a UUIDv7 was minted.
fn time_of(id: Uuid) -> Option<String> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    Some(time(DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invocation)]
pub(super) struct InvocationBody {
    /// Of the call.
    id: Uuid,
    /// When.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// Of the plugin; of one that ships with the program or lies in its directory, its generation in the process that called
    /// it. Null when it was not called.
    version: Option<u64>,
    /// What was decided.
    #[schema(value_type = WorldName)]
    world: String,
    /// How the plugin was in force, or `trial` and the like.
    mode: String,
    /// `answered`, or what went wrong: `refused`, `trapped`, `timed-out`, `limit-exceeded`, `bad-answer`, `key-values-unavailable` and others.
    outcome: String,
    /// How long it took.
    #[schema(minimum = 0)]
    duration_micros: i64,
    /// Memory that it used at most.
    #[schema(minimum = 0)]
    peak_memory_bytes: i64,
    /// What it logged, line by line.
    logs: Vec<String>,
    /// What went wrong, in words.
    error: Option<String>,
    /// What the call was about, such as a chat participant.
    subject_id: Option<Uuid>,
    /// By which activation it was called.
    activation_id: Option<Uuid>,
}

impl From<Invocation> for InvocationBody {
    fn from(invocation: Invocation) -> Self {
        Self {
            id: invocation.id,
            time: time_of(invocation.id),
            version: invocation.version.parse().ok(),
            world: invocation.world,
            mode: invocation.mode,
            outcome: invocation.outcome,
            duration_micros: invocation.duration_micros,
            peak_memory_bytes: invocation.peak_memory_bytes,
            logs: invocation.logs.lines().map(str::to_owned).collect(),
            error: invocation.error,
            subject_id: invocation.subject,
            activation_id: invocation.activation,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginEvent)]
pub(super) struct EventBody {
    /// Of the event.
    id: Uuid,
    /// When.
    #[schema(format = DateTime)]
    time: String,
    /// What happened.
    kind: String,
    /// Name of the plugin.
    plugin: String,
    /// Its version.
    version: Option<i32>,
    /// Why.
    reason: Option<String>,
}

impl From<PluginEvent> for EventBody {
    fn from(event: PluginEvent) -> Self {
        Self {
            id: event.id,
            time: time(event.at),
            kind: event.kind,
            plugin: event.plugin,
            version: event.version,
            reason: event.reason,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Difference)]
pub(super) struct DifferenceBody {
    /// Of the difference.
    id: Uuid,
    /// When.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// Of the shadow.
    activation_id: Uuid,
    /// Name of the shadow.
    plugin: String,
    /// Its version.
    version: Option<i32>,
    /// Name of what was live.
    live_plugin: String,
    /// Its version.
    live_version: Option<i32>,
    /// What the call was about, such as a chat participant.
    subject_id: Uuid,
    /// What the live one decided.
    #[schema(value_type = Value)]
    live: Value,
    /// What the shadow decided.
    #[schema(value_type = Value)]
    shadow: Value,
}

impl From<Difference> for DifferenceBody {
    fn from(difference: Difference) -> Self {
        Self {
            id: difference.id,
            time: time_of(difference.id),
            activation_id: difference.activation,
            plugin: difference.plugin,
            version: difference.version,
            live_plugin: difference.live_plugin,
            live_version: difference.live_version,
            subject_id: difference.subject,
            live: difference.live.0,
            shadow: difference.shadow.0,
        }
    }
}

/// Where shadows differed, and how often they could not be asked.
#[derive(Serialize, ToSchema)]
#[schema(as = Differences)]
pub(super) struct DifferencesBody {
    #[serde(flatten)]
    pub(super) page: Page<DifferenceBody>,
    /// Comparisons that there was no room for.
    pub(super) skipped: Vec<SkippedBody>,
}

/// Comparisons that there was no room for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SkippedComparisons)]
pub(super) struct SkippedBody {
    /// Of the shadow.
    activation_id: Uuid,
    /// Its version.
    version: Option<i32>,
    /// How many.
    #[schema(minimum = 0)]
    comparisons: i64,
    /// When last.
    #[schema(format = DateTime)]
    last_time: String,
}

impl From<Skipped> for SkippedBody {
    fn from(skipped: Skipped) -> Self {
        Self {
            activation_id: skipped.activation,
            version: skipped.version,
            comparisons: skipped.comparisons,
            last_time: time(skipped.last_at),
        }
    }
}

/// A recorded call.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecordedCall)]
pub(super) struct RecordedBody {
    /// Of the recording.
    id: Uuid,
    /// When.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// By which activation it was called.
    activation_id: Uuid,
    /// Name of the plugin.
    plugin: String,
    /// Its version.
    version: Option<i32>,
    /// What was decided.
    #[schema(value_type = WorldName)]
    world: String,
    /// What the call was about, such as a chat participant.
    subject_id: Uuid,
    /// All that the call was given, and what came of it.
    #[schema(value_type = Value)]
    recording: Box<RawValue>,
}

impl RecordedBody {
    /// Exactly as it is kept, or in the words of the rest of the API. What is not JSON, which this program does not write,
    /// is shown as null.
    pub(super) fn of(recorded: plugins::Recording, is_exact: bool) -> Self {
        let shown = if is_exact { recorded.recording.clone() } else { plugins::readable(&recorded).to_string() };
        Self {
            id: recorded.id,
            time: time_of(recorded.id),
            activation_id: recorded.activation,
            plugin: recorded.plugin,
            version: recorded.version,
            world: recorded.world,
            subject_id: recorded.subject,
            recording: RawValue::from_string(shown).unwrap_or_else(|_| RawValue::NULL.to_owned()),
        }
    }
}
