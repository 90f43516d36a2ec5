//! Examples of bodies that have none of their own, made from the examples of their fields.

use serde_json::{Map, Value, json};

use super::operations::bodies;

/// Most steps into a schema, so that schemas that contain themselves end.
const DEPTH: u8 = 16;

/// The types of bodies that schemas describe. An example of XML is the equal JSON.
const DESCRIBED: [&str; 3] = ["application/json", "application/x-www-form-urlencoded", "application/xml"];

pub(super) fn add(document: &mut Value) {
    let schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    bodies(document, |media_type, content| {
        let is_text = content.get("schema") == Some(&json!({ "type": "string" }));
        if !DESCRIBED.contains(&media_type)
            || is_text
            || content.contains_key("example")
            || content.contains_key("examples")
        {
            return;
        }
        if let Some(example) = content.get("schema").and_then(|schema| of(schema, &schemas, DEPTH)) {
            content.insert("example".to_owned(), example);
        }
    });
}

/// An example of a schema; `None` if it cannot be made.
fn of(schema: &Value, schemas: &Value, depth: u8) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    if let Some(example) = schema.get("example").or_else(|| schema.pointer("/examples/0")) {
        return Some(example.clone());
    }
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return of(schemas.get(name.rsplit('/').next()?)?, schemas, depth);
    }
    if let Some(value) = schema.get("const").or_else(|| schema.get("default")).or_else(|| schema.pointer("/enum/0")) {
        return Some(value.clone());
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let mut whole = Map::new();
        for part in parts {
            if let Value::Object(fields) = of(part, schemas, depth)? {
                whole.extend(fields);
            }
        }
        return Some(Value::Object(whole));
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(choices) = schema.get(choice).and_then(Value::as_array) {
            let given = choices.iter().filter(|choice| choice.get("type") != Some(&json!("null")));
            return given.filter_map(|choice| of(choice, schemas, depth)).next();
        }
    }
    match kind(schema) {
        // A schema without a type takes every value.
        None if schema.get("properties").is_none() => Some(json!({})),
        None => None,
        Some(kind) => example_of_type(kind, schema, schemas, depth),
    }
}

fn example_of_type(kind: &str, schema: &Value, schemas: &Value, depth: u8) -> Option<Value> {
    match kind {
        "object" => object(schema, schemas, depth),
        "array" => Some(json!([of(schema.get("items")?, schemas, depth)?])),
        "string" => Some(json!(text(schema))),
        "integer" | "number" => Some(schema.get("minimum").cloned().unwrap_or(json!(1))),
        "boolean" => Some(json!(true)),
        _ => None,
    }
}

fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    }
}

fn object(schema: &Value, schemas: &Value, depth: u8) -> Option<Value> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut example = Map::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        match of(property, schemas, depth) {
            Some(value) => drop(example.insert(name.clone(), value)),
            None if required.contains(&name.as_str()) => return None,
            None => {}
        }
    }
    Some(Value::Object(example))
}

fn text(schema: &Value) -> &str {
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
        Some("date-time") => "2026-01-31T08:15:30.123Z",
        Some("date") => "2026-01-31",
        Some("uri") => "https://shop.example/file",
        Some("email") => "thandi@shop.example",
        _ => "text",
    }
}
