//! Activates and deactivates versions.

use std::fmt;

use channels::http::ApiCall;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{PATIENCE, Server, ServerError};

#[derive(Debug, Clone, Default)]
pub struct Activate {
    /// `None` = the newest.
    pub version: Option<u32>,
    /// Id of a WhatsApp number. `None` = all numbers of the client.
    pub number: Option<String>,
    /// `live`, `shadow` or `canary`.
    pub mode: Option<String>,
    /// Share of a canary, in percent.
    pub percent: Option<u8>,
    /// The plugin's configuration. `None` = that of the activation that it replaces, if any.
    pub config: Option<Value>,
    pub allowed_hosts: Vec<String>,
    /// Percentage of failures at which a canary is withdrawn.
    pub error_threshold: Option<u8>,
    /// Calls before a canary is judged.
    pub minimum_calls: Option<u32>,
}

/// An activation in force.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    pub plugin: String,
    /// Version of an uploaded plugin.
    pub version: Option<u32>,
    pub world: String,
    /// Id of a WhatsApp number; `None` = all.
    pub whats_app_number_id: Option<String>,
    /// `live`, `shadow` or `canary`.
    pub mode: String,
    /// Share of a canary, in percent.
    pub percent: Option<u8>,
    #[serde(default)]
    pub allowed_hosts: Vec<String>,
    /// Fields that the request left out and whose values were kept.
    #[serde(default)]
    pub kept: Vec<String>,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.plugin)?;
        if let Some(version) = self.version {
            write!(f, " version {version}")?;
        }
        match (self.mode.as_str(), self.percent) {
            ("canary", Some(percent)) => write!(f, " is a canary for {percent} % of the conversations")?,
            (mode, _) => write!(f, " is {mode}")?,
        }
        match &self.whats_app_number_id {
            Some(number) => write!(f, " as {} of number {number}", self.world)?,
            None => write!(f, " as {} of all numbers", self.world)?,
        }
        let kept = |field: &str| self.kept.iter().any(|kept| kept == field);
        if kept("config") {
            write!(f, "\n  with the configuration that it had there")?;
        }
        if kept("allowedHosts") && !self.allowed_hosts.is_empty() {
            write!(f, "\n  with the hosts that it could reach there: {}", self.allowed_hosts.join(", "))?;
        }
        Ok(())
    }
}

impl Server {
    /// Activates a version.
    pub async fn activate(&self, name: &str, wanted: &Activate) -> Result<Scope, ServerError> {
        let mut body = Map::new();
        let fields = [
            ("version", wanted.version.map(Value::from)),
            ("whatsAppNumberId", wanted.number.clone().map(Value::from)),
            ("mode", Some(wanted.mode.clone().unwrap_or_else(|| "live".to_owned()).into())),
            ("percent", wanted.percent.map(Value::from)),
            ("config", wanted.config.clone()),
            ("allowedHosts", (!wanted.allowed_hosts.is_empty()).then(|| wanted.allowed_hosts.clone().into())),
            ("errorThreshold", wanted.error_threshold.map(Value::from)),
            ("minimumCalls", wanted.minimum_calls.map(Value::from)),
        ];
        body.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        self.json("POST", Self::path(name, "/activate")?, Some(&Value::Object(body)), PATIENCE).await
    }

    /// Restores the activation before.
    pub async fn rollback(&self, name: &str, number: Option<&str>) -> Result<Scope, ServerError> {
        let body = json!({"whatsAppNumberId": number});
        self.json("POST", Self::path(name, "/rollback")?, Some(&body), PATIENCE).await
    }

    /// Deactivates a plugin.
    pub async fn deactivate(&self, name: &str, number: Option<&str>) -> Result<(), ServerError> {
        let body = json!({"whatsAppNumberId": number}).to_string();
        let call = ApiCall {
            method: "POST",
            path: Self::path(name, "/deactivate")?,
            headers: &[],
            body: Some(("application/json", body.into())),
            sent: None,
            timeout: PATIENCE,
        };
        self.good(call).await.map(drop)
    }
}
