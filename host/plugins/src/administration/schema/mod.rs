//! Configurations against the JSON Schema that a plugin exports. The schema is a stranger's: it may refer only to itself,
//! and what reading it and checking with it would cost is worked out before it is done.

mod cost;
mod marks;

use domain::body::FieldFault;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

/// Bytes of a schema.
const MOST_BYTES: usize = 64 * 1024;
/// Parts of a schema, references followed.
const MOST_PARTS: u64 = 100_000;
/// Different regular expressions of a schema.
const MOST_PATTERNS: usize = 64;
/// Bytes that one regular expression takes once it is compiled, and as many while it is looked for.
const PATTERN_BYTES: usize = 512 * 1024;
/// Steps of one check; with so many it takes some tens of milliseconds, and its violations less than 100 MB.
const MOST_STEPS: u64 = 200_000;
/// Steps of a check of which every violation is told. Of a longer one the first is: finding more would take memory for all.
const STEPS_TO_TELL_ALL: u64 = 20_000;
/// Violations that are told.
const MOST_FAULTS: usize = 50;
/// Characters of what is said about one violation: its text may repeat all of the configuration.
const FAULT_LENGTH: usize = 500;
/// Schemas and configurations that are looked at in this process at once, whoever's they are.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// Does what may take long and much memory where it holds nobody up, a few at a time.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let _turn = AT_ONCE.acquire().await.ok()?;
    tokio::task::spawn_blocking(work).await.ok()
}

/// Reads a schema as a plugin exports it.
///
/// # Errors
/// What its author has to change.
pub(super) async fn read(text: String) -> Result<Value, String> {
    let read = apart(move || read_here(&text)).await;
    read.unwrap_or_else(|| Err("the schema of its configuration could not be looked at".to_owned()))
}

fn read_here(text: &str) -> Result<Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("the schema of its configuration has {} bytes; {MOST_BYTES} are allowed", text.len()));
    }
    let schema: Value = serde_json::from_str(text)
        .map_err(|fault| format!("the schema of its configuration is not valid JSON: {fault}"))?;
    if text.contains("\\u0000") {
        return Err("the schema of its configuration contains a NUL character".to_owned());
    }
    only_refers_to_itself(&schema, &schema)?;
    is_small_enough(&schema)?;
    validator(&schema)?;
    Ok(schema)
}

/// What a schema says of a configuration.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// What is wrong with it; empty when nothing.
    pub(super) faults: Vec<FieldFault>,
    /// The places of its secrets, as JSON pointers, none within another.
    pub(super) secrets: Vec<String>,
}

/// The secrets of the configuration that was in force before.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Their places, as JSON pointers.
    pub(super) secrets: Vec<String>,
    /// The configuration that is judged is that one. What was secret in it stays so, whatever a newer schema marks.
    pub(super) is_kept: bool,
}

/// Judges a configuration; `None` when it could not be looked at.
pub(super) async fn judge(schema: Value, config: Value, before: Before) -> Option<Judged> {
    apart(move || judge_here(&schema, &config, &before)).await
}

fn judge_here(schema: &Value, config: &Value, before: &Before) -> Judged {
    let refused = |said: String| Judged { faults: vec![FieldFault::new("config", said)], secrets: Vec::new() };
    let Some(steps) = cost::of_check(schema, config, MOST_STEPS) else {
        let said = "cannot be checked against the plugin's schema: that would take too long; simplify one of them";
        return refused(said.to_owned());
    };
    // One that was stored before there were these bounds.
    if let Err(reason) = is_small_enough(schema) {
        return refused(reason);
    }
    let known = if before.is_kept { before.secrets.as_slice() } else { &[] };
    let secrets = match marks::secrets(schema, config, known) {
        Ok(secrets) => secrets,
        Err(reason) => return refused(reason),
    };
    let validator = match validator(schema) {
        Ok(validator) => validator,
        Err(reason) => return refused(reason),
    };
    let words =
        if secrets.is_empty() && before.secrets.is_empty() { Words::WithValues } else { Words::Without(&secrets) };
    let faults = if validator.is_valid(config) {
        Vec::new()
    } else if steps > STEPS_TO_TELL_ALL {
        validator.validate(config).err().map(|error| words.of(&error)).into_iter().collect()
    } else {
        validator.iter_errors(config).take(MOST_FAULTS).map(|error| words.of(&error)).collect()
    };
    Judged { faults, secrets }
}

