use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{RemoteServer, ServerAnswer, ServerError, size};

/// A trial call. It has no effects.
#[derive(Debug, Clone, Default)]
pub struct TrialCall {
    /// `None` = the newest.
    pub version: Option<u32>,
    /// The event. A sample gives missing fields.
    pub event: Option<Value>,
    /// For a chatbot: the conversation. A sample gives missing fields.
    pub session: Option<Value>,
    /// `None` = that of the live activation.
    pub config: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialAnswer {
    pub error: Option<TrialFailure>,
    #[serde(default)]
    logs: Vec<TrialLine>,
    stderr: Option<String>,
    #[serde(default)]
    writes: Vec<Value>,
    duration_micros: u64,
    #[serde(default)]
    processor_micros: u64,
    peak_memory_bytes: u64,
    actions: Option<Value>,
    decision: Option<Value>,
    decisions: Option<Value>,
    route: Option<Value>,
    payload: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct TrialFailure {
    pub kind: String,
    pub message: String,
}

#[derive(Debug, Clone, Deserialize)]
struct TrialLine {
    level: String,
    message: String,
}

impl fmt::Display for TrialAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = [&self.actions, &self.decision, &self.decisions, &self.route, &self.payload];
        match (&self.error, answers.into_iter().flatten().next()) {
            (Some(TrialFailure { kind, message }), _) => writeln!(f, "{kind}: {message}")?,
            (None, Some(answer)) => writeln!(f, "{answer:#}")?,
            (None, None) => writeln!(f, "nothing to send")?,
        }
        for write in &self.writes {
            writeln!(f, "stores {write}")?;
        }
        for TrialLine { level, message } in &self.logs {
            writeln!(f, "log {level}: {message}")?;
        }
        let stderr = self.stderr.as_deref().unwrap_or_default();
        let unquoted = match &self.error {
            Some(TrialFailure { message, .. }) => plugin_host::unquoted_output(stderr, message),
            None => stderr.to_owned(),
        };
        for line in unquoted.lines() {
            writeln!(f, "stderr: {line}")?;
        }
        let micros = |micros: u64| format!("{}.{:03} ms", micros / 1_000, micros % 1_000);
        let (took, used) = (micros(self.duration_micros), micros(self.processor_micros));
        write!(f, "took {took}, {used} of processor time, {} of memory", size(self.peak_memory_bytes))
    }
}

impl RemoteServer {
    /// Calls a plugin once, without effects.
    pub async fn invoke(&self, name: &str, call: &TrialCall) -> Result<ServerAnswer<TrialAnswer>, ServerError> {
        let mut body = Map::new();
        let fields = [
            ("version", call.version.map(Value::from)),
            ("event", call.event.clone()),
            ("session", call.session.clone()),
            ("config", call.config.clone()),
        ];
        body.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        self.answer("POST", Self::path(name, "/invoke")?, Some(&Value::Object(body))).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_panic_is_printed_once() {
        let panic = "thread 'main' panicked at src/lib.rs:5:9:";
        let answer: TrialAnswer = serde_json::from_value(json!({
            "error": { "kind": "trapped", "message": format!("the plugin crashed; it printed: {panic} no order") },
            "stderr": format!("{panic}\nno order\nafter\n"),
            "durationMicros": 5,
            "peakMemoryBytes": 65536,
        }))
        .unwrap();
        let printed = answer.to_string();
        assert_eq!(printed.matches("no order").count(), 1, "{printed}");
        assert!(printed.contains("\nstderr: after\n"), "{printed}");
    }
}
