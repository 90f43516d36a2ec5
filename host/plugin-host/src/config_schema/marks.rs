//! Finds the parts of a configuration that a schema marks as secret (`writeOnly`). A mark counts in every branch of the
//! schema, because it is better to seal too much than too little.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    compiled_schema::CompiledSchema,
    cost::{MOST_LEVELS, MOST_PAIRS, schemas},
    mark_names::{MARK, has_marks},
    reference::target,
};

/// Most texts and numbers of a configuration that are secrets. Every record of a call is searched for each.
const MOST_SECRETS: usize = 64;

/// Keywords with further schemas for the same value.
const IN_PLACE: [&str; 6] = ["allOf", "anyOf", "oneOf", "if", "then", "else"];
/// Keywords with maps of further schemas for the same value.
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords for the members of an object without a schema of their own.
const OTHER_MEMBERS: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
/// Keywords for the items of a list.
const ITEMS: [&str; 5] = ["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"];

/// The places of a configuration's secrets, as JSON pointers, none within another: marked by the schema, or `known`.
pub(super) fn secrets(compiled: &CompiledSchema, config: &Value, known: &[String]) -> Result<Vec<String>, String> {
    let schema = &compiled.schema;
    let mut search = Search { compiled, marked: HashSet::new(), seen: HashSet::new() };
    if has_marks(schema) && search.look(schema, config, 0).is_none() {
        return Err(
            "cannot be searched for the secrets that the plugin's schema marks: simplify one of them".to_owned()
        );
    }
    search.marked.extend(known.iter().filter_map(|place| config.pointer(place)).map(address));
    let mut gathered = Gathered { marked: &search.marked, places: Vec::new(), left: MOST_SECRETS };
    match gathered.gather(config, &mut String::new()) {
        Some(()) => Ok(gathered.places),
        None => Err(format!(
            "has more than {MOST_SECRETS} secrets, each text and each number counted; write several of them as one text"
        )),
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Visits every pair of a part of the schema and a value once.
struct Search<'a> {
    compiled: &'a CompiledSchema,
    marked: HashSet<usize>,
    seen: HashSet<(usize, usize)>,
}

impl<'a> Search<'a> {
    /// `None` = the limit is exceeded.
    fn look(&mut self, schema: &'a Value, value: &Value, level: u32) -> Option<()> {
        let Value::Object(object) = schema else { return Some(()) };
        if !self.seen.insert((address(schema), address(value))) {
            return Some(());
        }
        if self.seen.len() > MOST_PAIRS || level > MOST_LEVELS {
            return None;
        }
        if object.get(MARK) == Some(&Value::Bool(true)) {
            self.marked.insert(address(value));
        }
        let referred = object.get("$ref").and_then(Value::as_str).and_then(|to| target(&self.compiled.schema, to));
        let in_place = IN_PLACE.iter().filter_map(|word| object.get(*word)).flat_map(schemas);
        let in_maps = IN_PLACE_MAPS.iter().filter_map(|word| object.get(*word)?.as_object()).flat_map(Map::values);
        for part in referred.into_iter().chain(in_place).chain(in_maps) {
            self.look(part, value, level + 1)?;
        }
        match value {
            Value::Object(members) => {
                members.iter().try_for_each(|(name, item)| self.look_at_member(object, name.as_str(), item, level + 1))
            }
            Value::Array(items) => {
                let parts: Vec<&'a Value> =
                    ITEMS.iter().filter_map(|word| object.get(*word)).flat_map(schemas).collect();
                let mut pairs = items.iter().flat_map(|item| parts.iter().map(move |part| (*part, item)));
                pairs.try_for_each(|(part, item)| self.look(part, item, level + 1))
            }
            _ => Some(()),
        }
    }

    /// A member with a schema of its own is not an additional member, but its name may still match a pattern.
    fn look_at_member(&mut self, object: &'a Map<String, Value>, name: &str, item: &Value, level: u32) -> Option<()> {
        let own = object.get("properties").and_then(|named| named.as_object()?.get(name));
        let patterns = object.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        for (pattern, part) in patterns {
            if self.fits(pattern, name) {
                self.look(part, item, level)?;
            }
        }
        if let Some(own) = own {
            return self.look(own, item, level);
        }
        let mut others = OTHER_MEMBERS.iter().filter_map(|word| object.get(*word)).flat_map(schemas);
        others.try_for_each(|part| self.look(part, item, level))
    }

    /// Whether a name matches a pattern, by the rules of the checker.
    fn fits(&self, pattern: &str, name: &str) -> bool {
        let known = self.compiled.names.get(pattern);
        known.is_none_or(|known| known.is_valid(&Value::String(name.to_owned())))
    }
}

/// The outermost marked values.
struct Gathered<'a> {
    marked: &'a HashSet<usize>,
    places: Vec<String>,
    left: usize,
}

