//! The JSON of plugins, their versions and what is in force of them.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::ids::InboxId;
use plugins::{
    Origin, Plugin, Version,
    slots::{Activation, RecordingTerms},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// What a plugin decides, by name.
#[derive(ToSchema)]
#[schema(as = World, rename_all = "kebab-case")]
#[expect(dead_code, reason = "described: plugins bring the names along")]
pub(super) enum WorldName {
    /// Answers customers.
    Chatbot,
    /// Decides what goes out as SMS.
    SmsFallback,
    /// Writes the bodies of webhooks.
    WebhookShaper,
    /// Decides who answers.
    Router,
    /// Decides how SMS go on.
    SmsRouter,
}

/// How a plugin is in force, by name.
#[derive(ToSchema)]
#[schema(as = Mode, rename_all = "lowercase")]
#[expect(dead_code, reason = "described: activations bring the names along")]
pub(super) enum ModeName {
    /// It decides.
    Live,
    /// It is asked, and not heeded.
    Shadow,
    /// It decides for a share of the participants.
    Canary,
}

pub(super) fn time(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A plugin and its newest version; the answer of an upload, too.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Plugin)]
pub(super) struct PluginBody {
    /// By which it is called.
    name: String,
    /// Number of its newest version.
    version: u64,
    /// What it decides.
    #[schema(value_type = Option<WorldName>)]
    world: Option<String>,
    /// Digest of its bytes.
    sha256: String,
    /// Its bytes.
    size: u64,
    /// What it asks of the host.
    imports: Vec<String>,
    /// `READY`, or `BROKEN` when it could not be loaded.
    state: &'static str,
    /// `uploaded`, `built-in`, or `directory` (`plugins.dir`).
    source: &'static str,
    /// When that version came.
    #[schema(format = DateTime)]
    created_time: Option<String>,
    /// The version of the interface that it was built against.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<String>,
    /// What its configuration must look like, if it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    config_schema: Option<Value>,
    /// Why it could not be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    /// Where it is in force.
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
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginDetail)]
pub(super) struct DetailBody {
    #[serde(flatten)]
    pub(super) plugin: PluginBody,
    /// The newest first.
    pub(super) versions: Vec<VersionBody>,
    /// How many there are.
    pub(super) total_versions: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginVersion)]
pub(super) struct VersionBody {
    /// Counted from 1.
    version: i32,
    /// Digest of its bytes.
    sha256: String,
    /// Its bytes.
    #[schema(minimum = 0)]
    size: i64,
    /// The version of the interface that it was built against.
    api_version: String,
    /// What it asks of the host.
    imports: Vec<String>,
    /// What its configuration must look like, if it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    config_schema: Option<Value>,
    /// `READY`.
    state: &'static str,
    /// The user who uploaded it.
    created_by: Option<String>,
    /// When.
    #[schema(format = DateTime)]
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

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Activation)]
pub(super) struct ActivationBody {
    /// Of the activation.
    id: Uuid,
    /// Name of the plugin.
    plugin: String,
    /// Its version; null for one that ships with the program or lies in its directory.
    version: Option<u32>,
    /// What it decides.
    #[schema(value_type = WorldName)]
    world: &'static str,
    /// For this number; null = for all that have none of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<InboxId>,
    /// How it is in force.
    #[schema(value_type = ModeName)]
    mode: &'static str,
    /// Of a canary: its share of the participants.
    #[schema(maximum = 100)]
    percent: u8,
    /// Of a canary: the percentage of failed calls at which it is ended.
    #[schema(maximum = 100)]
    error_threshold: u8,
    /// Of a canary: calls before that is judged.
    minimum_calls: u32,
    /// What the plugin is told, without its secrets.
    #[schema(value_type = Object)]
    config: Value,
    /// Where the configuration has secrets, which the schema of the plugin marks `writeOnly`: JSON pointers, such as `/apiKey`.
    secrets: Vec<String>,
    /// Hosts that the plugin may call over HTTP.
    allowed_hosts: Vec<String>,
    /// What is recorded, if anything is.
    recording: Option<RecordingBody>,
    /// Since when.
    #[schema(format = DateTime)]
    activated_time: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecordingTerms)]
struct RecordingBody {
    /// Share of the calls.
    sample: f64,
    /// Calls after which it ends.
    max_calls: u32,
    /// Bytes after which it ends.
    max_bytes: u64,
    /// When it ends.
    #[schema(format = DateTime)]
    until: String,
    /// Why it has ended.
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
        let (config, secrets) = plugins::shown_config(&activation.config);
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
            config,
            secrets,
            allowed_hosts: activation.allowed_hosts,
            recording: activation.recording.map(RecordingBody::from),
            activated_time: time(activation.activated_at),
        }
    }
}
