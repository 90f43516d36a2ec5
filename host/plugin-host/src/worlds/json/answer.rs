//! Answers as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Json;
use crate::chatbot::Action;
use crate::router::Route;
use crate::sms_fallback::Decision;
use crate::sms_router;
use crate::{CallTrace, KeyValueWrite, LogLine, Scope, World};

/// What a plugin answered in a call that has no effects.
#[derive(Debug, Clone, PartialEq)]
pub enum DryResult {
    /// What a chatbot wants done.
    Actions(Vec<Action>),
    /// What is done about an undeliverable message.
    Decision(Decision),
    /// The body of a webhook, a JSON text; `None` when nothing is to be sent.
    Payload(Option<String>),
    /// Who answers a conversation.
    Route(Route),
    /// How messages go on, in their order.
    SmsDecisions(Vec<sms_router::Decision>),
}

/// A call that has no effects.
#[derive(Debug, Clone, PartialEq)]
pub struct DryAnswer {
    /// What the plugin answered.
    pub answer: DryResult,
    /// What it would have written to its key-value store.
    pub writes: Vec<KeyValueWrite>,
    /// How the call went.
    pub trace: CallTrace,
}

impl DryResult {
    /// Its name in JSON, and its value. Fields that have no value are left out.
    pub fn to_json(&self) -> (&'static str, Value) {
        match self {
            Self::Actions(actions) => ("actions", without_nulls(actions.write())),
            Self::Decision(decision) => ("decision", without_nulls(decision.write())),
            // As the receiver would see it, or as the text that it is.
            Self::Payload(Some(body)) => {
                ("payload", serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.clone())))
            }
            Self::Payload(None) => ("payload", Value::Null),
            Self::Route(route) => ("route", without_nulls(route.write())),
            Self::SmsDecisions(decisions) => ("decisions", without_nulls(decisions.write())),
        }
    }

    /// Reads an answer as it is recorded.
    fn recorded(world: World, answer: &Value) -> Option<Self> {
        fn read<T: DeserializeOwned>(answer: &Value) -> Option<T> {
            T::deserialize(answer).ok()
        }
        match world {
            World::Chatbot => read(answer).map(Self::Actions),
            World::SmsFallback => read(answer).map(Self::Decision),
            World::WebhookShaper => read(answer).map(Self::Payload),
            World::Router => read(answer).map(Self::Route),
            World::SmsRouter => read(answer).map(Self::SmsDecisions),
        }
    }
}

impl DryAnswer {
    /// `{"actions" or "decision" or "payload" or "route" or "decisions", "writes", "logs", "durationMicros", "peakMemoryBytes"}`
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let (name, answer) = self.answer.to_json();
        map.insert(name.into(), answer);
        map.insert("writes".into(), self.writes.iter().map(write).collect());
        map.insert("logs".into(), self.trace.logs.iter().map(log_line).collect());
        let micros = u64::try_from(self.trace.duration.as_micros()).unwrap_or(u64::MAX);
        map.insert("durationMicros".into(), micros.into());
        map.insert("peakMemoryBytes".into(), self.trace.peak_memory_bytes.into());
        Value::Object(map)
    }
}

/// `{"scope", "key", "value"}`; the value null for a removal, and in `valueBase64` when it is no text.
fn write(write: &KeyValueWrite) -> Value {
    let mut map = Map::new();
    map.insert("scope".into(), scope_name(write.scope).into());
    map.insert("key".into(), write.key.as_str().into());
    binary(&mut map, "value", write.value.as_deref());
    if let Some(seconds) = write.after_seconds {
        map.insert("afterSeconds".into(), seconds.into());
    }
    Value::Object(map)
}

/// A scope as people write it.
pub(crate) fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Participant => "participant",
        Scope::Client => "client",
    }
}

/// Bytes under `name` as the text that they are, or under `nameBase64`; nothing at all as null.
pub(crate) fn binary(map: &mut Map<String, Value>, name: &str, bytes: Option<&[u8]>) {
    match bytes.map(|bytes| std::str::from_utf8(bytes).map_err(|_| STANDARD.encode(bytes))) {
        None => map.insert(name.to_owned(), Value::Null),
        Some(Ok(text)) => map.insert(name.to_owned(), text.into()),
        Some(Err(encoded)) => map.insert(format!("{name}Base64"), encoded.into()),
    };
}

fn log_line(line: &LogLine) -> Value {
    json!({ "level": line.level_name(), "message": line.message })
}

/// A recorded result with its answer as people write it. What cannot be read stays as it is.
pub(crate) fn readable_result(world: World, result: &str) -> Value {
    let mut result: Value = serde_json::from_str(&result.replace(r#"{"Tag":"#, r#"{"AddTag":"#))
        .unwrap_or_else(|_| Value::String(result.to_owned()));
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

/// A write of a recorded result, whose value is in base64 always.
fn readable_write(write: &mut Value) {
    lower_case(write, "scope");
    let Value::Object(map) = write else { return };
    let Some(Value::String(encoded)) = map.get("value") else { return };
    let Ok(bytes) = STANDARD.decode(encoded) else { return };
    map.remove("value");
    binary(map, "value", Some(&bytes));
}

/// A word that is kept as the generated types write it.
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
