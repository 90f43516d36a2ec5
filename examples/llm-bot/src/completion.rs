//! The parts of a chat-completions API that the bot uses: tools, and the answer of the model.

use serde_json::{Value, json};

/// Longest text that a channel takes.
const TEXT: usize = 4_096;

pub enum Reply {
    Text(String),
    /// The message of the model, which the next request repeats, and its calls.
    Tools(Value, Vec<ToolCall>),
}

pub enum ToolCall {
    OrderStatus { id: String, number: String },
    HandOver { reason: String },
    Unknown { id: String },
}

impl ToolCall {
    pub fn hands_over(&self) -> bool {
        matches!(self, Self::HandOver { .. })
    }
}

pub fn tools() -> Value {
    let tool = |name: &str, description: &str, argument: &str| {
        let parameters =
            json!({ "type": "object", "properties": { argument: { "type": "string" } }, "required": [argument] });
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": parameters } })
    };
    json!([
        tool("order_status", "The status of an order of the customer, by its number.", "number"),
        tool("hand_over", "Gives the conversation to a person, for example if the customer asks for one.", "reason"),
    ])
}

/// The answer of the model. `None` if the body is another JSON or none.
pub fn read(body: &[u8]) -> Option<Reply> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let message = body.pointer("/choices/0/message")?;
    let calls = message.get("tool_calls").and_then(Value::as_array).filter(|calls| !calls.is_empty());
    match calls {
        Some(calls) => Some(Reply::Tools(message.clone(), calls.iter().map(call).collect())),
        None => {
            let text = message.get("content")?.as_str()?.trim();
            (!text.is_empty()).then(|| Reply::Text(text.chars().take(TEXT).collect()))
        }
    }
}

fn call(call: &Value) -> ToolCall {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments: Value = serde_json::from_str(&text("/function/arguments")).unwrap_or_default();
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match text("/function/name").as_str() {
        "order_status" => ToolCall::OrderStatus { id: text("/id"), number: argument("number") },
        "hand_over" => {
            let reason = argument("reason");
            let reason = if reason.trim().is_empty() { "The model handed over.".to_owned() } else { reason };
            ToolCall::HandOver { reason: reason.chars().take(1_000).collect() }
        }
        _ => ToolCall::Unknown { id: text("/id") },
    }
}
