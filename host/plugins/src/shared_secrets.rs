//! Shared secrets in configurations (ADR 0072): `{"$secret": "crm-key"}` in place of a value. The reference stays in the
//! stored configuration. The value takes its place for each call, so a new value needs no activation.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use base::Result;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::ids::ClientId;
use plugin_host::{SEALED, is_plugin_name};
use serde_json::{Value, json};
use storage::{
    PgConnection,
    plugins::shared_secrets::{self, SealedSecret},
};

/// The only key of the object that stands for a shared secret.
pub(crate) const REFERENCE: &str = "$secret";
/// A grant to all plugins. It is the name of none.
pub(crate) const ALL_PLUGINS: &str = "*";
/// Begins the text of a value that cannot be used. It is no base64.
const MISSING: &str = "missing:";

/// The sealed values of the shared secrets that a plugin may use, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrantedSecrets(BTreeMap<String, String>);

impl GrantedSecrets {
    /// The secrets of these names that are granted to a plugin.
    fn of(plugin: &str, names: &BTreeSet<&str>, stored: &[SealedSecret]) -> Self {
        let granted = stored.iter().filter(|one| names.contains(one.name.as_str()) && allows(&one.plugins, plugin));
        Self(granted.map(|one| (one.name.clone(), STANDARD.encode(&one.value_sealed))).collect())
    }

    /// The configuration with sealed values in place of its references. The value of a reference without a secret does
    /// not open, so that the call fails.
    pub(crate) fn put_into<'a>(&self, config: &'a Value) -> Cow<'a, Value> {
        if !refers(config) {
            return Cow::Borrowed(config);
        }
        Cow::Owned(with_values(config, &|name| {
            let sealed = self.0.get(name).cloned().unwrap_or_else(|| format!("{MISSING}{name}"));
            json!({ SEALED: sealed })
        }))
    }
}

/// Whether stored grants are for a plugin.
pub(crate) fn allows(grants: &[String], plugin: &str) -> bool {
    grants.iter().any(|one| one == ALL_PLUGINS || one == plugin)
}

/// The name of the secret whose value is missing.
pub(crate) fn missing(sealed: &str) -> Option<&str> {
    sealed.strip_prefix(MISSING)
}

/// The name in a reference of the right form.
pub(crate) fn name_in(value: &Value) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get(REFERENCE)?.as_str().filter(|name| is_plugin_name(name))
}

/// The objects of a configuration with the key of a reference, also those of a wrong form, with their places as JSON
/// pointers.
pub(crate) fn references(config: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    find(config, &mut String::new(), &mut found);
    found
}

/// The names of the shared secrets of a configuration.
pub(crate) fn names(config: &Value) -> BTreeSet<&str> {
    references(config).into_iter().filter_map(|(_, reference)| name_in(reference)).collect()
}

/// Reads the secrets of configurations, each of a plugin, in one statement. Without references there is none.
pub(crate) async fn granted(
    db: &mut PgConnection,
    client: ClientId,
    configs: &[(&str, &Value)],
) -> Result<Vec<GrantedSecrets>> {
    let wanted: Vec<BTreeSet<&str>> = configs.iter().map(|(_, config)| names(config)).collect();
    let all: BTreeSet<&str> = wanted.iter().flatten().copied().collect();
    let stored = match all.is_empty() {
        true => Vec::new(),
        false => shared_secrets::with_values(db, client, &all.into_iter().collect::<Vec<_>>()).await?,
    };
    let each = configs.iter().zip(&wanted);
    Ok(each.map(|((plugin, _), names)| GrantedSecrets::of(plugin, names, &stored)).collect())
}

/// The configuration with other values in place of its references.
pub(crate) fn with_values(config: &Value, value: &impl Fn(&str) -> Value) -> Value {
    if let Some(name) = name_in(config) {
        return value(name);
    }
    match config {
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, item)| (name.clone(), with_values(item, value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| with_values(item, value)).collect()),
        other => other.clone(),
    }
}

/// A member or an item in a JSON pointer.
pub(crate) fn step(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn refers(config: &Value) -> bool {
    match config {
        Value::Object(members) => members.contains_key(REFERENCE) || members.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

fn find<'a>(value: &'a Value, place: &mut String, found: &mut Vec<(String, &'a Value)>) {
    let own = place.len();
    match value {
        Value::Object(members) if members.contains_key(REFERENCE) => found.push((place.clone(), value)),
        Value::Object(members) => {
            for (name, item) in members {
                place.push('/');
                place.push_str(&name.replace('~', "~0").replace('/', "~1"));
                find(item, place, found);
                place.truncate(own);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                place.push('/');
                place.push_str(&at.to_string());
                find(item, place, found);
                place.truncate(own);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(name: &str, plugins: &[&str]) -> SealedSecret {
        let plugins = plugins.iter().map(|&plugin| plugin.to_owned()).collect();
        SealedSecret { name: name.to_owned(), value_sealed: name.as_bytes().to_vec(), plugins }
    }

    #[test]
    fn references_are_found_with_their_places_in_any_form() {
        let config = json!({
            "key": { "$secret": "crm" }, "list": [1, { "a/b": { "$secret": "shop" } }], "odd": { "$secret": 7 },
            "more": { "$secret": "crm", "x": 1 }, "$sealed": "AAAA",
        });
        let places: Vec<String> = references(&config).into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, ["/key", "/list/1/a~1b", "/more", "/odd"]);
        assert_eq!(names(&config).into_iter().collect::<Vec<_>>(), ["crm", "shop"]);
        assert_eq!(names(&json!({ "a": { "$secret": "no name" } })).len(), 0);
    }

    #[test]
    fn a_value_takes_the_place_of_a_reference_only_for_a_plugin_with_a_grant() {
        let config = json!({ "a": { "$secret": "crm" }, "b": [{ "$secret": "all" }], "c": { "$secret": "none" } });
        let stored = [stored("all", &["*"]), stored("crm", &["shop"]), stored("none", &[])];
        let for_plugin = |plugin| GrantedSecrets::of(plugin, &names(&config), &stored).put_into(&config).into_owned();
        assert_eq!(
            for_plugin("shop"),
            json!({
                "a": { "$sealed": STANDARD.encode("crm") }, "b": [{ "$sealed": STANDARD.encode("all") }],
                "c": { "$sealed": "missing:none" },
            })
        );
        assert_eq!(for_plugin("shop2")["a"], json!({ "$sealed": "missing:crm" }));
        assert_eq!(missing("missing:crm"), Some("crm"));
        assert_eq!(missing(&STANDARD.encode("crm")), None);
    }

    #[test]
    fn a_configuration_without_references_is_not_copied() {
        let config = json!({ "a": { "secret": "crm" } });
        assert!(matches!(GrantedSecrets::default().put_into(&config), Cow::Borrowed(_)));
    }
}
