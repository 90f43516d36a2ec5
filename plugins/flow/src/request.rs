//! HTTP nodes.

use std::collections::BTreeMap;

use flow_model::{Flow, FlowNode, LONGEST_STATE_VALUE};
use patchbay_plugin_sdk::{
    chatbot::{Error, Session},
    http::{self, Request, Response},
    log,
};
use serde_json::Value;

use crate::{
    bad_config,
    state::State,
    template::{Values, cut},
};

/// Sends the request of a node and takes attributes from the response. Returns the way out.
pub fn send(flow: &Flow<'_>, session: &Session, state: &mut State, node: &FlowNode) -> Result<Option<String>, Error> {
    let request = request(flow, session, state, node)?;
    let response = match http::send(&request) {
        Ok(response) => response,
        Err(fault) => {
            log::warn(format!("the request of node `{}` failed: {}", state.at, fault.message));
            return Ok(node.failed.clone());
        }
    };
    let own_way = node.statuses.as_ref().and_then(|statuses| statuses.get(&response.status.to_string()));
    let is_success = (200..=299).contains(&response.status);
    if !is_success && own_way.is_none() {
        log::warn(format!("the request of node `{}` was answered with {}", state.at, response.status));
        return Ok(node.failed.clone());
    }
    match node.map.as_ref().filter(|map| !map.is_empty()) {
        Some(map) if !take(flow, state, map, &response)? && is_success => Ok(node.failed.clone()),
        _ => Ok(own_way.or(node.next.as_ref()).cloned()),
    }
}

fn request(flow: &Flow<'_>, session: &Session, state: &State, node: &FlowNode) -> Result<Request, Error> {
    let secrets = flow.secrets().map_err(|fault| bad_config(format!("`secrets` cannot be read: {fault}")))?;
    let values = Values { session, state, secrets: &secrets };
    let header = |(name, value): (&String, &String)| (name.clone(), values.fill(value));
    let mut headers: Vec<_> = node.headers.iter().flatten().map(header).collect();
    let body = node.body.as_ref().map(|body| values.fill_json(body).to_string().into_bytes());
    if body.is_some() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    Ok(Request {
        method: node.method.clone().unwrap_or_else(|| "GET".to_owned()),
        url: values.fill_url(node.url.as_deref().unwrap_or_default()),
        headers,
        body,
        timeout_ms: node.timeout_ms,
    })
}

/// Sets the mapped attributes. False if the response is not JSON.
fn take(
    flow: &Flow<'_>,
    state: &mut State,
    map: &BTreeMap<String, String>,
    response: &Response,
) -> Result<bool, Error> {
    let Ok(body) = serde_json::from_slice::<Value>(&response.body) else {
        log::warn(format!("the response to node `{}` is not JSON", state.at));
        return Ok(false);
    };
    take_values(flow, state, map, &body)?;
    Ok(true)
}

/// Sets attributes from the parts of a JSON value. A part that is absent removes its attribute.
pub fn take_values(
    flow: &Flow<'_>,
    state: &mut State,
    map: &BTreeMap<String, String>,
    source: &Value,
) -> Result<(), Error> {
    for (name, pointer) in map {
        let value = match source.pointer(pointer) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(cut(text, LONGEST_STATE_VALUE)),
            Some(other) => Some(cut(&other.to_string(), LONGEST_STATE_VALUE)),
        };
        state.set(flow, name, value)?;
    }
    Ok(())
}
