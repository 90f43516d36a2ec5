//! The shared secrets that the configuration of a new activation names (ADR 0072).

use base::{Error, Result, secrets::Sealer};
use domain::{body::FieldFault, ids::ClientId};
use plugin_host::config_schema;
use serde_json::Value;
use storage::{PgConnection, plugins::shared_secrets};

use super::PluginError;
use crate::{
    secrets,
    shared_secrets::{self as references, GrantedSecrets, REFERENCE},
    slots::SlotActivation,
};

const MOST_FAULTS: usize = 50;

/// A configuration in the forms of an activation.
#[derive(Debug)]
pub(super) struct ReferringConfig {
    /// With references in place of shared secrets. Its own secrets are open.
    pub(super) config: Value,
    /// With the values of all secrets.
    pub(super) opened: Value,
    /// The places of the references, as JSON pointers.
    pub(super) places: Vec<String>,
    pub(super) granted: GrantedSecrets,
}

/// Reads the shared secrets of a configuration. Names each reference that has a wrong form, or whose secret is unknown or
/// not granted to the plugin.
pub(super) async fn read(
    db: &mut PgConnection,
    sealer: &Sealer,
    client: ClientId,
    plugin: &str,
    config: Value,
) -> Result<ReferringConfig, PluginError> {
    let found = references::references(&config);
    if found.is_empty() {
        let opened = config.clone();
        return Ok(ReferringConfig { config, opened, places: Vec::new(), granted: GrantedSecrets::default() });
    }
    let names: Vec<&str> = references::names(&config).into_iter().collect();
    let stored = shared_secrets::with_values(db, client, &names).await?;
    let mut faults = Vec::new();
    for (place, reference) in &found {
        if faults.len() == MOST_FAULTS {
            break;
        }
        let said = match references::name_in(reference) {
            None => {
                format!("must be `{{\"{REFERENCE}\": \"NAME\"}}` with the name of a shared secret, and nothing else")
            }
            Some(name) => match stored.iter().find(|one| one.name == name) {
                Some(one) if references::allows(&one.plugins, plugin) => continue,
                Some(_) => format!(
                    "names the shared secret `{name}`, which is not granted to `{plugin}`: grant it with \
                     `patchbay plugin secret set {name} --plugin {plugin} --keep-value`"
                ),
                None => format!(
                    "names the shared secret `{name}`, which does not exist: set it with \
                     `patchbay plugin secret set {name} --plugin {plugin}`"
                ),
            },
        };
        faults.push(FieldFault::new(config_schema::shorten(&format!("config{place}")), said));
    }
    if !faults.is_empty() {
        return Err(PluginError::Faults(faults));
    }
    let places = found.into_iter().map(|(place, _)| place).collect();
    let granted = references::granted(db, client, &[(plugin, &config)]).await?.pop().unwrap_or_default();
    let opened = secrets::open(sealer, client, &granted.put_into(&config)).map_err(Error::from)?;
    Ok(ReferringConfig { config, opened, places, granted })
}

impl ReferringConfig {
    /// The configuration with a stand-in for each value of a shared secret, for checks that may repeat it.
    pub(super) fn with_stand_ins(&self) -> Value {
        references::with_values(&self.config, &|name| format!("(secret:{name})").into())
    }

    /// The places to seal, from those that the schema marks: references stay readable.
    pub(super) fn places_to_seal(&self, marked: &[String]) -> Vec<String> {
        let mut places = Vec::new();
        for place in marked {
            self.add_around_references(place, &mut places);
        }
        places
    }

    fn add_around_references(&self, place: &str, places: &mut Vec<String>) {
        if self.places.iter().any(|reference| reference == place) {
            return;
        }
        if !self.places.iter().any(|reference| reference.starts_with(&format!("{place}/"))) {
            places.push(place.to_owned());
            return;
        }
        match self.config.pointer(place) {
            Some(Value::Object(members)) => {
                members.keys().for_each(|name| self.add_around_references(&references::step(place, name), places));
            }
            Some(Value::Array(items)) => {
                (0..items.len()).for_each(|at| self.add_around_references(&format!("{place}/{at}"), places));
            }
            _ => {}
        }
    }
}

/// Checks under the lock that the shared secrets of an activation are still there and granted to its plugin.
pub(super) async fn still_granted(
    db: &mut PgConnection,
    client: ClientId,
    activation: &SlotActivation,
) -> Result<(), PluginError> {
    let names: Vec<&str> = references::names(&activation.config).into_iter().collect();
    if names.is_empty() {
        return Ok(());
    }
    let plugin = activation.plugin.name();
    let stored = shared_secrets::with_values(db, client, &names).await?;
    let granted = |name: &str| stored.iter().any(|one| one.name == name && references::allows(&one.plugins, plugin));
    let lost: Vec<String> = names.into_iter().filter(|name| !granted(name)).map(|name| format!("`{name}`")).collect();
    if lost.is_empty() {
        return Ok(());
    }
    Err(PluginError::Conflict(format!(
        "the configuration names shared secrets that do not exist or are not granted to `{plugin}`: {}; set or grant them, or \
         activate with another configuration",
        lost.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_next_to_a_reference_are_sealed_and_the_reference_is_not() {
        let config = json!({
            "apiKey": { "$secret": "crm" },
            "secrets": { "a/b": "own", "crm": { "$secret": "crm" }, "list": ["x", { "$secret": "crm" }] },
            "token": "own",
        });
        let places = references::references(&config).into_iter().map(|(place, _)| place).collect();
        let read = ReferringConfig { opened: config.clone(), config, places, granted: GrantedSecrets::default() };
        let marked = ["/apiKey", "/secrets", "/token"].map(str::to_owned);
        assert_eq!(read.places_to_seal(&marked), ["/secrets/a~1b", "/secrets/list/0", "/token"]);
        assert_eq!(read.with_stand_ins()["apiKey"], "(secret:crm)");
    }
}
