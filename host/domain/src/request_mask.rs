//! Masks requests for the log of a client's developers. Texts are hidden unless their field is known to name no person
//! and no secret. Names, types and lengths stay.

use serde_json::{Map, Value};
use uuid::Uuid;

const HIDDEN: &str = "***";
/// Fewest digits in a row that may be a phone number.
const NUMBER: usize = 7;
/// Most characters of a visible value or name.
const VISIBLE: usize = 64;
/// Most bytes of a masked body. The rest is cut off.
pub const MASKED_BYTES: usize = 16 * 1024;

/// Fields with visible values, if these have the form of a name or an id.
const SHOWN: [&str; 22] = [
    "type",
    "messageType",
    "templateId",
    "templateName",
    "language",
    "languageCode",
    "channel",
    "category",
    "status",
    "role",
    "world",
    "mode",
    "version",
    "format",
    "webhookType",
    "chatbotPayloadVersion",
    "batchId",
    "whatsAppNumberId",
    "participantId",
    "teamId",
    "siteId",
    "plugin",
];

/// A JSON body with hidden texts. `None` if it is not JSON.
pub fn masked_json(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    Some(cut(masked(None, value).to_string()))
}

pub fn masked_form(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let fields = text.split('&').map(|field| {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let shown = SHOWN.contains(&name) && is_plain(value);
        format!("{}={}", if is_plain(name) { name } else { HIDDEN }, if shown { value } else { HIDDEN })
    });
    cut(fields.collect::<Vec<_>>().join("&"))
}

pub fn masked_path(path: &str) -> String {
    let is_id = |segment: &str| Uuid::parse_str(segment).is_ok();
    let names_a_person = |segment: &str| has_number(segment) || segment.contains(['@', '%']);
    let segments = path.split('/').map(|segment| match segment {
        id if is_id(id) => id,
        person if names_a_person(person) => HIDDEN,
        other => other,
    });
    segments.collect::<Vec<_>>().join("/")
}

fn masked(field: Option<&str>, value: Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value,
        Value::Number(number) if has_number(&number.to_string()) => Value::from(HIDDEN),
        Value::Number(number) => Value::Number(number),
        Value::String(text) if field.is_some_and(|field| SHOWN.contains(&field)) && is_plain(&text) => text.into(),
        Value::String(text) => match text.chars().count() {
            0 => text.into(),
            1 => format!("{HIDDEN} (1 character)").into(),
            length => format!("{HIDDEN} ({length} characters)").into(),
        },
        Value::Array(items) => items.into_iter().map(|item| masked(field, item)).collect(),
        Value::Object(fields) => Value::Object(masked_fields(fields)),
    }
}

fn masked_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let named = fields.into_iter().enumerate().map(|(at, (name, value))| {
        let value = masked(Some(&name), value);
        // The number keeps two hidden names apart.
        (if is_plain(&name) { name } else { format!("{HIDDEN} {}", at + 1) }, value)
    });
    named.collect()
}

/// True for names and ids: short, without spaces, and without a run of digits as long as a phone number.
fn is_plain(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    text.len() <= VISIBLE && text.bytes().all(is_part) && (!has_number(text) || Uuid::parse_str(text).is_ok())
}

fn has_number(text: &str) -> bool {
    text.as_bytes()
        .chunk_by(|one, next| one.is_ascii_digit() && next.is_ascii_digit())
        .any(|run| run.len() >= NUMBER && run.iter().all(u8::is_ascii_digit))
}

fn cut(mut text: String) -> String {
    if text.len() > MASKED_BYTES {
        text.truncate(text.floor_char_boundary(MASKED_BYTES));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn json_of(body: &Value) -> Value {
        serde_json::from_str(&masked_json(body.to_string().as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn texts_are_hidden_and_the_form_of_the_body_stays() {
        let body = json!({
            "messageType": "TEMPLATE",
            "password": "correct horse",
            "sender": "27820001001",
            "messages": [{"recipients": [{"to": "27820000001", "name": "T"}], "messageText": "STOP", "urgent": true}],
            "count": 3,
            "chat": 27_820_000_001_u64,
            "empty": "",
            "none": null,
        });
        let expected = json!({
            "messageType": "TEMPLATE",
            "password": "*** (13 characters)",
            "sender": "*** (11 characters)",
            "messages": [{
                "recipients": [{"to": "*** (11 characters)", "name": "*** (1 character)"}],
                "messageText": "*** (4 characters)",
                "urgent": true
            }],
            "count": 3,
            "chat": "***",
            "empty": "",
            "none": null,
        });
        assert_eq!(json_of(&body), expected);
    }

    #[test]
    fn a_shown_field_hides_values_that_are_not_names() {
        for hidden in ["Thandi Mokoena", "27820000001", "thandi@shop.example", "x".repeat(65).as_str()] {
            let shown = json_of(&json!({ "type": hidden }))["type"].as_str().unwrap().to_owned();
            assert!(shown.starts_with("*** ("), "{hidden} is shown as {shown}");
        }
        let id = "0199aa6e-3f0c-7000-8a51-612345678901";
        assert_eq!(json_of(&json!({ "batchId": id }))["batchId"], id);
    }

    #[test]
    fn names_of_fields_that_may_be_a_person_are_hidden() {
        let body = json_of(&json!({ "27820000001": 1, "ada@shop.example": 2, "plain": 3 }));
        assert_eq!(body, json!({ "*** 1": 1, "*** 2": 2, "plain": 3 }));
    }

    #[test]
    fn personal_data_in_forms_and_paths_is_hidden() {
        assert_eq!(masked_form(b"number=27820000001&type=text&27820000001=x"), "number=***&type=text&***=***");
        let id = "0199aa6e-3f0c-7000-8a51-612345678901";
        assert_eq!(masked_path(&format!("/a/{id}/27820000001")), format!("/a/{id}/***"));
        assert_eq!(masked_path("/a/v2/thandi%40shop.example/b@c"), "/a/v2/***/***");
        assert_eq!(masked_path("/api/v1/users/123456"), "/api/v1/users/123456");
        assert_eq!(masked_path("/api/v1/users/1234567"), "/api/v1/users/***");
    }

    #[test]
    fn a_long_body_is_cut_and_other_bytes_are_not_json() {
        let long = masked_json(json!(vec![1; MASKED_BYTES]).to_string().as_bytes()).unwrap();
        assert_eq!(long.len(), MASKED_BYTES);
        assert_eq!(masked_json(b"{\"a\": "), None);
    }
}
