//! The JSON of plugins, versions and activations.

use std::time::Duration;

use domain::ids::InboxId;
use domain::iso_time::iso_time;
use plugins::{
    CataloguePlugin, HttpLimits, PluginOrigin, UploadedVersion,
    slots::{SlotActivation, SlotRecordingTerms},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    closed_sets::{LoadState, ModeName, PluginSource, WorldName},
    origin_bodies::{OriginBody, SignatureBody},
};

/// A plugin and its newest version. Also the answer to an upload.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Plugin)]
pub(super) struct PluginBody {
    /// The name of the plugin.
    name: String,
    /// Number of its newest version.
    version: u64,
    /// The world of the plugin.
    #[schema(value_type = Option<WorldName>)]
    world: Option<String>,
    /// SHA-256 of the component.
    sha256: String,
    /// Size of the component in bytes.
    size: u64,
    /// Interfaces that it imports from the host.
    imports: Vec<String>,
    /// `BROKEN`: it could not be loaded.
    state: LoadState,
    /// Where it comes from.
    source: PluginSource,
    /// Time of that version.
    #[schema(format = DateTime)]
    created_time: Option<String>,
    /// Version of the WIT interface that it was built with.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<String>,
    /// The JSON Schema of its configuration, if it exports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    config_schema: Option<Value>,
    /// The reason why it could not be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    /// The signature of that version. Absent if it is not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<SignatureBody>,
    /// Its activations.
    #[serde(skip_serializing_if = "Option::is_none")]
    activations: Option<Vec<ActivationBody>>,
}

impl From<CataloguePlugin> for PluginBody {
    fn from(plugin: CataloguePlugin) -> Self {
        Self {
            name: plugin.name,
            version: plugin.version,
            world: plugin.world.map(|world| world.as_str().to_owned()),
            sha256: plugin.sha256,
            size: plugin.size,
            imports: plugin.imports,
            state: if plugin.ready { LoadState::Ready } else { LoadState::Broken },
            source: match plugin.origin {
                PluginOrigin::Uploaded => PluginSource::Uploaded,
                PluginOrigin::BuiltIn => PluginSource::BuiltIn,
                PluginOrigin::Directory => PluginSource::Directory,
            },
            created_time: plugin.created_at.map(iso_time),
            api_version: plugin.api_version,
            config_schema: plugin.config_schema,
            last_error: plugin.last_error,
            signature: plugin.signature.map(SignatureBody::from),
            activations: Some(plugin.activations.into_iter().map(ActivationBody::from).collect()),
        }
    }
}

impl From<UploadedVersion> for PluginBody {
    fn from(version: UploadedVersion) -> Self {
        Self {
            name: version.name,
            version: u64::from(version.version.unsigned_abs()),
            world: Some(version.world),
            sha256: version.sha256,
            size: version.size.unsigned_abs(),
            imports: version.imports,
            state: LoadState::Ready,
            source: PluginSource::Uploaded,
            created_time: Some(iso_time(version.created_at)),
            api_version: Some(version.api_version),
            config_schema: version.config_schema.map(|schema| schema.0),
            last_error: None,
            signature: version.signature.map(SignatureBody::from),
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
    /// The versions, newest first.
    pub(super) versions: Vec<VersionBody>,
    /// Number of versions.
    pub(super) total_versions: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginVersion)]
pub(super) struct VersionBody {
    /// Number of the version, from 1.
    version: i32,
    /// SHA-256 of the component.
    sha256: String,
    /// Size of the component in bytes.
    #[schema(minimum = 0)]
    size: i64,
    /// Version of the WIT interface that it was built with.
    api_version: String,
    /// Interfaces that it imports from the host.
    imports: Vec<String>,
    /// The JSON Schema of its configuration, if it exports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    config_schema: Option<Value>,
    /// Always `READY`.
    state: LoadState,
    /// The user who uploaded it.
    created_by: Option<String>,
    /// Time of the upload.
    #[schema(format = DateTime)]
    created_time: String,
    /// Absent if it is not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<SignatureBody>,
    /// Absent if it was uploaded before origins were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<OriginBody>,
}

impl From<UploadedVersion> for VersionBody {
    fn from(version: UploadedVersion) -> Self {
        Self {
            version: version.version,
            sha256: version.sha256,
            size: version.size,
            api_version: version.api_version,
            imports: version.imports,
            config_schema: version.config_schema.map(|schema| schema.0),
            state: LoadState::Ready,
            created_by: version.created_by.map(|user| user.to_string()),
            created_time: iso_time(version.created_at),
            signature: version.signature.map(SignatureBody::from),
            origin: version.origin.map(OriginBody::from),
        }
    }
}

/// Limits of the HTTP requests of a plugin, at most those of the operator. An absent limit is that of the operator.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PluginHttpLimits)]
pub(super) struct HttpLimitsBody {
    /// Longest wait for the response to a request of `http.send`, in milliseconds.
    #[schema(minimum = 1)]
    timeout_ms: Option<u32>,
    /// Bytes of the body of one response.
    #[schema(minimum = 1)]
    response_bytes: Option<u64>,
    /// Number of requests of one call.
    #[schema(minimum = 1)]
    requests: Option<u32>,
}

impl From<HttpLimits> for HttpLimitsBody {
    fn from(limits: HttpLimits) -> Self {
        Self {
            timeout_ms: limits.timeout.map(|time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX)),
            response_bytes: limits.response_bytes.map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX)),
            requests: limits.requests,
        }
    }
}

