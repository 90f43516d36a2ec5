//! Recorded calls as cases, one for each call.

use plugin_host::{World, json::WorldQuestion};
use serde_json::{Map, Value};

use super::{
    call_result::ReadCall,
    conversation::{known_session, moment, offset},
    environment::{stubs, values},
    privacy::Replacements,
};

/// Fields of an event that each host sets by itself.
const OF_THE_HOST: [&str; 3] = ["sequence", "nowMs", "localTime"];
const REFUSED: &str = "refused";

/// The cases. `None` if no call has a result that can be expected again.
pub(super) fn write_cases(calls: &[ReadCall<'_>], replacements: &Replacements) -> Option<String> {
    let mut text = String::from("cases:\n");
    let mut count = 0;
    for (index, call) in calls.iter().enumerate() {
        let Some(expected) = expected(call) else { continue };
        count += 1;
        let fields = fields(call, index + 1, expected, replacements);
        for (at, (name, value)) in fields.iter().enumerate() {
            let mark = if at == 0 { "-" } else { " " };
            text.push_str(&format!("  {mark} {name}: {value}\n"));
        }
    }
    (count > 0).then_some(text)
}

fn fields(
    call: &ReadCall<'_>,
    number: usize,
    expected: (&'static str, Value),
    replacements: &Replacements,
) -> Vec<(&'static str, Value)> {
    let mut fields = vec![
        ("name", Value::from(format!("recorded call {number}"))),
        ("now", moment(call.recording.now).into()),
        ("config", replacements.apply(&call.config())),
    ];
    if let WorldQuestion::Chatbot { session, .. } = &call.question {
        let mut known = known_session(call);
        if let Value::Object(fields) = &mut known {
            fields.insert("state".into(), session.state.as_str().into());
        }
        fields.push(("time zone", offset(session).into()));
        fields.push(("session", replacements.apply(&known)));
    }
    fields.extend(values(&[call]).map(|values| ("kv", replacements.apply(&values))));
    let stubs = stubs(&[call]);
    if !stubs.is_empty() {
        fields.push(("http", stubs.iter().map(|stub| replacements.apply(stub)).collect()));
    }
    fields.push(("given", replacements.apply(&event(call))));
    let (name, value) = expected;
    fields.push((name, replacements.apply(&value)));
    fields
}

fn event(call: &ReadCall<'_>) -> Value {
    let mut question = call.question.to_json();
    let mut event = question.get_mut("event").map(Value::take).unwrap_or_default();
    if let Value::Object(fields) = &mut event {
        let kept: Map<String, Value> = std::mem::take(fields)
            .into_iter()
            .filter(|(name, value)| !OF_THE_HOST.contains(&name.as_str()) && !value.is_null())
            .collect();
        *fields = kept;
    }
    event
}

/// The expectation of a call. A failure that depends on time or on the host cannot be expected.
fn expected(call: &ReadCall<'_>) -> Option<(&'static str, Value)> {
    if let Some(answer) = &call.answer {
        let (_, answer) = answer.to_json();
        let is_nothing = call.recording.world == World::WebhookShaper && answer.is_null();
        return Some(("expect", if is_nothing { "nothing".into() } else { answer }));
    }
    let failure = call.failure.as_deref().filter(|_| call.outcome == REFUSED)?;
    Some(("fails", failure.trim_end_matches(" (worth a retry)").into()))
}
