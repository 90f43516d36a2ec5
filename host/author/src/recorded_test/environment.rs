//! The stored values and the HTTP answers that recorded calls saw.

use std::collections::BTreeSet;

use plugin_host::{HostCall, HttpAnswer, HttpFault, HttpResponse, KvAnswer, Scope};
use serde_json::{Map, Value};

use super::call_result::ReadCall;

/// Headers of an answer that a test needs.
const KEPT_HEADERS: [&str; 1] = ["content-type"];

/// `{"participant": {..}, "client": {..}}` before the calls. A value that an earlier call wrote is left out.
pub(super) fn values(calls: &[&ReadCall<'_>]) -> Option<Value> {
    let (mut known, mut participant, mut client) = (BTreeSet::new(), Map::new(), Map::new());
    for call in calls {
        for host_call in &call.recording.host_calls {
            let HostCall::KvGet { scope, key, answer } = host_call else { continue };
            let (name, values) = match scope {
                Scope::Participant => ("participant", &mut participant),
                Scope::Client => ("client", &mut client),
            };
            if !known.insert((name.to_owned(), key.clone())) {
                continue;
            }
            if let KvAnswer::Value(bytes) = answer {
                values.insert(key.clone(), of_bytes(bytes));
            }
        }
        known.extend(call.written.iter().cloned());
    }
    let scopes = [("participant", participant), ("client", client)];
    let scopes: Map<String, Value> = scopes
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| (name.into(), values.into()))
        .collect();
    (!scopes.is_empty()).then(|| scopes.into())
}

/// JSON if the bytes are JSON with the same spelling, else text.
fn of_bytes(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes).into_owned();
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if !value.is_string() && !value.is_null() && value.to_string().as_str() == text => value,
        _ => Value::String(text),
    }
}

pub(super) fn stubs(calls: &[&ReadCall<'_>]) -> Vec<Value> {
    let host_calls = calls.iter().flat_map(|call| &call.recording.host_calls);
    host_calls.filter_map(stub).collect()
}

fn stub(call: &HostCall) -> Option<Value> {
    let HostCall::Http { method, url, answer, .. } = call else { return None };
    let mut stub = request(method, url);
    match answer {
        HttpAnswer::Response(response) => insert_response(&mut stub, response),
        HttpAnswer::Fault(fault) => insert_fault(&mut stub, fault),
        HttpAnswer::Unanswered => return None,
    }
    Some(stub.into())
}

/// The beginning of a prepared answer.
pub(super) fn request(method: &str, url: &str) -> Map<String, Value> {
    Map::from_iter([("request".to_owned(), format!("{method} {url}").into()), ("expect".to_owned(), 1.into())])
}

pub(super) fn insert_response(stub: &mut Map<String, Value>, response: &HttpResponse) {
    stub.insert("status".into(), response.status.into());
    let kept = response.headers.iter().filter(|(name, _)| KEPT_HEADERS.contains(&name.to_ascii_lowercase().as_str()));
    let headers: Map<String, Value> =
        kept.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str().into())).collect();
    if !headers.is_empty() {
        stub.insert("headers".into(), headers.into());
    }
    match of_bytes(&response.body) {
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(json @ (Value::Object(_) | Value::Array(_))) => stub.insert("json".into(), json),
            _ => stub.insert("body".into(), text.into()),
        },
        json => stub.insert("json".into(), json),
    };
}

pub(super) fn insert_fault(stub: &mut Map<String, Value>, fault: &HttpFault) {
    let words = match fault {
        HttpFault::TimedOut => "timed out",
        HttpFault::TooLarge => "too large",
        HttpFault::Refused(reason) | HttpFault::Failed(reason) => reason.as_str(),
    };
    stub.insert("fails".into(), words.into());
}
