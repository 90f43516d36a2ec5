use std::fmt;

use plugin_host::{World, hosts_not_allowed};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{RemoteServer, ServerAnswer, ServerError};

#[derive(Debug, Clone, Default)]
pub struct ActivationRequest {
    /// `None` = the newest.
    pub version: Option<u32>,
    /// Id or spelling of a WhatsApp number. `None` = all numbers of the client.
    pub number: Option<String>,
    /// `live`, `shadow` or `canary`.
    pub mode: Option<String>,
    pub percent: Option<u8>,
    /// The plugin's configuration. `None` = that of the activation that it replaces, if any.
    pub config: Option<Value>,
    pub allowed_hosts: Vec<String>,
    /// `None` = those of the activation that it replaces, if any.
    pub http_limits: Option<HttpLimitsForm>,
    /// Percentage of failures at which a canary is withdrawn.
    pub error_threshold: Option<u8>,
    /// Calls before a canary is judged.
    pub minimum_calls: Option<u32>,
    /// Run all checks, and change nothing.
    pub preview: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    pub plugin: String,
    pub version: Option<u32>,
    pub world: String,
    /// Id of a WhatsApp number; `None` = all.
    pub whats_app_number_id: Option<String>,
    /// The number of that id, for people.
    #[serde(skip)]
    pub number: Option<String>,
    pub mode: String,
    pub percent: Option<u8>,
    #[serde(default)]
    pub allowed_hosts: Vec<String>,
    #[serde(default)]
    pub http_limits: HttpLimitsForm,
    /// Its configuration without secrets.
    #[serde(default)]
    pub config: Value,
    pub recording: Option<RecordingState>,
    pub replaced: Option<ReplacedPlugin>,
    /// Fields that the request left out and whose values were kept.
    #[serde(default)]
    pub kept: Vec<String>,
}

/// Limits of HTTP requests. `None` = that of the operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpLimitsForm {
    pub timeout_ms: Option<u32>,
    pub response_bytes: Option<u64>,
    pub requests: Option<u32>,
}

impl fmt::Display for HttpLimitsForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.timeout_ms.map(|millis| format!("{millis} ms")),
            self.response_bytes.map(|bytes| format!("{bytes} bytes")),
            self.requests.map(|count| format!("{count} requests")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "those of the operator" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct ReplacedPlugin {
    pub plugin: String,
    pub version: Option<u32>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordingState {
    /// Share of the calls that are recorded.
    pub sample: f64,
    pub max_calls: u32,
    pub until: String,
    pub stop_reason: Option<String>,
}

impl fmt::Display for RecordingState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stop_reason {
            Some(reason) => write!(f, "ended: {reason}"),
            None => {
                let share = self.sample * 100.0;
                write!(f, "{share:.0} % of the calls, up to {} and until {}", self.max_calls, self.until)
            }
        }
    }
}

impl Scope {
    /// Mode and numbers, such as `live for all numbers`.
    pub(super) fn place(&self) -> String {
        let version = self.version.map(|version| format!("version {version} ")).unwrap_or_default();
        let mode = match (self.mode.as_str(), self.percent) {
            ("canary", Some(percent)) => format!("canary for {percent} %"),
            (mode, _) => mode.to_owned(),
        };
        match self.named_number() {
            Some(number) => format!("{version}{mode} for number {number}"),
            None => format!("{version}{mode} for all numbers"),
        }
    }

    /// The number, or its id if it is not one of the client's numbers any more.
    fn named_number(&self) -> Option<&String> {
        self.number.as_ref().or(self.whats_app_number_id.as_ref())
    }

    /// A warning if another activation of the plugin in the same place makes a trial useless, or is a trial that goes
    /// on.
    fn warning_about(&self, other: &Self) -> Option<String> {
        if other.whats_app_number_id != self.whats_app_number_id || other.mode == self.mode {
            return None;
        }
        let version = other.version.map_or_else(|| self.plugin.clone(), |version| format!("version {version}"));
        let is_same = other.version == self.version;
        let has_same_terms = other.config == self.config
            && other.allowed_hosts == self.allowed_hosts
            && other.http_limits == self.http_limits;
        match (other.mode.as_str(), self.mode.as_str()) {
            // The server refuses such a canary.
            ("live", "shadow") if is_same && has_same_terms => {
                Some(format!("{version} is live there already: name the version to try with --version"))
            }
            // A version that becomes live ends its own trial.
            ("canary" | "shadow", "live") if is_same => None,
            ("canary" | "shadow", _) => {
                let mode = &other.mode;
                Some(format!("{version} stays a {mode} there; `patchbay plugin rollback {}` ends that", self.plugin))
            }
            _ => None,
        }
    }

