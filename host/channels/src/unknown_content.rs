//! Texts for unknown content: its words, otherwise a note that there is something.

use domain::inbound::{InboundContent, ProviderFailure, UnmodelledContent};
use serde_json::Value;

/// Names of fields with words for people, in the order of display.
const WORDS: [&str; 11] =
    ["title", "subject", "name", "question", "text", "body", "caption", "subtitle", "description", "url", "link"];
const DEPTH: usize = 5;
const LINES: usize = 20;
const LINE_CHARS: usize = 1_000;
const TYPE_CHARS: usize = 64;

pub const UNSUPPORTED: &str = "unsupported message";

/// Content of the type `type_name`. `words`: the customer's words, with their kind.
pub fn content(type_name: &str, words: Option<String>, error: Option<ProviderFailure>) -> InboundContent {
    let type_name: String = type_name.chars().take(TYPE_CHARS).collect();
    let words = words.filter(|words| !words.trim().is_empty());
    tracing::info!(
        kind = type_name,
        has_words = words.is_some(),
        "an inbound message of a type or form that is not modelled"
    );
    InboundContent::Unmodelled(UnmodelledContent {
        has_words: words.is_some(),
        text: words.unwrap_or_else(|| nothing_of(&type_name)),
        type_name,
        error,
    })
}

/// Content about an event without words of the customer: `text` describes it.
pub fn described_event(type_name: &str, text: &str) -> InboundContent {
    InboundContent::Unmodelled(UnmodelledContent {
        type_name: type_name.to_owned(),
        text: text.to_owned(),
        has_words: false,
        error: None,
    })
}

/// Content of a part that may have words: they are shown after the name of the type.
pub fn from_json(type_name: &str, part: &Value, error: Option<ProviderFailure>) -> InboundContent {
    content(type_name, words(part).map(|words| format!("{}: {words}", label(type_name))), error)
}

fn nothing_of(type_name: &str) -> String {
    match label(type_name) {
        label if label.is_empty() || type_name == "unsupported" => UNSUPPORTED.to_owned(),
        label => format!("{UNSUPPORTED} ({label})"),
    }
}

fn label(type_name: &str) -> String {
    let spaced: String = type_name.chars().take(TYPE_CHARS).map(|c| if c == '_' { ' ' } else { c }).collect();
    spaced.trim().to_owned()
}

pub fn words(value: &Value) -> Option<String> {
    let mut found = Vec::new();
    match value {
        Value::String(text) => add(text, &mut found),
        other => search(other, DEPTH, &mut found),
    }
    (!found.is_empty()).then(|| found.join("\n"))
}

fn search(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth == 0 || found.len() >= LINES {
        return;
    }
    match value {
        Value::Object(fields) => {
            let named = WORDS.iter().filter_map(|name| fields.get(*name));
            named.filter_map(Value::as_str).for_each(|text| add(text, found));
            fields.values().for_each(|inner| search(inner, depth - 1, found));
        }
        Value::Array(elements) => elements.iter().for_each(|inner| search(inner, depth - 1, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn add(text: &str, found: &mut Vec<String>) {
    let line: String = text.trim().chars().take(LINE_CHARS).collect();
    if !line.is_empty() && found.len() < LINES && !found.contains(&line) {
        found.push(line);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(type_name: &str, part: &Value) -> (String, bool) {
        match from_json(type_name, part, None) {
            InboundContent::Unmodelled(other) => (other.text, other.has_words),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_found_at_any_depth_and_shown_once_after_the_type() {
        let poll =
            json!({"options": [{"name": "Yes"}, {"name": "No"}, {"name": "Yes"}], "question": "Lunch?", "id": "p"});
        assert_eq!(shown("poll_creation", &poll), ("poll creation: Lunch?\nYes\nNo".to_owned(), true));
        let deep = json!({"payload": {"product": {"elements": [{"subtitle": "R 5", "title": "Shirt"}]}}});
        assert_eq!(shown("template", &deep).0, "template: Shirt\nR 5");
        assert_eq!(shown("note", &json!("just text")).0, "note: just text");
    }

    #[test]
    fn without_text_the_type_is_named_and_the_result_is_never_empty() {
        for part in [
            json!(null),
            json!({}),
            json!([]),
            json!({"id": "x", "n": 1, "text": ""}),
            json!({"text": "  "}),
            json!(""),
        ] {
            assert_eq!(
                shown("something_new", &part),
                ("unsupported message (something new)".to_owned(), false),
                "{part}"
            );
        }
        assert_eq!(shown("unsupported", &json!(null)).0, "unsupported message");
        assert_eq!(shown("", &json!(null)).0, "unsupported message");
        assert_eq!(shown("__", &json!(null)).0, "unsupported message");
    }

    #[test]
    fn names_lines_and_depth_have_bounds() {
        assert_eq!(shown(&"n".repeat(1_000), &json!(null)).0.len(), "unsupported message ()".len() + TYPE_CHARS);
        let many = Value::Array((0..100).map(|at| json!({"text": format!("{at:04}{}", "x".repeat(2_000))})).collect());
        assert_eq!(words(&many).unwrap().lines().map(str::len).collect::<Vec<_>>(), [LINE_CHARS; LINES]);
        let deep = (0..50).fold(json!({"text": "deep"}), |inner, _| json!([inner]));
        assert_eq!(words(&deep), None);
    }
}
