//! Answers as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::{DryResult, form, write::write};
use crate::{
    CallTrace, KeyValueWrite, LogLine, Scope, StartedRequest, World, WrittenFile, calling::written_file,
    worlds::shaped_body::ShapedBody,
};

/// Stands for the body of the host. A body of a plugin that is this text would be no body of a webhook.
const UNCHANGED: &str = "unchanged";

/// A call without effects.
#[derive(Debug, Clone, PartialEq)]
pub struct DryAnswer {
    pub answer: DryResult,
    /// Writes to the key-value store, which were not applied.
    pub writes: Vec<KeyValueWrite>,
    /// Requests that would be sent after the call.
    pub requests: Vec<StartedRequest>,
    /// Files that would be sent.
    pub files: Vec<WrittenFile>,
    pub trace: CallTrace,
}

impl DryResult {
    /// Its name in JSON, and its value. Fields without a value are left out.
    pub fn to_json(&self) -> (&'static str, Value) {
        let world = self.world();
        let value = match self {
            // As the receiver would see it, or as plain text if it is not JSON.
            Self::Payload(ShapedBody::Json(body)) => {
                serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.clone()))
            }
            Self::Payload(ShapedBody::Unchanged) => UNCHANGED.into(),
            Self::Payload(ShapedBody::Skip) => Value::Null,
            // In the form that custom answers of other worlds have.
            Self::Payload(ShapedBody::Custom(text)) => json!({ "type": "custom", "payload": text }),
            answer => {
                let recorded = serde_json::to_value(answer).unwrap_or_default();
                form::function(world).map_or(Value::Null, |function| without_nulls(write(function.answer, recorded)))
            }
        };
        (world.row().answer, value)
    }
}

impl DryAnswer {
    /// `{"actions" or "decision" or "payload" or "route" or "decisions", "writes", "requests", "files", "logs", "durationMicros", "peakMemoryBytes"}`
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let (name, answer) = self.answer.to_json();
        map.insert(name.into(), answer);
        map.insert("writes".into(), self.writes.iter().map(write_of_store).collect());
        if !self.requests.is_empty() {
            map.insert("requests".into(), self.requests.iter().map(request).collect());
        }
        if !self.files.is_empty() {
            map.insert("files".into(), json!(written_file::records(&self.files)));
        }
        map.insert("logs".into(), self.trace.logs.iter().map(log_line).collect());
        let micros = u64::try_from(self.trace.duration.as_micros()).unwrap_or(u64::MAX);
        map.insert("durationMicros".into(), micros.into());
        let micros = u64::try_from(self.trace.processor_time.as_micros()).unwrap_or(u64::MAX);
        map.insert("processorMicros".into(), micros.into());
        map.insert("peakMemoryBytes".into(), self.trace.peak_memory_bytes.into());
        Value::Object(map)
    }
}

/// `{"scope", "key", "value"}`. The value is null for a removal. If it is not text, it is in `valueBase64`.
fn write_of_store(write: &KeyValueWrite) -> Value {
    let mut map = Map::new();
    map.insert("scope".into(), scope_name(write.scope).into());
    map.insert("key".into(), write.key.as_str().into());
    insert_bytes(&mut map, "value", write.value.as_deref());
    if let Some(seconds) = write.after_seconds {
        map.insert("afterSeconds".into(), seconds.into());
    }
    Value::Object(map)
}

/// `{"job", "method", "url", "body", "deadlineSeconds"}`. Headers may have secrets and are left out.
fn request(started: &StartedRequest) -> Value {
    let mut map = Map::new();
    map.insert("job".into(), started.job.as_str().into());
    map.insert("method".into(), started.request.method.as_str().into());
    map.insert("url".into(), started.request.url.as_str().into());
    insert_bytes(&mut map, "body", started.request.body.as_deref());
    map.insert("deadlineSeconds".into(), started.request.timeout.as_secs().into());
    Value::Object(map)
}

pub(crate) fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Participant => "participant",
        Scope::Client => "client",
    }
}

/// Puts bytes under `name` if they are text, otherwise under `nameBase64`. `None` becomes null.
pub(crate) fn insert_bytes(map: &mut Map<String, Value>, name: &str, bytes: Option<&[u8]>) {
    match bytes.map(|bytes| std::str::from_utf8(bytes).map_err(|_| STANDARD.encode(bytes))) {
        None => map.insert(name.to_owned(), Value::Null),
        Some(Ok(text)) => map.insert(name.to_owned(), text.into()),
        Some(Err(encoded)) => map.insert(format!("{name}Base64"), encoded.into()),
    };
}

fn log_line(line: &LogLine) -> Value {
    json!({ "level": line.level_name(), "message": line.message })
}

/// Renames the tag action in results that were recorded before it was `add-tag`.
pub(crate) fn in_newest_words(result: &str) -> String {
    result.replace(r#"{"Tag":"#, r#"{"AddTag":"#)
}

/// A recorded result with its answer in readable form. If a part cannot be parsed, it stays unchanged.
pub(crate) fn readable_result(world: World, result: &str) -> Value {
    let mut result: Value =
        serde_json::from_str(&in_newest_words(result)).unwrap_or_else(|_| Value::String(result.to_owned()));
    if let Value::Object(map) = &mut result {
        let answer = map.get("answer").and_then(|answer| DryResult::recorded(world, answer));
        if let Some(answer) = answer {
            map.remove("answer");
            let (name, answer) = answer.to_json();
            map.insert(name.into(), answer);
        }
        map.get_mut("writes").and_then(Value::as_array_mut).into_iter().flatten().for_each(readable_write);
        let logs = map.get_mut("logs").and_then(Value::as_array_mut).into_iter().flatten();
        logs.for_each(|line| lower_case(line, "level"));
    }
    result
}

fn readable_write(write: &mut Value) {
    lower_case(write, "scope");
    let Value::Object(map) = write else { return };
    let Some(Value::String(encoded)) = map.get("value") else { return };
    let Ok(bytes) = STANDARD.decode(encoded) else { return };
    map.remove("value");
    insert_bytes(map, "value", Some(&bytes));
}

fn lower_case(of: &mut Value, field: &str) {
    if let Some(Value::String(word)) = of.get_mut(field) {
        word.make_ascii_lowercase();
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
