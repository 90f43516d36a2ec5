//! Configurations against the JSON Schema that a plugin exports. The schema is a stranger's: it may refer only to itself,
//! and what checking would cost is worked out before it is done.

use std::collections::{HashMap, HashSet};

use domain::body::FieldFault;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value};

/// Bytes of a schema.
const MOST_BYTES: usize = 64 * 1024;
/// Steps of one check; a million take about a tenth of a second.
const MOST_STEPS: u64 = 1_000_000;
/// Different pairs of a schema's part and a configuration's part.
const MOST_PAIRS: usize = 100_000;
/// Schemas within schemas, references followed.
const MOST_LEVELS: u32 = 100;
/// Violations that are told.
const MOST_FAULTS: usize = 50;

/// Schemas that judge the same value.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Maps of schemas that judge the same value.
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Schemas that judge every value within.
const WITHIN: [&str; 9] = [
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];

/// Reads a schema as a plugin exports it.
///
/// # Errors
/// What its author has to change.
pub(super) fn read(text: &str) -> Result<Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("the schema of its configuration has {} bytes; {MOST_BYTES} are allowed", text.len()));
    }
    let schema: Value = serde_json::from_str(text)
        .map_err(|fault| format!("the schema of its configuration is not valid JSON: {fault}"))?;
    if text.contains("\\u0000") {
        return Err("the schema of its configuration contains a NUL character".to_owned());
    }
    only_refers_to_itself(&schema, &schema)?;
    validator(&schema)?;
    Ok(schema)
}

/// What a configuration breaks of a schema; empty when nothing. Blocks for up to a second.
pub(super) fn violations(schema: &Value, config: &Value) -> Vec<FieldFault> {
    let mut cost = Cost { root: schema, known: HashMap::new(), open: HashSet::new() };
    if cost.of(schema, config, 0).is_none_or(|(steps, _)| steps > MOST_STEPS) {
        let said = "cannot be checked against the plugin's schema: that would take too long; simplify one of them";
        return vec![FieldFault::new("config", said)];
    }
    match validator(schema) {
        Ok(validator) => validator.iter_errors(config).take(MOST_FAULTS).map(|error| fault(&error)).collect(),
        Err(reason) => vec![FieldFault::new("config", reason)],
    }
}

fn fault(error: &jsonschema::ValidationError<'_>) -> FieldFault {
    let path = format!("config{}", error.instance_path());
    FieldFault::new(path, error.to_string().replace('\0', "\u{fffd}"))
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .map_err(|fault| format!("the schema of its configuration cannot be used: {fault}"))
}

/// References to elsewhere are not followed, and `$id` would let a reference mean something else than it says.
fn only_refers_to_itself(schema: &Value, root: &Value) -> Result<(), String> {
    match schema {
        Value::Object(object) => {
            for word in ["$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"] {
                if object.get(word).is_some_and(Value::is_string) {
                    return Err(format!("the schema of its configuration uses `{word}`, which is not supported"));
                }
            }
            if let Some(Value::String(reference)) = object.get("$ref")
                && target(root, reference).is_none()
            {
                return Err(format!(
                    "the schema of its configuration refers to `{reference}`; only parts of itself can be referred to, \
                     as in `#/$defs/name`"
                ));
            }
            if !std::ptr::eq(schema, root) && object.get("$id").is_some_and(Value::is_string) {
                return Err("the schema of its configuration uses `$id` below its root".to_owned());
            }
            object.values().try_for_each(|value| only_refers_to_itself(value, root))
        }
        Value::Array(items) => items.iter().try_for_each(|item| only_refers_to_itself(item, root)),
        _ => Ok(()),
    }
}

fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.contains('%') { None } else { root.pointer(pointer) }
}

/// What checking would cost. Every pair of a schema and a value is looked at once; the checker may look at it often.
struct Cost<'a> {
    root: &'a Value,
    known: HashMap<(usize, usize), (u64, u32)>,
    /// Pairs that are being looked at: coming back to one of them would never end.
    open: HashSet<(usize, usize)>,
}

impl<'a> Cost<'a> {
    /// Steps, and levels of schemas within; `None` = too many.
    fn of(&mut self, schema: &'a Value, value: &Value, level: u32) -> Option<(u64, u32)> {
        let pair = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        let found = match self.known.get(&pair) {
            Some(found) => *found,
            None => {
                if level >= MOST_LEVELS || self.known.len() >= MOST_PAIRS || !self.open.insert(pair) {
                    return None;
                }
                let found = match schema {
                    Value::Object(object) => self.of_object(object, value, level + 1)?,
                    _ => (1, 1),
                };
                self.open.remove(&pair);
                self.known.insert(pair, found);
                found
            }
        };
        (level + found.1 <= MOST_LEVELS).then_some(found)
    }

