//! Judges a configuration like an activation at a server: by the schema that the plugin exports, by the rules of a
//! built-in plugin, and by the plugin's own check.

use std::{fmt::Write as _, sync::Arc};

use chrono::DateTime;
use domain::body::FieldFault;
use plugin_host::{
    CallError, CallSeed, HttpLimits, NoKeyValues, PluginCall, SEALED, WorldQuestion,
    config_schema::{self, PreviousSecrets, shorten},
};
use serde_json::Value;

use super::{LoadedProgram, LocalHost, local_host::LOADING_CLIENT};
use crate::flow;

/// The only key of the object that stands for a shared secret.
const REFERENCE: &str = "$secret";
/// Begins the text that recordings have in place of a secret.
const LEFT_OUT: &str = "(secret:/";
/// Error code of a plugin that cannot use its configuration.
const BAD_CONFIG: &str = "bad-config";

/// A configuration that no server would accept for the plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration {place} would be refused at an activation:{}", lines(.faults))]
pub struct ConfigRefusal {
    /// Such as `in config.json`.
    pub place: String,
    pub faults: Vec<FieldFault>,
}

fn lines(faults: &[FieldFault]) -> String {
    faults.iter().fold(String::new(), |mut text, fault| {
        let _ = write!(text, "\n  - {}: {}", fault.field, fault.message);
        text
    })
}

impl LocalHost {
    /// The faults for which a server would refuse an activation with this configuration.
    pub(crate) async fn config_faults(&self, loaded: &LoadedProgram, config: &Value) -> Vec<FieldFault> {
        let faults = rule_faults(loaded, config);
        if !faults.is_empty() {
            return faults;
        }
        let config = config.to_string();
        match self.host.validate_config(LOADING_CLIENT, &loaded.plugin, &config).await {
            Ok(findings) if findings.is_empty() => self.trial_fault(loaded, &config).await.into_iter().collect(),
            Ok(findings) => findings.into_iter().map(FieldFault::from).collect(),
            Err(error) => vec![FieldFault::new("config", format!("cannot be judged: {error}"))],
        }
    }

    /// The fault that a built-in plugin finds in a call. A schema cannot express every rule.
    async fn trial_fault(&self, loaded: &LoadedProgram, config: &str) -> Option<FieldFault> {
        loaded.built_in?;
        let call = PluginCall {
            client: LOADING_CLIENT,
            plugin: &loaded.plugin,
            now: DateTime::default(),
            seed: CallSeed::from_number(1),
            config,
            turn: "activate",
            allowed_hosts: &[],
            http_limits: HttpLimits::default(),
            record: false,
        };
        match self.host.dry_run(call, &WorldQuestion::sample(loaded.world), Arc::new(NoKeyValues)).await {
            Err(CallError::Refused { error, .. }) if error.code == BAD_CONFIG => {
                Some(FieldFault::new("config", error.message))
            }
            Err(CallError::BadAnswer { reason, .. }) => {
                let said = format!("makes the plugin answer what cannot be sent: {reason}");
                Some(FieldFault::new("config", said))
            }
            Ok(_) | Err(_) => None,
        }
    }
}

fn rule_faults(loaded: &LoadedProgram, config: &Value) -> Vec<FieldFault> {
    if place_of(config, SEALED).is_some() {
        let said = format!("holds `{SEALED}`, which stands for secrets and cannot be given: write the secret itself");
        return vec![FieldFault::new("config", said)];
    }
    if let Some(place) = place_of(config, REFERENCE) {
        let said = "names a shared secret, which only activations can use: write a value yourself";
        return vec![FieldFault::new(shorten(&format!("config{place}")), said)];
    }
    if let Some(fault) = config_schema::form_fault(config, config.to_string().len()) {
        return vec![fault];
    }
    let Some(schema) = &loaded.config_schema else { return vec![] };
    let mut faults = config_schema::judge(schema, config, &PreviousSecrets::default(), &[]).faults;
    faults.retain(|fault| !is_left_out(config, fault));
    match loaded.built_in {
        Some(flow::PLUGIN) if faults.is_empty() => flow::config_faults(config),
        _ => faults,
    }
}

/// Whether a fault is about a secret that a recording left out. A test that was made from it has a text in its place.
fn is_left_out(config: &Value, fault: &FieldFault) -> bool {
    let place = fault.field.strip_prefix("config").and_then(|place| config.pointer(place));
    place.and_then(Value::as_str).is_some_and(|text| text.starts_with(LEFT_OUT))
}

/// The place of the first object with this key, as a JSON pointer.
fn place_of(value: &Value, key: &str) -> Option<String> {
    match value {
        Value::Object(members) if members.contains_key(key) => Some(String::new()),
        Value::Object(members) => members.iter().find_map(|(name, item)| {
            let step = name.replace('~', "~0").replace('/', "~1");
            place_of(item, key).map(|rest| format!("/{step}{rest}"))
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| place_of(item, key).map(|rest| format!("/{at}{rest}")))
        }
        _ => None,
    }
}
