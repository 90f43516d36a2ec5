//! Describes the first difference between two JSON values.

use serde_json::Value;

/// Longest value that is shown in full, in characters.
const SHOWN: usize = 200;

/// For example `actions[0].text: then "Hello", now "Hi"`; `None` if the values are equal.
pub(crate) fn first(then: &Value, now: &Value) -> Option<String> {
    find("", Some(then), Some(now))
}

fn find(path: &str, then: Option<&Value>, now: Option<&Value>) -> Option<String> {
    if then == now {
        return None;
    }
    match (then, now) {
        (Some(Value::Object(then)), Some(Value::Object(now))) if then.get("type") == now.get("type") => {
            let added = now.keys().filter(|name| !then.contains_key(*name));
            then.keys().chain(added).find_map(|name| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                find(&path, then.get(name), now.get(name))
            })
        }
        (Some(Value::Array(then)), Some(Value::Array(now))) => (0..then.len().max(now.len()))
            .find_map(|index| find(&format!("{path}[{index}]"), then.get(index), now.get(index))),
        _ => {
            let path = if path.is_empty() { "the result" } else { path };
            Some(format!("{path}: then {}, now {}", show(then), show(now)))
        }
    }
}

fn show(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".into() };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named_by_its_path_with_both_values() {
        let then = json!({ "actions": [{ "type": "reply-text", "text": "Hello" }], "logs": [] });
        let now = json!({ "actions": [{ "type": "reply-text", "text": "Hi" }], "logs": [] });
        assert_eq!(first(&then, &now).unwrap(), r#"actions[0].text: then "Hello", now "Hi""#);
        assert_eq!(first(&then, &then), None);
    }

    #[test]
    fn a_value_on_only_one_side_is_shown_as_absent_on_the_other() {
        let (one, two) = (json!([1]), json!([1, { "type": "close" }]));
        assert_eq!(first(&one, &two).unwrap(), r#"[1]: then nothing, now {"type":"close"}"#);
        assert_eq!(first(&two, &one).unwrap(), r#"[1]: then {"type":"close"}, now nothing"#);
        assert_eq!(first(&json!({}), &json!({ "a": null })).unwrap(), "a: then nothing, now null");
    }

    #[test]
    fn values_of_another_type_are_shown_whole_and_long_ones_cut() {
        let (one, two) = (json!({ "type": "close" }), json!({ "type": "tag", "tag": "é".repeat(500) }));
        let difference = first(&one, &two).unwrap();
        assert!(difference.starts_with(r#"the result: then {"type":"close"}, now {"tag":"éé"#), "{difference}");
        assert!(difference.ends_with("é..."), "{difference}");
    }
}
