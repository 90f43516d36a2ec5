//! Answers as JSON.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Json;
use crate::chatbot::Action;
use crate::router::Route;
use crate::sms_fallback::Decision;
use crate::{CallTrace, KeyValueWrite, LogLevel, LogLine, Scope, World};

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
        }
    }
}

impl DryAnswer {
    /// `{"actions" or "decision" or "payload" or "route", "writes", "logs", "durationMicros", "peakMemoryBytes"}`
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
    use base64::Engine as _;
    let scope = match write.scope {
        Scope::Participant => "participant",
        Scope::Client => "client",
    };
    match write.value.as_deref().map(std::str::from_utf8) {
        None => json!({ "scope": scope, "key": write.key, "value": null }),
        Some(Ok(text)) => json!({ "scope": scope, "key": write.key, "value": text }),
        Some(Err(_)) => {
            let encoded = base64::engine::general_purpose::STANDARD.encode(write.value.as_deref().unwrap_or_default());
            json!({ "scope": scope, "key": write.key, "valueBase64": encoded })
        }
    }
}

fn log_line(line: &LogLine) -> Value {
    let level = match line.level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    };
    json!({ "level": level, "message": line.message })
}

/// A recorded result with its answer as people write it. What cannot be read stays as it is.
pub(crate) fn readable_result(world: World, result: &str) -> Value {
    let mut result: Value = serde_json::from_str(result).unwrap_or_else(|_| Value::String(result.to_owned()));
    if let Value::Object(map) = &mut result {
        let answer = map.get("answer").and_then(|answer| DryResult::recorded(world, answer));
        if let Some(answer) = answer {
            map.remove("answer");
            let (name, answer) = answer.to_json();
            map.insert(name.into(), answer);
        }
    }
    result
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
