//! HTTP requests.

use super::NodeFindings;
use crate::{
    node::{FlowNode, NodeKind},
    template::{Piece, pieces},
};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Longest time of a request in milliseconds. A call takes 5 s by default.
const LONGEST_TIME: u32 = 4_500;

pub(super) fn check(node: &FlowNode, findings: &mut NodeFindings<'_>) {
    if node.kind != NodeKind::Http {
        return;
    }
    if node.method.as_ref().is_some_and(|method| !METHODS.contains(&method.as_str())) {
        findings.add("method", format!("must be one of {}", METHODS.join(", ")));
    }
    if node.body.is_some() && node.method.as_deref().unwrap_or("GET") == "GET" {
        findings.add("body", "a GET has no body: give `method`");
    }
    if let Some(url) = &node.url
        && !has_literal_host(url)
    {
        findings.add("url", "must begin with https:// and a host, and have placeholders only after the host");
    }
    if node.timeout_ms.is_some_and(|time| !(1..=LONGEST_TIME).contains(&time)) {
        findings.add("timeoutMs", format!("must be 1 to {LONGEST_TIME}"));
    }
    for (name, pointer) in node.map.iter().flatten() {
        if let Some(fault) = fault_of_pointer(pointer) {
            findings.add(&format!("map/{name}"), fault);
        }
    }
    for status in node.statuses.iter().flat_map(|statuses| statuses.keys()) {
        if !status.parse::<u16>().is_ok_and(|status| (100..=599).contains(&status)) {
            findings.add(&format!("statuses/{status}"), "is not a status such as 404");
        }
    }
}

pub(super) fn fault_of_pointer(pointer: &str) -> Option<&'static str> {
    let is_pointer = pointer.is_empty() || pointer.starts_with('/');
    (!is_pointer).then_some("is not a JSON pointer such as /order/status")
}

/// Whether the host stands in the first literal part of the address, with an end.
fn has_literal_host(url: &str) -> bool {
    let Some(Piece::Text(literal)) = pieces(url).next() else { return false };
    let Some(rest) = literal.strip_prefix("https://").or_else(|| literal.strip_prefix("http://")) else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_ended = host.len() < rest.len() || literal.len() == url.len();
    !host.is_empty()
        && is_ended
        && host.chars().all(|character| character.is_ascii_alphanumeric() || ".-:".contains(character))
}
