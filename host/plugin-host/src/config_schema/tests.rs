use serde_json::{Map, json};

use super::{message::FAULT_LENGTH, patterns::Patterns, *};

fn read(text: &str) -> Result<Value, String> {
    parse(text).and_then(CompiledSchema::new).map(|compiled| compiled.schema)
}

fn judged(schema: &Value, config: &Value, before: &PreviousSecrets) -> SchemaVerdict {
    match CompiledSchema::new(schema.clone()) {
        Ok(compiled) => judge(&compiled, config, before, &[]),
        Err(problem) => SchemaVerdict::refused("config", problem),
    }
}

fn violations(schema: &Value, config: &Value) -> Vec<FieldFault> {
    judged(schema, config, &PreviousSecrets::default()).faults
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!({}), |inner, _| json!({ "c": inner }))
}

#[test]
fn every_violation_is_reported_with_its_path() {
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
fn formats_are_checked_except_unknown_ones_and_expressions() {
    for (format, fine, wrong) in [
        ("date", "2026-02-28", "2026-02-30"),
        ("date-time", "2026-01-05T09:00:00Z", "9 o'clock"),
        ("email", "shop@shop.example", "shop"),
        ("uri", "https://shop.example/a", "shop example"),
        ("uuid", "0199f3c2-0000-7000-8000-000000000001", "0199"),
    ] {
        let schema = json!({ "properties": { "a": { "type": "string", "format": format } } });
        assert!(violations(&schema, &json!({ "a": fine })).is_empty(), "{format}");
        let faults = violations(&schema, &json!({ "a": wrong }));
        assert_eq!(faults.len(), 1, "{format}");
        assert!(faults[0].field == "config/a" && faults[0].message.contains(format), "{faults:?}");
    }
    for format in ["colour", "regex"] {
        let schema = json!({ "properties": { "a": { "format": format } } });
        assert!(violations(&schema, &json!({ "a": "(" })).is_empty(), "{format}");
    }
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
fn endless_checks_are_not_started() {
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
    assert!(violations(&chain(150), &json!({}))[0].message.contains("too long"));
    assert!(violations(&chain(2_000), &json!({}))[0].message.contains("refer less often"));
}

/// A configuration with `objects` empty objects and a schema that requires `names` names of each.
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
fn a_large_check_reports_the_first_violation_and_a_small_one_reports_all() {
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
fn the_cost_of_a_comparison_counts_for_every_value() {
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
fn a_flow_as_large_as_it_may_be_is_checked() {
    let schema: Value = serde_json::from_str(include_str!("../../../../plugins/flow/config.schema.json")).unwrap();
    let node = |index: usize| {
        let text = json!({ "en": "We deliver within two days.", "af": "Ons lewer binne twee dae af." });
        (format!("node-{index}"), json!({ "type": "message", "text": text, "next": "node-0" }))
    };
    let config = json!({ "start": "node-0", "nodes": (0..500).map(node).collect::<Map<_, _>>() });
    assert!(config.to_string().len() > 60_000);
    assert_eq!(violations(&schema, &config), []);
}

#[test]
fn the_text_of_a_violation_is_as_short_as_possible() {
    let schema = json!({ "properties": { "a": { "type": "integer" } } });
    let faults = violations(&schema, &json!({ "a": "x".repeat(60_000) }));
    assert_eq!(faults[0].message.chars().count(), FAULT_LENGTH + 1);
}

#[test]
fn exponential_references_are_refused_before_they_are_followed() {
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

/// A check of `members` members with a text of `length` bytes, each matched with a regular expression.
fn matched(members: usize, length: usize, pattern: &str) -> Vec<FieldFault> {
    let schema = json!({ "additionalProperties": { "pattern": pattern } });
    let texts = (0..members).map(|index| (format!("m{index}"), json!("b".repeat(length))));
    violations(&schema, &Value::Object(texts.collect()))
}

#[test]
fn the_length_of_texts_times_the_size_of_expressions_is_bounded() {
    let pattern = "^a{1,2000}$";
    let states = Patterns::of(&json!({ "pattern": pattern })).unwrap().states(pattern);
    let most = usize::try_from(cost::MOST_MATCHED / states).unwrap() - 1;
    assert_eq!(matched(1, most, pattern).len(), 1, "{most} bytes are compared, and are too many for the expression");
    assert!(!matched(1, most, pattern)[0].message.contains("too long to compare"));
    let refused = &matched(1, most + 1, pattern)[0];
    assert_eq!(refused.field, "config/m0");
    assert!(
        refused.message.contains("too long to compare") && refused.message.contains("shorten the texts"),
        "{refused:?}"
    );
    let together = &matched(5, most / 4, pattern)[0];
    assert!(together.field.starts_with("config/m") && together.message.contains("5000000"), "{together:?}");
    assert!(matched(5, most / 5 - 1, "^b*$").is_empty());
}

/// The shape of a schema that once delayed the activations of all clients for two minutes.
#[test]
fn many_large_expressions_for_one_text_are_refused_before_they_are_compared() {
    let each = |index: usize| json!({ "pattern": format!("^x{index}[^a]{{5}}$") });
    let schema = json!({ "properties": { "text": { "allOf": (0..64).map(each).collect::<Vec<_>>() } } });
    let faults = violations(&schema, &json!({ "text": "b".repeat(12 * 1024), "other": "c" }));
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].field, "config/text");
    assert!(faults[0].message.contains("too long to compare"), "{faults:?}");
}

#[test]
fn names_are_matched_like_texts_through_every_path_of_the_schema() {
    let pattern = "^a{1,2000}$";
    let config = |length: usize| json!({ "within": { "a".repeat(length): 1 } });
    let by_pattern = json!({ "properties": { "within": { "patternProperties": { pattern: {} } } } });
    let judge = json!({ "$ref": "#/$defs/name" });
    let by_names = json!({
        "$defs": { "name": { "pattern": pattern } },
        "properties": { "within": { "propertyNames": judge } },
    });
    for schema in [by_pattern, by_names] {
        assert!(!violations(&schema, &config(300)).iter().any(|fault| fault.message.contains("too long")), "{schema}");
        let refused = &violations(&schema, &config(20_000))[0];
        assert_eq!(refused.field, "config/within");
        assert!(refused.message.contains("too long to compare"), "{refused:?}");
    }
}

#[test]
fn matches_take_no_longer_than_the_text_is_long() {
    let schema = json!({ "properties": { "a": { "pattern": "^(a+)+$" } } });
    assert_eq!(violations(&schema, &json!({ "a": format!("{}b", "a".repeat(10_000)) })).len(), 1);
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
    let judged = judged(&schema, &config, &PreviousSecrets::default());
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
fn a_schema_without_a_mark_does_not_reveal_an_old_secret() {
    let schema = json!({ "properties": { "key": { "type": "integer" } } });
    let config = json!({ "key": "open-sesame" });
    for (is_kept, secrets) in [(true, vec!["/key".to_owned()]), (false, vec![])] {
        let judged = judged(&schema, &config, &PreviousSecrets { secrets: vec!["/key".into()], is_kept });
        assert_eq!(judged.secrets, secrets);
        assert!(!judged.faults[0].message.contains("sesame"), "{:?}", judged.faults);
    }
    assert!(violations(&schema, &config)[0].message.contains("sesame"), "where nothing is secret");
}