impl From<HttpLimitsBody> for HttpLimits {
    fn from(body: HttpLimitsBody) -> Self {
        Self {
            timeout: body.timeout_ms.map(|millis| Duration::from_millis(millis.into())),
            response_bytes: body.response_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            requests: body.requests,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Activation)]
pub(super) struct ActivationBody {
    /// Id of the activation.
    id: Uuid,
    /// Name of the plugin.
    plugin: String,
    /// Its version. Null for a built-in plugin or one in `plugins.dir`.
    version: Option<u32>,
    /// The world of the plugin.
    #[schema(value_type = WorldName)]
    world: &'static str,
    /// For this number. If null, for all numbers without an activation of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<InboxId>,
    /// Mode of the activation.
    #[schema(value_type = ModeName)]
    mode: &'static str,
    /// For `canary`: its share of the participants, in percent.
    #[schema(maximum = 100)]
    percent: u8,
    /// For `canary`: the percentage of failed calls that ends it.
    #[schema(maximum = 100)]
    error_threshold: u8,
    /// For `canary`: number of calls before the percentage is judged.
    minimum_calls: u32,
    /// The configuration without its secrets. `{"$secret": "NAME"}` stands for a shared secret.
    #[schema(value_type = Object)]
    config: Value,
    /// JSON pointers to the secrets in the configuration, such as `/apiKey`. The schema of the plugin marks them
    /// `writeOnly`.
    secrets: Vec<String>,
    /// Hosts that the plugin may call over HTTP.
    allowed_hosts: Vec<String>,
    /// Limits of its HTTP requests.
    http_limits: HttpLimitsBody,
    /// The recording in progress, if there is one.
    recording: Option<RecordingBody>,
    /// Time of the activation.
    #[schema(format = DateTime)]
    activated_time: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecordingTerms)]
struct RecordingBody {
    /// Share of the calls that are recorded, from 0 to 1.
    sample: f64,
    /// The recording ends after this many calls.
    max_calls: u32,
    /// The recording ends after this many bytes.
    max_bytes: u64,
    /// The recording ends at this time.
    #[schema(format = DateTime)]
    until: String,
    /// Why it ended.
    stop_reason: Option<String>,
}

impl From<SlotRecordingTerms> for RecordingBody {
    fn from(terms: SlotRecordingTerms) -> Self {
        Self {
            sample: terms.sample,
            max_calls: terms.max_calls,
            max_bytes: terms.max_bytes,
            until: iso_time(terms.until),
            stop_reason: terms.stopped,
        }
    }
}

impl From<SlotActivation> for ActivationBody {
    fn from(activation: SlotActivation) -> Self {
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
            http_limits: activation.http_limits.into(),
            recording: activation.recording.map(RecordingBody::from),
            activated_time: iso_time(activation.activated_at),
        }
    }
}
