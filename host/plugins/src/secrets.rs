//! Secrets in the configurations of plugins: values that a plugin's schema marks `writeOnly`. They are sealed in the
//! stored configuration, opened only for calls, and never shown.

use std::convert::Infallible;

use base::secrets::{SealError, Sealer, SecretPurpose};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::ids::ClientId;
use plugin_host::{SEALED, SecretOpener, replace_sealed, sealed};
use serde_json::{Value, json};

use crate::shared_secrets;

#[derive(Debug, Clone)]
pub struct SealedSecrets(Sealer);

impl SealedSecrets {
    pub fn new(sealer: Sealer) -> Self {
        Self(sealer)
    }
}

impl SecretOpener for SealedSecrets {
    fn open(&self, client: ClientId, sealed: &str) -> Result<Value, String> {
        if let Some(name) = shared_secrets::missing(sealed) {
            return Err(format!("the shared secret `{name}` does not exist or is not granted to the plugin"));
        }
        open_one(&self.0, client, sealed).map_err(|error| error.to_string())
    }
}

fn open_one(sealer: &Sealer, client: ClientId, sealed: &str) -> Result<Value, SealError> {
    let bytes = STANDARD.decode(sealed).map_err(|_| SealError::Unreadable)?;
    let plain = sealer.open(client, SecretPurpose::PluginSecret, &bytes)?;
    serde_json::from_slice(&plain).map_err(|_| SealError::Unreadable)
}

/// A configuration with its secrets opened, as a call gets it.
pub(crate) fn open(sealer: &Sealer, client: ClientId, config: &Value) -> Result<Value, SealError> {
    replace_sealed(config, "", &mut |_, sealed| open_one(sealer, client, sealed))
}

/// A configuration for storage, with the values in these places sealed. No place may be within another.
pub(crate) fn seal(sealer: &Sealer, client: ClientId, config: &Value, places: &[String]) -> Result<Value, SealError> {
    let mut kept = config.clone();
    for place in places {
        if let Some(secret) = kept.pointer_mut(place) {
            let sealed = sealer.seal(client, SecretPurpose::PluginSecret, secret.to_string().as_bytes())?;
            *secret = json!({ SEALED: STANDARD.encode(sealed) });
        }
    }
    Ok(kept)
}

/// Whether a configuration from outside contains the form of a sealed secret.
pub(crate) fn names_the_sealed(config: &Value) -> bool {
    match config {
        Value::Object(object) => object.contains_key(SEALED) || object.values().any(names_the_sealed),
        Value::Array(items) => items.iter().any(names_the_sealed),
        _ => false,
    }
}

/// A configuration without its secrets, for display, and their places as JSON pointers.
pub fn hide(config: &Value) -> (Value, Vec<String>) {
    let mut places = Vec::new();
    let noted: Result<Value, Infallible> = replace_sealed(config, "", &mut |place, _| {
        places.push(place.to_owned());
        Ok(Value::Null)
    });
    drop(noted);
    (without_sealed(config), places)
}

/// Sealed members are left out. In a list they become null, so that the other items keep their positions.
fn without_sealed(value: &Value) -> Value {
    match value {
        Value::Object(object) if sealed(value).is_none() => {
            let shown = object.iter().filter(|(_, item)| sealed(item).is_none());
            Value::Object(shown.map(|(name, item)| (name.clone(), without_sealed(item))).collect())
        }
        // The whole configuration is a secret.
        Value::Object(_) => json!({}),
        Value::Array(items) => {
            let shown = |item: &Value| if sealed(item).is_some() { Value::Null } else { without_sealed(item) };
            Value::Array(items.iter().map(shown).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_value_opens_again_and_is_not_shown() {
        let (sealer, client) = (Sealer::new([7; 32]), ClientId(uuid::Uuid::from_u128(1)));
        let config = json!({ "key": "secret", "shop": 7, "list": ["a", 2], "a/b": 3 });
        let secrets = ["/a~1b", "/key", "/list/0", "/list/1"].map(str::to_owned);
        let kept = seal(&sealer, client, &config, &secrets).unwrap();
        assert!(!kept.to_string().contains("secret\""), "{kept}");
        assert_eq!(open(&sealer, client, &kept).unwrap(), config);
        assert!(open(&sealer, ClientId(uuid::Uuid::from_u128(2)), &kept).is_err(), "of another client");
        let (visible, places) = hide(&kept);
        assert_eq!(visible, json!({ "shop": 7, "list": [null, null] }));
        assert_eq!(places, secrets);
        assert!(names_the_sealed(&kept) && !names_the_sealed(&config));
    }
}
