//! Secrets in the configurations of plugins: values that the schema of a plugin marks `writeOnly`. They are sealed where
//! the configuration is kept, opened for calls alone, and never shown.

use std::{collections::HashSet, convert::Infallible};

use base::secrets::{Purpose, SealError, Sealer};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::ids::ClientId;
use plugin_host::{SEALED, SecretOpener, replace_sealed, sealed};
use serde_json::{Map, Value, json};

/// Schemas that say more about the same value.
const IN_PLACE: [&str; 6] = ["allOf", "anyOf", "oneOf", "if", "then", "else"];
/// Maps of schemas that say more about the same value.
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Schemas about any value within.
const WITHIN: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];
/// Pairs of a part of the schema and a place in the configuration that are looked at.
const MOST_PAIRS: usize = 100_000;

/// Opens secrets for the plugin host.
#[derive(Debug, Clone)]
pub struct SealedSecrets(Sealer);

impl SealedSecrets {
    /// Those that this sealer sealed.
    pub fn new(sealer: Sealer) -> Self {
        Self(sealer)
    }
}

impl SecretOpener for SealedSecrets {
    fn open(&self, client: ClientId, sealed: &str) -> Result<Value, String> {
        open_one(&self.0, client, sealed).map_err(|error| error.to_string())
    }
}

fn open_one(sealer: &Sealer, client: ClientId, sealed: &str) -> Result<Value, SealError> {
    let bytes = STANDARD.decode(sealed).map_err(|_| SealError::Unreadable)?;
    let plain = sealer.open(client, Purpose::PluginSecret, &bytes)?;
    serde_json::from_slice(&plain).map_err(|_| SealError::Unreadable)
}

/// A configuration as a call would get it.
pub(crate) fn open(sealer: &Sealer, client: ClientId, config: &Value) -> Result<Value, SealError> {
    replace_sealed(config, "", &mut |_, sealed| open_one(sealer, client, sealed))
}

/// A configuration as it is kept, with those values sealed that the schema marks. `None` = the schema and the
/// configuration together are too much to search.
pub(crate) fn seal(
    sealer: &Sealer,
    client: ClientId,
    schema: Option<&Value>,
    config: &Value,
) -> Result<Option<Value>, SealError> {
    let Some(schema) = schema else { return Ok(Some(config.clone())) };
    let Some(places) = places(schema, config) else { return Ok(None) };
    seal_at("", config, &places, sealer, client).map(Some)
}

fn seal_at(
    place: &str,
    value: &Value,
    places: &HashSet<String>,
    sealer: &Sealer,
    client: ClientId,
) -> Result<Value, SealError> {
    if places.contains(place) {
        let sealed = sealer.seal(client, Purpose::PluginSecret, value.to_string().as_bytes())?;
        return Ok(json!({ SEALED: STANDARD.encode(sealed) }));
    }
    Ok(match value {
        Value::Object(object) => {
            let sealed = object
                .iter()
                .map(|(name, item)| Ok((name.clone(), seal_at(&member(place, name), item, places, sealer, client)?)));
            Value::Object(sealed.collect::<Result<Map<_, _>, SealError>>()?)
        }
        Value::Array(items) => {
            let sealed = items
                .iter()
                .enumerate()
                .map(|(at, item)| seal_at(&format!("{place}/{at}"), item, places, sealer, client));
            Value::Array(sealed.collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    })
}

/// Whether somebody wrote down what stands for a secret.
pub(crate) fn names_the_sealed(config: &Value) -> bool {
    match config {
        Value::Object(object) => object.contains_key(SEALED) || object.values().any(names_the_sealed),
        Value::Array(items) => items.iter().any(names_the_sealed),
        _ => false,
    }
}

/// A configuration to show, without its secrets, and where those are, as JSON pointers.
pub fn shown(config: &Value) -> (Value, Vec<String>) {
    let mut places = Vec::new();
    let noted: Result<Value, Infallible> = replace_sealed(config, "", &mut |place, _| {
        places.push(place.to_owned());
        Ok(Value::Null)
    });
    drop(noted);
    (without_sealed(config), places)
}

/// Members that are sealed are left out; within a list they are null, so that the others keep their places.
fn without_sealed(value: &Value) -> Value {
    match value {
        Value::Object(object) if sealed(value).is_none() => {
            let shown = object.iter().filter(|(_, item)| sealed(item).is_none());
            Value::Object(shown.map(|(name, item)| (name.clone(), without_sealed(item))).collect())
        }
        // All of the configuration is a secret.
        Value::Object(_) => json!({}),
        Value::Array(items) => {
            let shown = |item: &Value| if sealed(item).is_some() { Value::Null } else { without_sealed(item) };
            Value::Array(items.iter().map(shown).collect())
        }
        other => other.clone(),
    }
}

/// Every text and number of a configuration that is sealed where it is kept: what no message may repeat.
pub(crate) fn secret_texts(kept: &Value, open: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let noted: Result<Value, Infallible> = replace_sealed(kept, "", &mut |place, _| {
        note(open.pointer(place).unwrap_or(&Value::Null), &mut texts);
        Ok(Value::Null)
    });
    drop(noted);
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts
}

fn note(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| note(item, texts)),
        Value::Object(object) => object.values().for_each(|item| note(item, texts)),
        _ => {}
    }
}

/// Where a schema marks something as a secret, as JSON pointers; `None` = too much to search. A mark counts whichever
/// branch of the schema it stands in: too much is sealed rather than too little.
fn places(schema: &Value, config: &Value) -> Option<HashSet<String>> {
    let mut search = Search { root: schema, found: HashSet::new(), seen: HashSet::new() };
    search.look(schema, config, "")?;
    Some(search.found)
}