    pub(super) fn hosts(&self) -> String {
        if self.allowed_hosts.is_empty() { "none".to_owned() } else { self.allowed_hosts.join(", ") }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.plugin)?;
        if let Some(version) = self.version {
            write!(f, " version {version}")?;
        }
        match (self.mode.as_str(), self.percent) {
            ("canary", Some(percent)) => write!(f, " is a canary for {percent} % of the participants")?,
            (mode, _) => write!(f, " is {mode}")?,
        }
        match self.named_number() {
            Some(number) => write!(f, " as {} of number {number}", self.world)?,
            None => write!(f, " as {} of all numbers", self.world)?,
        }
        if let Some(ReplacedPlugin { plugin, version }) = &self.replaced {
            let version = version.map(|version| format!("version {version}"));
            match (*plugin == self.plugin, version) {
                (true, Some(version)) => write!(f, "\n  in place of {version}")?,
                (true, None) => {}
                (false, Some(version)) => write!(f, "\n  in place of {plugin} {version}")?,
                (false, None) => write!(f, "\n  in place of {plugin}")?,
            }
        }
        let kept = |field: &str| self.kept.iter().any(|kept| kept == field);
        if kept("config") {
            write!(f, "\n  with the configuration that was in force there")?;
        }
        if kept("allowedHosts") && !self.allowed_hosts.is_empty() {
            write!(f, "\n  with the hosts that were in force there: {}", self.hosts())?;
        } else if self.world == "chatbot" || !self.allowed_hosts.is_empty() {
            write!(f, "\n  hosts that it may call by HTTP: {}", self.hosts())?;
        }
        if kept("httpLimits") {
            write!(f, "\n  with the HTTP limits that were in force there: {}", self.http_limits)?;
        }
        Ok(())
    }
}

/// A warning if the configuration has addresses whose hosts the plugin may not call.
fn host_warning(active: &Scope) -> Option<String> {
    let world = World::ALL.into_iter().find(|world| world.as_str() == active.world)?;
    if !world.row().grants.contains(&"http") {
        return None;
    }
    let hosts = hosts_not_allowed(&active.config, &active.allowed_hosts);
    let options: Vec<String> = hosts.iter().map(|host| format!("--allow-host {host}")).collect();
    (!hosts.is_empty()).then(|| {
        let named = hosts.join(", ");
        format!("the configuration names {named}, which the plugin may not call; if it must, add {}", options.join(" "))
    })
}

impl RemoteServer {
    pub async fn activate(&self, name: &str, wanted: &ActivationRequest) -> Result<ServerAnswer<Scope>, ServerError> {
        let mut body = Map::new();
        let fields = [
            ("version", wanted.version.map(Value::from)),
            ("whatsAppNumberId", self.optional_number_id(wanted.number.as_deref()).await?.map(Value::from)),
            ("mode", Some(wanted.mode.clone().unwrap_or_else(|| "live".to_owned()).into())),
            ("percent", wanted.percent.map(Value::from)),
            ("config", wanted.config.clone()),
            ("allowedHosts", (!wanted.allowed_hosts.is_empty()).then(|| wanted.allowed_hosts.clone().into())),
            ("httpLimits", wanted.http_limits.map(|limits| json!(limits))),
            ("errorThreshold", wanted.error_threshold.map(Value::from)),
            ("minimumCalls", wanted.minimum_calls.map(Value::from)),
            ("preview", wanted.preview.then_some(Value::Bool(true))),
        ];
        body.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let mut answer: ServerAnswer<Scope> =
            self.answer("POST", Self::path(name, "/activate")?, Some(&Value::Object(body))).await?;
        let unnamed = self.name_numbers([&mut answer.value]).await;
        let mut warnings: Vec<String> = unnamed.into_iter().chain(host_warning(&answer.value)).collect();
        // If its other activations cannot be read, the activation counts.
        if let Ok(status) = self.status(name).await {
            let others = status.value.plugin.activations.iter();
            warnings.extend(others.filter_map(|other| answer.value.warning_about(other)));
        }
        answer.warning = Some(warnings.join("\nWarning: ")).filter(|warnings| !warnings.is_empty());
        Ok(answer)
    }

    /// Deactivates a plugin. Returns the activation for all numbers that then counts for the number, if there is one.
    pub async fn deactivate(&self, name: &str, number: Option<&str>) -> Result<Option<Scope>, ServerError> {
        let number = self.optional_number_id(number).await?;
        let body = json!({"whatsAppNumberId": number});
        self.send("POST", Self::path(name, "/deactivate")?, Some(&body)).await?;
        if number.is_none() {
            return Ok(None);
        }
        // The plugin is deactivated, also if the list fails.
        let plugins = self.list_plugins().await.unwrap_or_default();
        let own = plugins.iter().find(|plugin| plugin.value.name == name);
        let Some(world) = own.and_then(|plugin| plugin.value.world.clone()) else { return Ok(None) };
        let mut active = plugins.into_iter().flat_map(|plugin| plugin.value.activations);
        let counts = |active: &Scope| active.whats_app_number_id.is_none() && active.mode == "live";
        Ok(active.find(|active| active.world == world && counts(active)))
    }
}
