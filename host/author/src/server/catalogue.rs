//! Plugins on a remote server, with their versions and activations.

use std::fmt;

use domain::plugin_origin::{ComponentNotes, OciSource};
use serde::Deserialize;
use serde_json::Value;

use super::{BASE, RemoteServer, Scope, ServerAnswer, ServerError, SignatureEntry, size};

const MAX_PLUGINS: usize = 10_000;
const SHOWN_VERSIONS: usize = 5;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedPlugin {
    pub name: String,
    pub version: u64,
    /// `None` if it could not be loaded.
    pub world: Option<String>,
    pub size: u64,
    /// `uploaded`, `built-in` or `directory`.
    pub source: String,
    pub last_error: Option<String>,
    pub signature: Option<SignatureEntry>,
    #[serde(default)]
    pub activations: Vec<Scope>,
}

impl fmt::Display for ListedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, source, .. } = self;
        let world = self.world.as_deref().unwrap_or("broken");
        let version = if source == "uploaded" { format!("version {version}") } else { source.clone() };
        write!(f, "{name:<24} {world:<15} {version:<12} {:<12}", size(self.size))?;
        match self.activations.as_slice() {
            [] => write!(f, " not active")?,
            activations => {
                let places: Vec<String> = activations.iter().map(Scope::place).collect();
                write!(f, " {}", places.join("; "))?;
            }
        }
        if let Some(signature) = &self.signature {
            write!(f, "; signed with key {}", signature.key)?;
        }
        match &self.last_error {
            Some(error) => write!(f, "\n    {error}"),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginStatus {
    #[serde(flatten)]
    pub plugin: ListedPlugin,
    pub sha256: String,
    #[serde(default)]
    pub imports: Vec<String>,
    pub api_version: Option<String>,
    #[serde(default)]
    versions: Vec<UploadedVersion>,
    #[serde(default)]
    total_versions: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UploadedVersion {
    version: u64,
    sha256: String,
    size: u64,
    /// Id of the user.
    created_by: Option<String>,
    created_time: String,
    signature: Option<SignatureEntry>,
    origin: Option<OriginEntry>,
}

#[derive(Debug, Clone, Deserialize)]
struct OriginEntry {
    notes: ComponentNotes,
    source: Option<OciSource>,
}

impl fmt::Display for UploadedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, sha256, created_time, .. } = self;
        let hash = sha256.get(..12).unwrap_or(sha256);
        write!(f, "  version {version}: uploaded {created_time}, {}, sha256 {hash}..", size(self.size))?;
        if let Some(user) = &self.created_by {
            write!(f, "\n    by user: {user}")?;
        }
        if let Some(signature) = &self.signature {
            write!(f, "\n    signed: {signature}")?;
        }
        match &self.origin {
            Some(OriginEntry { notes, source }) => {
                if let Some(OciSource { reference, .. }) = source {
                    write!(f, "\n    from {reference}")?;
                }
                write!(f, "\n    licences: {}\n    made with: {}", notes.licenses_text(), notes.tools_text())
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for PluginStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ListedPlugin { name, world, source, .. } = &self.plugin;
        write!(f, "{name}: {}, {source}", world.as_deref().unwrap_or("broken"))?;
        if let Some(version) = &self.api_version {
            write!(f, ", built with interface {version}")?;
        }
        if let Some(error) = &self.plugin.last_error {
            write!(f, "\n  not loaded: {error}")?;
        }
        if self.plugin.activations.is_empty() {
            write!(f, "\n  not active")?;
        }
        for activation in &self.plugin.activations {
            write!(f, "\n  active: {}", activation.place())?;
            write!(f, "\n    configuration: {}", config_text(&activation.config))?;
            write!(f, "\n    hosts: {}", activation.hosts())?;
            if let Some(recording) = &activation.recording {
                write!(f, "\n    recording: {recording}")?;
            }
        }
        for version in self.versions.iter().take(SHOWN_VERSIONS) {
            write!(f, "\n{version}")?;
        }
        match self.total_versions.saturating_sub(SHOWN_VERSIONS as u64) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} older versions"),
        }
    }
}

pub(super) fn config_text(config: &Value) -> String {
    match config {
        Value::Null => "{}".to_owned(),
        config => config.to_string(),
    }
}

impl RemoteServer {
    /// Lists the plugins of the client, at most 10,000. More are left out without an error.
    pub async fn list_plugins(&self) -> Result<Vec<ServerAnswer<ListedPlugin>>, ServerError> {
        let mut plugins: Vec<ServerAnswer<ListedPlugin>> = self.items(BASE, MAX_PLUGINS).await?;
        let warning = self.name_numbers(plugins.iter_mut().flat_map(|plugin| &mut plugin.value.activations)).await;
        if let Some(last) = plugins.last_mut() {
            last.warning = warning;
        }
        Ok(plugins)
    }

    /// The numbers for which a plugin is live; `None` = all numbers. Empty if the server does not answer.
    pub async fn live_places(&self, name: &str) -> Vec<Option<String>> {
        let Ok(status) = self.status(name).await else { return vec![] };
        let live = status.value.plugin.activations.into_iter().filter(|active| active.mode == "live");
        live.map(|active| active.number.or(active.whats_app_number_id)).collect()
    }

    pub async fn status(&self, name: &str) -> Result<ServerAnswer<PluginStatus>, ServerError> {
        let mut status: ServerAnswer<PluginStatus> = self.answer("GET", Self::path(name, "")?, None).await?;
        status.warning = self.name_numbers(&mut status.value.plugin.activations).await;
        Ok(status)
    }

    pub async fn delete(&self, name: &str) -> Result<(), ServerError> {
        self.send("DELETE", Self::path(name, "")?, None).await
    }
}
