//! Makes the document clean for tools. The derived parts repeat schemas, keep unused components, and lack examples.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::operations::bodies;

pub(super) fn clean(document: &mut Value) {
    refer_to_items(document);
    describe_bytes(document);
    drop_unused(document);
    super::examples::add(document);
}

/// The schema of a page of `T` has `T` as a copy: generators would make a second type of it.
fn refer_to_items(document: &mut Value) {
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    let mut found = Map::new();
    for (name, schema) in schemas.iter_mut() {
        let Some(item) = name.strip_prefix("Page_") else { continue };
        if let Some(items) = schema.pointer_mut("/properties/content/items") {
            let reference = json!({ "$ref": format!("#/components/schemas/{item}") });
            found.insert(item.to_owned(), std::mem::replace(items, reference));
        }
    }
    for (name, schema) in found {
        schemas.entry(name).or_insert(schema);
    }
}

/// A body of bytes is derived as an array of numbers.
fn describe_bytes(document: &mut Value) {
    let bytes = json!({ "type": "array", "items": { "type": "integer", "format": "int32", "minimum": 0 } });
    bodies(document, |_, content| {
        if let Some(schema) = content.get_mut("schema").filter(|schema| **schema == bytes) {
            *schema = json!({ "type": "string", "format": "binary" });
        }
    });
}

fn drop_unused(document: &mut Value) {
    loop {
        let mut used = BTreeSet::new();
        references(document, &mut used);
        let mut dropped = false;
        let components = document.get_mut("components").and_then(Value::as_object_mut);
        for (kind, components) in components.into_iter().flatten().filter(|(kind, _)| *kind != "securitySchemes") {
            let Some(components) = components.as_object_mut() else { continue };
            let before = components.len();
            components.retain(|name, _| used.contains(&format!("#/components/{kind}/{name}")));
            dropped |= components.len() < before;
        }
        if !dropped {
            return;
        }
    }
}

fn references(value: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            used.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| references(field, used));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, used)),
        _ => {}
    }
}