/// How violations are told.
enum Words<'a> {
    /// The value that is at fault is repeated.
    WithValues,
    /// No value is: there are secrets, in these places, and what is around one would repeat it too.
    Without(&'a [String]),
}

impl Words<'_> {
    fn of(&self, error: &ValidationError<'_>) -> FieldFault {
        let place = error.instance_path().to_string();
        let (place, said) = match self {
            Self::WithValues => (place, error.to_string()),
            Self::Without(secrets) => match secrets.iter().find(|secret| is_within(&place, secret)) {
                Some(secret) => (secret.clone(), about_a_secret(error)),
                None => (place, error.masked_with("the value").to_string()),
            },
        };
        FieldFault::new(shortened(&format!("config{place}")), shortened(&said))
    }
}

fn is_within(place: &str, secret: &str) -> bool {
    place.strip_prefix(secret).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The names within a secret are secret, too.
fn about_a_secret(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { .. }
        | ValidationErrorKind::UnevaluatedProperties { .. }
        | ValidationErrorKind::PropertyNames { .. } => {
            format!("the secret has members that `{}` does not allow", error.kind().keyword())
        }
        _ => error.masked_with("the secret").to_string(),
    }
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars().map(|character| if character == '\0' { '\u{fffd}' } else { character });
    let mut kept: String = characters.by_ref().take(FAULT_LENGTH).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}

fn validator(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|fault| format!("the schema of its configuration cannot be used: {}", shortened(&fault.to_string())))
}

/// Bounds what compiling a schema takes.
fn is_small_enough(schema: &Value) -> Result<(), String> {
    if cost::parts(schema, MOST_PARTS).is_none() {
        return Err(format!(
            "the schema of its configuration has more than {MOST_PARTS} parts once its references are followed; refer less often"
        ));
    }
    let mut patterns = Vec::new();
    collect_patterns(schema, &mut patterns);
    patterns.sort_unstable();
    patterns.dedup();
    if patterns.len() > MOST_PATTERNS {
        return Err(format!(
            "the schema of its configuration has {} different regular expressions; {MOST_PATTERNS} are allowed",
            patterns.len()
        ));
    }
    Ok(())
}

