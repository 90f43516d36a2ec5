//! Lines of a test file.

use serde_json::Value;

use super::call_result::ReadCall;

/// A line `name: value`. JSON is YAML too.
pub(super) fn line(name: &str, value: &Value) -> String {
    format!("{name}: {value}\n")
}

/// The configuration of a call. A text that is not JSON, which no host writes, counts as empty.
pub(super) fn config(call: &ReadCall<'_>) -> Value {
    serde_json::from_str(&call.recording.config).unwrap_or_else(|_| Value::Object(serde_json::Map::new()))
}
