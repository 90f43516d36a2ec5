//! The fields that each kind of node needs and has.

use super::NodeFindings;
use crate::node::{FlowNode, NodeKind};

/// Fields that are needed, apart from ways, and other fields.
const fn fields(kind: NodeKind) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        NodeKind::Message => (&["text"], &["media", "next"]),
        NodeKind::Menu => (&["text", "options"], &["label", "save", "retry", "attempts", "otherwise"]),
        NodeKind::Question => (&["text", "save"], &["accept", "retry", "attempts", "otherwise", "next"]),
        NodeKind::Condition => (&["cases"], &["otherwise"]),
        NodeKind::Http => (&["url"], &["method", "headers", "body", "map", "statuses", "failed", "timeoutMs", "next"]),
        NodeKind::Set => (&[], &["set", "contact", "tags", "next"]),
        NodeKind::Wait => (&["seconds"], &["onMessage", "next"]),
        NodeKind::HandOver => (&[], &["text", "team", "note"]),
        NodeKind::Close => (&[], &["text"]),
    }
}

pub(super) fn check(node: &FlowNode, findings: &mut NodeFindings<'_>) {
    let (needed, others) = fields(node.kind);
    let present = present(node);
    let kind = node.kind.as_str();
    for field in needed.iter().filter(|field| !present.contains(field)) {
        findings.add(field, format!("is missing: a {kind} needs it"));
    }
    for field in present.iter().filter(|field| !needed.contains(field) && !others.contains(field)) {
        let known = [needed, others].concat().join(", ");
        findings.add(field, format!("a {kind} has no such field; its fields are: {known}"));
    }
    if node.kind == NodeKind::Set && node.set.is_none() && node.contact.is_none() && node.tags.is_none() {
        findings.add("", "sets nothing: give `set`, `contact` or `tags`");
    }
    match (node.attempts, &node.otherwise) {
        (Some(_), None) => findings.add("otherwise", "is missing: `attempts` needs a way after the last attempt"),
        (Some(0), _) => findings.add("attempts", "must be at least 1"),
        _ => {}
    }
}

fn present(node: &FlowNode) -> Vec<&'static str> {
    let all = [
        ("text", node.text.is_some()),
        ("next", node.next.is_some()),
        ("media", node.media.is_some()),
        ("options", node.options.is_some()),
        ("label", node.label.is_some()),
        ("save", node.save.is_some()),
        ("accept", node.accept.is_some()),
        ("retry", node.retry.is_some()),
        ("attempts", node.attempts.is_some()),
        ("otherwise", node.otherwise.is_some()),
        ("cases", node.cases.is_some()),
        ("method", node.method.is_some()),
        ("url", node.url.is_some()),
        ("headers", node.headers.is_some()),
        ("body", node.body.is_some()),
        ("map", node.map.is_some()),
        ("statuses", node.statuses.is_some()),
        ("failed", node.failed.is_some()),
        ("timeoutMs", node.timeout_ms.is_some()),
        ("set", node.set.is_some()),
        ("contact", node.contact.is_some()),
        ("tags", node.tags.is_some()),
        ("seconds", node.seconds.is_some()),
        ("onMessage", node.on_message.is_some()),
        ("team", node.team.is_some()),
        ("note", node.note.is_some()),
    ];
    all.into_iter().filter(|(_, is_present)| *is_present).map(|(field, _)| field).collect()
}