impl Gathered<'_> {
    /// `None` = there are too many.
    fn gather(&mut self, value: &Value, place: &mut String) -> Option<()> {
        if self.marked.contains(&address(value)) {
            self.left = self.left.checked_sub(texts(value).max(1))?;
            self.places.push(place.clone());
            return Some(());
        }
        let own = place.len();
        let mut within = |step: &str, item: &Value| {
            place.truncate(own);
            place.push('/');
            place.push_str(step);
            self.gather(item, place)
        };
        match value {
            Value::Object(members) => {
                members.iter().try_for_each(|(name, item)| within(&name.replace('~', "~0").replace('/', "~1"), item))
            }
            Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| within(&at.to_string(), item)),
            _ => Some(()),
        }
    }
}

fn texts(value: &Value) -> usize {
    match value {
        Value::String(_) | Value::Number(_) => 1,
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(members) => members.values().map(texts).sum(),
        Value::Bool(_) | Value::Null => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(schema: &Value, config: &Value, known: &[String]) -> Result<Vec<String>, String> {
        super::secrets(&CompiledSchema::new(schema.clone())?, config, known)
    }

    fn places(schema: &Value, config: &Value) -> Vec<String> {
        let mut places = secrets(schema, config, &[]).unwrap();
        places.sort();
        places
    }

    #[test]
    fn marks_are_found_everywhere_a_schema_can_hold_them() {
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
        assert_eq!(places(&schema, &config), expected);
        assert_eq!(places(&schema, &json!({ "pair": [1, 2] })), ["/pair/0", "/pair/1"], "rather too much");
        assert_eq!(places(&json!({ "writeOnly": true }), &json!({})), [""]);
        assert_eq!(places(&json!({ "properties": { "a": { "writeOnly": false } } }), &json!({ "a": 1 })), [""; 0]);
    }

    #[test]
    fn a_member_with_a_schema_of_its_own_is_secret_too_when_its_name_fits_a_pattern() {
        let schema = json!({
            "properties": { "secretKey": { "type": "string" }, "shop": { "type": "string" } },
            "patternProperties": { "^secret": { "writeOnly": true } },
            "additionalProperties": { "writeOnly": true },
        });
        let config = json!({ "secretKey": "k", "shop": "books", "other": "o" });
        assert_eq!(places(&schema, &config), ["/other", "/secretKey"]);
    }

    #[test]
    fn former_secrets_stay_secret_and_no_secret_contains_another() {
        let schema = json!({ "properties": { "a": { "properties": { "b": { "writeOnly": true } } } } });
        let config = json!({ "a": { "b": "1", "c": "2" }, "d": ["3"] });
        let known = |places: &[&str]| places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>();
        assert_eq!(secrets(&schema, &config, &known(&["/d/0", "/gone"])).unwrap(), ["/a/b", "/d/0"]);
        assert_eq!(secrets(&schema, &config, &known(&["/a"])).unwrap(), ["/a"]);
        assert_eq!(secrets(&json!(true), &config, &known(&["/d"])).unwrap(), ["/d"], "a schema that marks nothing");
    }

    #[test]
    fn a_search_ends_with_any_recursive_schema() {
        let circle = json!({
            "$ref": "#/$defs/a",
            "$defs": { "a": { "allOf": [{ "$ref": "#/$defs/a" }] }, "b": { "writeOnly": true } },
        });
        assert_eq!(places(&circle, &json!({ "a": 1 })), [""; 0]);
        let parts: Vec<Value> = (0..1_000).map(|_| json!({ "items": { "writeOnly": true } })).collect();
        let config = json!({ "a": vec![1; 1_000] });
        assert!(secrets(&json!({ "properties": { "a": { "allOf": parts } } }), &config, &[]).is_err());
        let link = |index: usize| (format!("a{index}"), json!({ "$ref": format!("#/$defs/a{}", index + 1) }));
        let mut links: Map<String, Value> = (0..2_000).map(link).collect();
        links.insert("a2000".into(), json!({ "writeOnly": true }));
        assert!(secrets(&json!({ "$ref": "#/$defs/a0", "$defs": links }), &json!({}), &[]).is_err(), "too deep");
    }

    #[test]
    fn a_configuration_has_so_many_secrets_and_no_more() {
        let schema =
            json!({ "properties": { "list": { "items": { "writeOnly": true } }, "all": { "writeOnly": true } } });
        let with = |list: usize, all: usize| json!({ "list": vec![true; list], "all": vec!["x"; all] });
        assert_eq!(places(&schema, &with(MOST_SECRETS - 2, 2)).len(), MOST_SECRETS - 1);
        let said = secrets(&schema, &with(MOST_SECRETS - 2, 3), &[]).unwrap_err();
        assert!(said.contains("64 secrets"), "{said}");
    }
}
