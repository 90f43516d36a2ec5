//! The JSON of plugins.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::ids::InboxId;
use plugins::{
    Difference, Invocation, Origin, Plugin, PluginEvent, Skipped, Version,
    slots::{Activation, RecordingTerms},
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use uuid::Uuid;

use crate::page::PageBody;

pub(super) fn time(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// When a UUIDv7 was minted.
fn time_of(id: Uuid) -> Option<String> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    Some(time(DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?))
}

/// A plugin and its newest version; the answer of an upload, too.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PluginBody {
    name: String,
    version: u64,
    world: Option<String>,
    sha256: String,
    size: u64,
    imports: Vec<String>,
    state: &'static str,
    source: &'static str,
    created_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activations: Option<Vec<ActivationBody>>,
}

const READY: &str = "READY";

impl From<Plugin> for PluginBody {
    fn from(plugin: Plugin) -> Self {
        Self {
            name: plugin.name,
            version: plugin.version,
            world: plugin.world.map(|world| world.as_str().to_owned()),
            sha256: plugin.sha256,
            size: plugin.size,
            imports: plugin.imports,
            state: if plugin.ready { READY } else { "BROKEN" },
            source: match plugin.origin {
                Origin::Uploaded => UPLOADED,
                Origin::BuiltIn => "built-in",
                Origin::Directory => "directory",
            },
            created_time: plugin.created_at.map(time),
            api_version: plugin.api_version,
            config_schema: plugin.config_schema,
            last_error: plugin.last_error,
            activations: Some(plugin.activations.into_iter().map(ActivationBody::from).collect()),
        }
    }
}

const UPLOADED: &str = "uploaded";

impl From<Version> for PluginBody {
    fn from(version: Version) -> Self {
        Self {
            name: version.name,
            version: u64::from(version.version.unsigned_abs()),
            world: Some(version.world),
            sha256: version.sha256,
            size: version.size.unsigned_abs(),
            imports: version.imports,
            state: READY,
            source: UPLOADED,
            created_time: Some(time(version.created_at)),
            api_version: Some(version.api_version),
            config_schema: version.config_schema.map(|schema| schema.0),
            last_error: None,
            activations: None,
        }
    }
}

/// A plugin with its versions, newest first.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DetailBody {
    #[serde(flatten)]
    pub(super) plugin: PluginBody,
    pub(super) versions: Vec<VersionBody>,
    pub(super) total_versions: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VersionBody {
    version: i32,
    sha256: String,
    size: i64,
    api_version: String,
    imports: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_schema: Option<Value>,
    state: &'static str,
    created_by: Option<String>,
    created_time: String,
}

impl From<Version> for VersionBody {
    fn from(version: Version) -> Self {
        Self {
            version: version.version,
            sha256: version.sha256,
            size: version.size,
            api_version: version.api_version,
            imports: version.imports,
            config_schema: version.config_schema.map(|schema| schema.0),
            state: READY,
            created_by: version.created_by.map(|user| user.to_string()),
            created_time: time(version.created_at),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActivationBody {
    id: Uuid,
    plugin: String,
    version: Option<u32>,
    world: &'static str,
    whats_app_number_id: Option<InboxId>,
    mode: &'static str,
    percent: u8,
    error_threshold: u8,
    minimum_calls: u32,
    config: Value,
    allowed_hosts: Vec<String>,
    recording: Option<RecordingBody>,
    activated_time: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecordingBody {
    sample: f64,
    max_calls: u32,
    max_bytes: u64,
    until: String,
    stop_reason: Option<String>,
}

impl From<RecordingTerms> for RecordingBody {
    fn from(terms: RecordingTerms) -> Self {
        Self {
            sample: terms.sample,
            max_calls: terms.max_calls,
            max_bytes: terms.max_bytes,
            until: time(terms.until),
            stop_reason: terms.stopped,
        }
    }
}

impl From<Activation> for ActivationBody {
    fn from(activation: Activation) -> Self {
        Self {
            id: activation.id,
            plugin: activation.plugin.name().to_owned(),
            version: activation.plugin.version(),
            world: activation.world.as_str(),
            whats_app_number_id: activation.inbox,
            mode: activation.mode.as_str(),
            percent: activation.percent,
            error_threshold: activation.error_threshold,
            minimum_calls: activation.minimum_calls,
            config: activation.config,
            allowed_hosts: activation.allowed_hosts,
            recording: activation.recording.map(RecordingBody::from),
            activated_time: time(activation.activated_at),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InvocationBody {
    id: Uuid,
    time: Option<String>,
    version: String,
    world: String,
    mode: String,
    outcome: String,
    duration_micros: i64,
    peak_memory_bytes: i64,
    logs: Vec<String>,
    error: Option<String>,
    subject_id: Option<Uuid>,
    activation_id: Option<Uuid>,
}

impl From<Invocation> for InvocationBody {
    fn from(invocation: Invocation) -> Self {
        Self {
            id: invocation.id,
            time: time_of(invocation.id),
            version: invocation.version,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventBody {
    id: Uuid,
    time: String,
    kind: String,
    plugin: String,
    version: Option<i32>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DifferenceBody {
    id: Uuid,
    time: Option<String>,
    activation_id: Uuid,
    plugin: String,
    version: Option<i32>,
    live_plugin: String,
    live_version: Option<i32>,
    subject_id: Uuid,
    live: Value,
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
#[derive(Serialize)]
pub(super) struct DifferencesBody {
    #[serde(flatten)]
    pub(super) page: PageBody<DifferenceBody>,
    pub(super) skipped: Vec<SkippedBody>,
}

/// Comparisons that there was no room for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkippedBody {
    activation_id: Uuid,
    version: Option<i32>,
    comparisons: i64,
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

/// A recorded call. `recording` is what the plugin host wrote, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedBody {
    id: Uuid,
    time: Option<String>,
    activation_id: Uuid,
    plugin: String,
    version: Option<i32>,
    world: String,
    subject_id: Uuid,
    recording: Box<RawValue>,
}

impl RecordedBody {
    /// What is not JSON, which this program does not write, is shown as null.
    pub(super) fn of(recorded: plugins::Recording) -> Self {
        Self {
            id: recorded.id,
            time: time_of(recorded.id),
            activation_id: recorded.activation,
            plugin: recorded.plugin,
            version: recorded.version,
            world: recorded.world,
            subject_id: recorded.subject,
            recording: RawValue::from_string(recorded.recording).unwrap_or_else(|_| RawValue::NULL.to_owned()),
        }
    }
}
