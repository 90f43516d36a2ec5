//! Checks that a JSON value contains another one.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SubsetDifference {
    /// The path, such as `target.name`. Empty for the whole value.
    pub(crate) path: String,
    pub(crate) expected: Value,
    pub(crate) got: Option<Value>,
}

/// The places where `got` lacks something. Objects may have more fields, lists must have the same length, `null` matches absence.
pub(crate) fn differences(expected: &Value, got: &Value) -> Vec<SubsetDifference> {
    let mut found = vec![];
    compare(String::new(), expected, Some(got), &mut found);
    found
}

fn compare(path: String, expected: &Value, got: Option<&Value>, found: &mut Vec<SubsetDifference>) {
    match (expected, got) {
        (Value::Null, None) => {}
        (Value::Object(fields), Some(Value::Object(other))) => {
            for (name, field) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(path, field, other.get(name), found);
            }
        }
        (Value::Array(items), Some(Value::Array(others))) if items.len() == others.len() => {
            for (index, (item, other)) in items.iter().zip(others).enumerate() {
                compare(format!("{path}[{index}]"), item, Some(other), found);
            }
        }
        (expected, Some(got)) if same(expected, got) => {}
        (expected, got) => found.push(SubsetDifference { path, expected: expected.clone(), got: got.cloned() }),
    }
}

/// `1` and `1.0` are the same number.
fn same(expected: &Value, got: &Value) -> bool {
    match (expected.as_f64(), got.as_f64()) {
        (Some(expected), Some(got)) => expected == got,
        _ => expected == got,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn additional_fields_are_accepted_and_missing_ones_are_not() {
        let got = json!({"a": 1, "b": {"c": [1, {"d": "x", "e": null}]}});
        assert!(differences(&json!({"a": 1.0, "b": {"c": [1, {"d": "x"}]}, "z": null}), &got).is_empty());
        let found = differences(&json!({"a": 2, "b": {"c": [1, {"d": "y"}]}, "q": 1}), &got);
        let paths: Vec<&str> = found.iter().map(|difference| difference.path.as_str()).collect();
        assert_eq!(paths, ["a", "b.c[1].d", "q"]);
        assert_eq!(differences(&json!([1]), &json!([1, 2])).len(), 1);
    }
}