    fn of_object(&mut self, schema: &'a Map<String, Value>, value: &Value, level: u32) -> Option<(u64, u32)> {
        let mut sum = Sum { steps: 1 + schema.len() as u64, levels: 1 };
        if let Some(Value::String(reference)) = schema.get("$ref")
            && let Some(target) = target(self.root, reference)
        {
            sum.add(self.of(target, value, level)?);
        }
        for part in IN_PLACE.iter().filter_map(|word| schema.get(*word)).flat_map(schemas) {
            // Looked at once for the verdict and once for the reasons.
            let cost = self.of(part, value, level)?;
            sum.add(cost);
            sum.add(cost);
        }
        for part in IN_PLACE_MAPS.iter().filter_map(|word| schema.get(*word)?.as_object()).flat_map(Map::values) {
            sum.add(self.of(part, value, level)?);
        }
        let within: Vec<&'a Value> = WITHIN
            .iter()
            .filter_map(|word| schema.get_key_value(*word))
            .flat_map(|(word, part)| match (word.as_str(), part) {
                ("patternProperties", Value::Object(patterns)) => patterns.values().collect(),
                (_, part) => schemas(part).collect::<Vec<_>>(),
            })
            .collect();
        let named = schema.get("properties").and_then(Value::as_object);
        for (name, item) in children(value) {
            let own = name.and_then(|name| named?.get(name));
            for part in within.iter().copied().chain(own) {
                sum.add(self.of(part, item, level)?);
            }
        }
        if schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems") {
            sum.steps = sum.steps.saturating_mul(2);
        }
        Some((sum.steps, sum.levels))
    }
}

struct Sum {
    steps: u64,
    levels: u32,
}

impl Sum {
    fn add(&mut self, (steps, levels): (u64, u32)) {
        self.steps = self.steps.saturating_add(steps);
        self.levels = self.levels.max(levels + 1);
    }
}

/// A keyword holds one schema or several.
fn schemas(part: &Value) -> impl Iterator<Item = &Value> {
    let (one, several) = match part {
        Value::Array(items) => (None, items.as_slice()),
        other => (Some(other), [].as_slice()),
    };
    one.into_iter().chain(several)
}

fn children(value: &Value) -> Vec<(Option<&str>, &Value)> {
    match value {
        Value::Object(object) => object.iter().map(|(name, item)| (Some(name.as_str()), item)).collect(),
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!({}), |inner, _| json!({ "c": inner }))
    }

    #[test]
    fn every_violation_is_told_with_its_path() {
        let schema = json!({
            "type": "object",
            "required": ["team"],
            "properties": {
                "team": { "type": "string" },
                "hours": { "type": "array", "items": { "type": "integer", "minimum": 0 } },
            },
            "additionalProperties": false,
        });
        let faults = violations(&schema, &json!({ "hours": [1, -1, "x"], "colour": 1 }));
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(fields.contains(&"config/hours/1") && fields.contains(&"config/hours/2"), "{fields:?}");
        assert!(faults.iter().any(|fault| fault.field == "config" && fault.message.contains("team")), "{faults:?}");
        assert!(violations(&schema, &json!({ "team": "sales", "hours": [8, 17] })).is_empty());
    }

    #[test]
    fn a_schema_may_only_refer_to_itself() {
        for reference in ["http://127.0.0.1/x", "file:///etc/passwd", "other.json", "#/$defs/none", "#name"] {
            let said = read(&json!({ "$ref": reference }).to_string()).unwrap_err();
            assert!(said.contains(reference), "{said}");
        }
        assert!(read(&json!({ "$defs": { "a": { "type": "string" } }, "$ref": "#/$defs/a" }).to_string()).is_ok());
        assert!(read("{").unwrap_err().contains("not valid JSON"));
        assert!(read(r#"{"type":"nonsense"}"#).unwrap_err().contains("cannot be used"));
        assert!(read(&format!(r#"{{"title":"{}"}}"#, "x".repeat(MOST_BYTES))).unwrap_err().contains("bytes"));
    }

    #[test]
    fn a_schema_that_describes_trees_is_fine() {
        let tree = json!({ "type": "object", "properties": { "c": { "$ref": "#" } }, "additionalProperties": false });
        assert!(violations(&tree, &nested(40)).is_empty());
        let wrong = violations(&tree, &json!({ "c": { "c": { "d": 1 } } }));
        assert_eq!(wrong[0].field, "config/c/c");
    }

    #[test]
    fn checks_that_would_never_end_are_not_begun() {
        let doubling = json!({ "properties": { "c": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } } });
        assert!(violations(&doubling, &nested(5)).is_empty());
        assert!(violations(&doubling, &nested(45))[0].message.contains("too long"));
        let circle = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "allOf": [{ "$ref": "#/$defs/a" }] } } });
        assert!(violations(&circle, &json!({}))[0].message.contains("too long"));
    }

    #[test]
    fn the_deepest_check_that_is_made_fits_the_stack() {
        let chain = |length: usize| {
            let link = |index| (format!("a{index}"), json!({ "$ref": format!("#/$defs/a{}", index + 1) }));
            let mut defs: Map<String, Value> = (0..length).map(link).collect();
            defs.insert(format!("a{length}"), json!({ "type": "object" }));
            json!({ "$ref": "#/$defs/a0", "$defs": defs })
        };
        assert!(violations(&chain(90), &json!({})).is_empty());
        assert!(violations(&chain(2_000), &json!({}))[0].message.contains("too long"));
    }

    #[test]
    fn patterns_take_no_longer_than_the_text_is_long() {
        let schema = json!({ "properties": { "a": { "pattern": "^(a+)+$" } } });
        assert_eq!(violations(&schema, &json!({ "a": format!("{}b", "a".repeat(10_000)) })).len(), 1);
        assert!(read(&json!({ "pattern": "(a{1000}){1000}" }).to_string()).is_err());
    }
}
