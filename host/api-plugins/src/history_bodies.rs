//! The JSON of the history of plugins: calls, events, differences of shadows, and recordings.

use api_core::page::Page;
use chrono::DateTime;
use domain::iso_time::iso_time;
use plugins::{AnswerDifference, Invocation, PluginEvent, SkippedCount};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::closed_sets::{OutcomeName, WorldName};

fn time_of(id: Uuid) -> Option<String> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    Some(iso_time(DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invocation)]
pub(super) struct InvocationBody {
    /// Id of the call.
    id: Uuid,
    /// Time of the call.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// Version of the plugin. For a built-in plugin or one in `plugins.dir`, its generation in the process that called
    /// it. Null if it was not called.
    version: Option<u64>,
    /// The world of the call.
    #[schema(value_type = WorldName)]
    world: String,
    /// Mode of the activation, or `trial` and others.
    mode: String,
    /// `answered`, or the failure.
    #[schema(value_type = OutcomeName)]
    outcome: String,
    /// Duration of the call.
    #[schema(minimum = 0)]
    duration_micros: i64,
    /// Most memory that the call used.
    #[schema(minimum = 0)]
    peak_memory_bytes: i64,
    /// For a chatbot: the event of the call, such as `message` or `timer`.
    event: Option<String>,
    /// For a failed call of a chatbot: the consequence for the chat, such as `handed to people because ..`. For the end of a
    /// request that was not given to the chatbot (`not-started`): the reason.
    consequence: Option<String>,
    /// Log lines of the call.
    logs: Vec<String>,
    /// The failure as a text for people.
    error: Option<String>,
    /// The subject of the call, such as a chat participant.
    subject_id: Option<Uuid>,
    /// The activation that made the call.
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
            event: invocation.event,
            consequence: invocation.consequence,
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
    /// Id of the event.
    id: Uuid,
    /// Time of the event.
    #[schema(format = DateTime)]
    time: String,
    /// Kind of event.
    kind: String,
    /// Name of the plugin.
    plugin: String,
    /// Its version.
    version: Option<i32>,
    /// The reason.
    reason: Option<String>,
}

impl From<PluginEvent> for EventBody {
    fn from(event: PluginEvent) -> Self {
        Self {
            id: event.id,
            time: iso_time(event.at),
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
    /// Id of the difference.
    id: Uuid,
    /// Time of the call.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// Activation of the shadow.
    activation_id: Uuid,
    /// Name of the shadow.
    plugin: String,
    /// Its version.
    version: Option<i32>,
    /// Name of the live plugin.
    live_plugin: String,
    /// Its version.
    live_version: Option<i32>,
    /// The subject of the call, such as a chat participant.
    subject_id: Uuid,
    /// Decision of the live plugin.
    #[schema(value_type = Value)]
    live: Value,
    /// Decision of the shadow.
    #[schema(value_type = Value)]
    shadow: Value,
}

impl From<AnswerDifference> for DifferenceBody {
    fn from(difference: AnswerDifference) -> Self {
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

/// Differences of shadows, and the number of skipped comparisons.
#[derive(Serialize, ToSchema)]
#[schema(as = Differences)]
pub(super) struct DifferencesBody {
    #[serde(flatten)]
    pub(super) page: Page<DifferenceBody>,
    /// Comparisons that were skipped because there was no capacity.
    pub(super) skipped: Vec<SkippedBody>,
}

/// Comparisons that were skipped because there was no capacity.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SkippedComparisons)]
pub(super) struct SkippedBody {
    /// Activation of the shadow.
    activation_id: Uuid,
    /// Its version.
    version: Option<i32>,
    /// Number of skipped comparisons.
    #[schema(minimum = 0)]
    comparisons: i64,
    /// Time of the last one.
    #[schema(format = DateTime)]
    last_time: String,
}

impl From<SkippedCount> for SkippedBody {
    fn from(skipped: SkippedCount) -> Self {
        Self {
            activation_id: skipped.activation,
            version: skipped.version,
            comparisons: skipped.comparisons,
            last_time: iso_time(skipped.last_at),
        }
    }
}

/// A recorded call.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecordedCall)]
pub(super) struct RecordedBody {
    /// Id of the recording.
    id: Uuid,
    /// Time of the call.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// The activation that made the call.
    activation_id: Uuid,
    /// Name of the plugin.
    plugin: String,
    /// Its version.
    version: Option<i32>,
    /// The world of the call.
    #[schema(value_type = WorldName)]
    world: String,
    /// The subject of the call, such as a chat participant.
    subject_id: Uuid,
    /// All input and output of the call.
    #[schema(value_type = Value)]
    recording: Box<RawValue>,
}

impl RecordedBody {
    /// Shows a recording as it is stored, or in the terms of the rest of the API. A value that is not JSON is shown as null.
    pub(super) fn of(recorded: plugins::RecordingRow, is_exact: bool) -> Self {
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
