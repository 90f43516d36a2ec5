//! Secrets in configurations, stored as `{"$sealed": "..."}` and opened only for the call. Records have a placeholder.

mod escapes;
mod redaction;
mod search;

use std::borrow::Cow;
use std::convert::Infallible;

use domain::ids::ClientId;
use serde_json::{Map, Value};

use self::search::{ConfigSecret, SecretSearch};

/// The only key of the object that replaces a secret in a configuration.
pub const SEALED: &str = "$sealed";
/// Shorter secrets are removed from configurations only, because they would match everywhere.
const SHORTEST: usize = 4;
/// Longest place in a placeholder, in characters, because the client chose its names.
const PLACE_LENGTH: usize = 64;

pub trait SecretOpener: Send + Sync {
    /// The value that was sealed for this client, or the reason why it cannot be opened.
    fn open(&self, client: ClientId, sealed: &str) -> Result<Value, String>;
}

pub fn sealed(value: &Value) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get(SEALED)?.as_str()
}

/// Replaces sealed values by the results of `with`, which gets the place as a JSON pointer and the sealed text.
pub fn replace_sealed<E>(
    config: &Value,
    place: &str,
    with: &mut impl FnMut(&str, &str) -> Result<Value, E>,
) -> Result<Value, E> {
    replace_at(config, &mut place.to_owned(), with)
}

fn replace_at<E>(
    config: &Value,
    place: &mut String,
    with: &mut impl FnMut(&str, &str) -> Result<Value, E>,
) -> Result<Value, E> {
    if let Some(sealed) = sealed(config) {
        return with(place, sealed);
    }
    let own = place.len();
    let mut within = |step: &str, item: &Value| {
        place.truncate(own);
        place.push('/');
        place.push_str(step);
        replace_at(item, place, with)
    };
    Ok(match config {
        Value::Object(object) => {
            let replaced = object.iter().map(|(name, item)| Ok((name.clone(), within(&step(name), item)?)));
            Value::Object(replaced.collect::<Result<Map<_, _>, E>>()?)
        }
        Value::Array(items) => {
            let replaced = items.iter().enumerate().map(|(at, item)| within(&at.to_string(), item));
            Value::Array(replaced.collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    })
}

fn step(name: &str) -> Cow<'_, str> {
    match name.contains(['~', '/']) {
        true => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
        false => Cow::Borrowed(name),
    }
}

pub(crate) fn cover(config: &str) -> Cow<'_, str> {
    with_secrets(config).map_or(Cow::Borrowed(config), |kept| Cow::Owned(with_placeholders(&kept)))
}

fn with_placeholders(kept: &Value) -> String {
    let covered = replace_sealed(kept, "", &mut |place, _| Ok::<_, Infallible>(Value::String(placeholder(place))));
    covered.unwrap_or_default().to_string()
}

/// A configuration with its secrets opened, and the secrets to remove from records of a call.
pub(crate) struct OpenedConfig {
    pub(crate) config: String,
    kept: Value,
    secrets: SecretSearch,
}

impl OpenedConfig {
    /// `None` if it has no secrets.
    pub(crate) fn of(
        config: &str,
        client: ClientId,
        opener: Option<&dyn SecretOpener>,
    ) -> Result<Option<Self>, String> {
        let Some(kept) = with_secrets(config) else { return Ok(None) };
        let Some(opener) = opener else { return Err("this host has no key to open secrets with".to_owned()) };
        let mut secrets = Vec::new();
        let open = replace_sealed(&kept, "", &mut |place, sealed| {
            let value = opener.open(client, sealed)?;
            note(&value, &placeholder(place), &mut secrets);
            Ok::<_, String>(value)
        })?;
        Ok(Some(Self { config: open.to_string(), kept, secrets: SecretSearch::new(secrets) }))
    }
}

fn with_secrets(config: &str) -> Option<Value> {
    config.contains(SEALED).then(|| serde_json::from_str(config).ok()).flatten()
}

/// Collects every text and number of a secret.
fn note(value: &Value, placeholder: &str, secrets: &mut Vec<ConfigSecret>) {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => return items.iter().for_each(|item| note(item, placeholder, secrets)),
        Value::Object(object) => return object.values().for_each(|item| note(item, placeholder, secrets)),
        Value::Bool(_) | Value::Null => return,
    };
    if text.len() >= SHORTEST {
        secrets.push(ConfigSecret { text, placeholder: placeholder.to_owned() });
    }
}

/// The placeholder of a secret. It needs no escaping in JSON or in a URL.
fn placeholder(place: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "/-_.".contains(letter) { letter } else { '_' };
    let mut letters = place.chars().map(plain);
    let mut shown: String = letters.by_ref().take(PLACE_LENGTH).collect();
    if letters.next().is_some() {
        shown.push_str("...");
    }
    format!("(secret:{shown})")
}

#[cfg(test)]
mod tests;