struct Search<'a> {
    root: &'a Value,
    found: HashSet<String>,
    seen: HashSet<(usize, String)>,
}

impl<'a> Search<'a> {
    fn look(&mut self, schema: &'a Value, value: &Value, place: &str) -> Option<()> {
        let Value::Object(object) = schema else { return Some(()) };
        if !self.seen.insert((std::ptr::from_ref(schema).addr(), place.to_owned())) {
            return Some(());
        }
        if self.seen.len() > MOST_PAIRS {
            return None;
        }
        if object.get("writeOnly") == Some(&Value::Bool(true)) {
            self.found.insert(place.to_owned());
        }
        let referred = object.get("$ref").and_then(Value::as_str).and_then(|name| self.root.pointer(name.get(1..)?));
        let in_place = IN_PLACE.iter().filter_map(|word| object.get(*word)).flat_map(several);
        let in_maps = IN_PLACE_MAPS.iter().filter_map(|word| object.get(*word)?.as_object()).flat_map(Map::values);
        for part in referred.into_iter().chain(in_place).chain(in_maps) {
            self.look(part, value, place)?;
        }
        let within: Vec<&'a Value> = WITHIN.iter().filter_map(|word| object.get(*word)).flat_map(several).collect();
        let patterns = object.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let named = object.get("properties").and_then(Value::as_object);
        let within: Vec<&'a Value> = within.into_iter().chain(patterns).collect();
        match value {
            Value::Object(members) => {
                for (name, item) in members {
                    // What has a schema of its own is not among the others.
                    let own = named.and_then(|named| named.get(name));
                    let parts = if own.is_some() { &[][..] } else { within.as_slice() };
                    for part in parts.iter().copied().chain(own) {
                        self.look(part, item, &member(place, name))?;
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    for part in &within {
                        self.look(part, item, &format!("{place}/{at}"))?;
                    }
                }
            }
            _ => {}
        }
        Some(())
    }
}

/// A keyword holds one schema or several.
fn several(part: &Value) -> impl Iterator<Item = &Value> {
    let (one, several) = match part {
        Value::Array(items) => (None, items.as_slice()),
        other => (Some(other), [].as_slice()),
    };
    one.into_iter().chain(several)
}

fn member(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(schema: &Value, config: &Value) -> Vec<String> {
        let mut places: Vec<String> = places(schema, config).unwrap().into_iter().collect();
        places.sort();
        places
    }

    #[test]
    fn marks_are_found_wherever_a_schema_can_hold_them() {
        let schema = json!({
            "$defs": { "key": { "type": "string", "writeOnly": true } },
            "properties": {
                "apiKey": { "$ref": "#/$defs/key" },
                "shop": { "type": "string" },
                "logins": { "items": { "properties": { "password": { "writeOnly": true } } } },
                "pair": { "prefixItems": [{}, { "writeOnly": true }] },
                "either": { "oneOf": [{ "type": "integer" }, { "writeOnly": true }] },
                "all/of~it": { "writeOnly": true, "type": "object" },
            },
            "patternProperties": { "^secret": { "writeOnly": true } },
        });
        let config = json!({
            "apiKey": "k", "shop": "books", "logins": [{ "user": "u", "password": "p" }, {}], "either": 1,
            "all/of~it": { "a": 1 }, "secret1": 1,
        });
        let expected = ["/all~1of~0it", "/apiKey", "/either", "/logins/0/password", "/secret1"];
        assert_eq!(sorted(&schema, &config), expected);
        assert_eq!(sorted(&schema, &json!({ "pair": [1, 2] })), ["/pair/0", "/pair/1"], "rather too much");
        assert_eq!(sorted(&json!({ "writeOnly": true }), &json!({})), [""]);
        assert_eq!(sorted(&json!({ "properties": { "a": { "writeOnly": false } } }), &json!({ "a": 1 })), [""; 0]);
    }

    #[test]
    fn a_search_ends_however_a_schema_refers_to_itself() {
        let circle = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "allOf": [{ "$ref": "#/$defs/a" }] } } });
        assert_eq!(sorted(&circle, &json!({ "a": 1 })), [""; 0]);
        let parts: Vec<Value> = (0..1_000).map(|_| json!({ "items": { "maximum": 1 } })).collect();
        let config = json!({ "a": vec![1; 1_000] });
        assert_eq!(places(&json!({ "properties": { "a": { "allOf": parts } } }), &config), None);
    }

    #[test]
    fn what_is_sealed_opens_again_and_is_not_shown() {
        let (sealer, client) = (Sealer::new([7; 32]), ClientId(uuid::Uuid::from_u128(1)));
        let schema =
            json!({ "properties": { "key": { "writeOnly": true }, "list": { "items": { "writeOnly": true } } } });
        let config = json!({ "key": "secret", "shop": 7, "list": ["a", 2] });
        let kept = seal(&sealer, client, Some(&schema), &config).unwrap().unwrap();
        assert!(!kept.to_string().contains("secret\""), "{kept}");
        assert_eq!(open(&sealer, client, &kept).unwrap(), config);
        assert!(open(&sealer, ClientId(uuid::Uuid::from_u128(2)), &kept).is_err(), "of another client");
        let (visible, places) = shown(&kept);
        assert_eq!(visible, json!({ "shop": 7, "list": [null, null] }));
        assert_eq!(places, ["/key", "/list/0", "/list/1"]);
        assert_eq!(secret_texts(&kept, &config), ["secret", "a", "2"]);
        assert!(names_the_sealed(&kept) && !names_the_sealed(&config));
    }
}
