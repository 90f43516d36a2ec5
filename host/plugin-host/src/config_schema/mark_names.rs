//! Members that a schema marks as secret.

use std::collections::HashSet;

use serde_json::{Map, Value};

pub(super) fn has_marks(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.get(MARK) == Some(&Value::Bool(true)) || object.values().any(has_marks),
        Value::Array(items) => items.iter().any(has_marks),
        _ => false,
    }
}

pub(super) fn patterns_of_names(schema: &Value) -> HashSet<&str> {
    let mut found = HashSet::new();
    let mut rest = vec![schema];
    while let Some(part) = rest.pop() {
        match part {
            Value::Object(object) => {
                let named = object.get("patternProperties").and_then(Value::as_object);
                found.extend(named.into_iter().flat_map(Map::keys).map(String::as_str));
                rest.extend(object.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    found
}

pub(super) const MARK: &str = "writeOnly";