fn collect_patterns<'a>(schema: &'a Value, patterns: &mut Vec<&'a str>) {
    match schema {
        Value::Object(object) => {
            patterns.extend(object.get("pattern").and_then(Value::as_str));
            let named = object.get("patternProperties").and_then(Value::as_object);
            patterns.extend(named.into_iter().flat_map(Map::keys).map(String::as_str));
            object.values().for_each(|part| collect_patterns(part, patterns));
        }
        Value::Array(items) => items.iter().for_each(|part| collect_patterns(part, patterns)),
        _ => {}
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{read_here as read, *};

    fn violations(schema: &Value, config: &Value) -> Vec<FieldFault> {
        judge_here(schema, config, &Before::default()).faults
    }

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

    /// A configuration with so many empty objects against a schema that requires so many names of each.
    fn requires(names: usize, objects: usize) -> (Value, Value) {
        let names: Vec<String> = (0..names).map(|index| format!("n{index}")).collect();
        let schema = json!({ "additionalProperties": { "type": "object", "required": names } });
        let config = (0..objects).map(|index| (format!("o{index}"), json!({}))).collect::<Map<_, _>>();
        (schema, Value::Object(config))
    }

    #[test]
    fn names_that_are_required_count_for_every_object() {
        let (schema, config) = requires(5_000, 5_000);
        assert!(read(&schema.to_string()).is_ok(), "the schema alone is fine");
        let faults = violations(&schema, &config);
        assert_eq!(faults.len(), 1, "{}", faults.len());
        assert!(faults[0].message.contains("too long"), "{}", faults[0].message);
    }

    #[test]
    fn of_a_large_check_the_first_violation_is_told_and_of_a_small_one_all() {
        let (schema, config) = requires(100, 100);
        assert_eq!(violations(&schema, &config).len(), MOST_FAULTS);
        let (schema, config) = requires(1_000, 100);
        let faults = violations(&schema, &config);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].message.contains("required"), "{}", faults[0].message);
        let (schema, config) = requires(3_000, 100);
        assert!(violations(&schema, &config)[0].message.contains("too long"));
    }

    #[test]
    fn what_values_are_compared_with_counts_for_every_value() {
        let names: Vec<Value> = (0..5_000).map(|index| json!(format!("n{index}"))).collect();
        let config = json!({ "a": (0..5_000).collect::<Vec<_>>() });
        for items in [json!({ "enum": names }), json!({ "const": names }), json!({ "allOf": [{ "enum": names }] })] {
            let schema = json!({ "properties": { "a": { "items": items } } });
            assert!(violations(&schema, &config)[0].message.contains("too long"), "{schema:.100}");
        }
        let schema = json!({ "propertyNames": { "enum": names } });
        let config: Map<String, Value> = (0..5_000).map(|index| (format!("n{index}"), json!(1))).collect();
        assert!(violations(&schema, &Value::Object(config))[0].message.contains("too long"));
        let schema = json!({ "properties": { "a": { "items": { "enum": ["x", 1, 2] } } } });
        assert_eq!(violations(&schema, &json!({ "a": [1, 2, 1, 3] })).len(), 1);
    }

    #[test]
    fn a_configuration_as_large_as_it_may_be_is_checked_by_an_ordinary_schema() {
        let entry = json!({
            "type": "object",
            "required": ["name", "team"],
            "properties": {
                "name": { "type": "string", "minLength": 1, "maxLength": 40 },
                "team": { "enum": ["sales", "support", "billing"] },
                "open": { "type": "boolean" },
            },
            "additionalProperties": false,
        });
        let schema = json!({ "properties": { "entries": { "type": "array", "items": entry } } });
        let of = |index: usize| json!({ "name": format!("entry {index}"), "team": "sales", "open": true });
        let entries: Vec<Value> = (0..1_300).map(of).collect();
        let config = json!({ "entries": entries });
        assert!(config.to_string().len() > 60_000);
        assert_eq!(violations(&schema, &config), []);
    }

    #[test]
    fn what_is_said_about_a_violation_is_no_longer_than_it_need_be() {
        let schema = json!({ "properties": { "a": { "type": "integer" } } });
        let faults = violations(&schema, &json!({ "a": "x".repeat(60_000) }));
        assert_eq!(faults[0].message.chars().count(), FAULT_LENGTH + 1);
    }

    #[test]
    fn references_that_double_and_double_again_are_refused_before_they_are_followed() {
        let double = |levels: usize| {
            let link = |index| {
                let next = json!({ "$ref": format!("#/$defs/a{}", index + 1) });
                (format!("a{index}"), json!({ "properties": { "x": next, "y": next } }))
            };
            let mut defs: Map<String, Value> = (0..levels).map(link).collect();
            defs.insert(format!("a{levels}"), json!({ "type": "object" }));
            json!({ "$ref": "#/$defs/a0", "$defs": defs }).to_string()
        };
        assert!(read(&double(8)).is_ok());
        assert!(read(&double(40)).unwrap_err().contains("refer less often"));
    }

    #[test]
    fn regular_expressions_are_bounded_in_number_and_in_size() {
        let with = |count: usize| {
            let one =
                |index: usize| (format!("p{index}"), json!({ "type": "string", "pattern": format!("^a{index}$") }));
            json!({ "properties": (0..count).map(one).collect::<Map<_, _>>() }).to_string()
        };
        assert!(read(&with(MOST_PATTERNS)).is_ok());
        assert!(read(&with(MOST_PATTERNS + 1)).unwrap_err().contains("65 different regular expressions"));
        let named: Map<String, Value> = (0..65).map(|index| (format!("^a{index}$"), json!({}))).collect();
        assert!(read(&json!({ "patternProperties": named }).to_string()).is_err());
        assert!(read(&json!({ "pattern": r"^[\w.+-]+@[\w-]+\.[\w.-]+$" }).to_string()).is_ok(), "an ordinary one");
        assert!(read(&json!({ "pattern": r"\p{L}{2000}" }).to_string()).is_err());
    }

    #[test]
    fn texts_that_are_matched_count_by_their_length() {
        let schema = json!({ "additionalProperties": { "pattern": "^(a|aa)*$" } });
        let text = "a".repeat(1_000);
        let with = |count: usize| (0..count).map(|index| (index.to_string(), json!(text))).collect::<Map<_, _>>();
        assert!(violations(&schema, &Value::Object(with(10))).is_empty());
        assert!(violations(&schema, &Value::Object(with(60)))[0].message.contains("too long"));
    }

    #[test]
    fn patterns_take_no_longer_than_the_text_is_long() {
        let schema = json!({ "properties": { "a": { "pattern": "^(a+)+$" } } });
        assert_eq!(violations(&schema, &json!({ "a": format!("{}b", "a".repeat(10_000)) })).len(), 1);
        assert!(read(&json!({ "pattern": "(a{1000}){1000}" }).to_string()).is_err());
    }

    #[test]
    fn no_violation_repeats_a_value_of_a_configuration_with_secrets() {
        let schema = json!({
            "type": "object",
            "properties": {
                "key": { "type": "string", "maxLength": 8, "writeOnly": true },
                "login": { "writeOnly": true, "properties": { "pin": { "type": "integer" } }, "additionalProperties": false },
                "hours": { "type": "integer" },
            },
            "maxProperties": 2,
        });
        let config = json!({ "key": "line 1\nline 2", "login": { "hunter2": 1, "pin": "4711" }, "hours": "eight" });
        let judged = judge_here(&schema, &config, &Before::default());
        assert_eq!(judged.secrets, ["/key", "/login"]);
        let told: Vec<(&str, &str)> =
            judged.faults.iter().map(|fault| (fault.field.as_str(), fault.message.as_str())).collect();
        assert!(told.contains(&("config/key", "the secret is longer than 8 characters")), "{told:?}");
        assert!(told.contains(&("config/login", "the secret is not of type \"integer\"")), "{told:?}");
        assert!(told.contains(&("config/hours", "the value is not of type \"integer\"")), "{told:?}");
        let all = format!("{told:?}");
        assert!(!["line", "hunter2", "4711", "eight"].iter().any(|value| all.contains(value)), "{all}");
    }

    #[test]
    fn a_schema_that_forgot_a_mark_does_not_make_a_secret_a_value() {
        let schema = json!({ "properties": { "key": { "type": "integer" } } });
        let config = json!({ "key": "open-sesame" });
        for (is_kept, secrets) in [(true, vec!["/key".to_owned()]), (false, vec![])] {
            let judged = judge_here(&schema, &config, &Before { secrets: vec!["/key".into()], is_kept });
            assert_eq!(judged.secrets, secrets);
            assert!(!judged.faults[0].message.contains("sesame"), "{:?}", judged.faults);
        }
        assert!(violations(&schema, &config)[0].message.contains("sesame"), "where nothing is secret");
    }
}
