//! The ways between nodes: unknown targets, dead ends, unreachable nodes, loops, and ways that are too long for one call.

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, FlowView};
use crate::{
    limits::{NODES_IN_A_ROW, OUTPUTS_IN_A_ROW, REQUESTS_IN_A_ROW},
    node::{FlowNode, NodeKind, Target},
};

pub(super) fn check(view: &FlowView<'_>, findings: &mut Findings) {
    if view.ids.is_empty() {
        return findings.flow("nodes", "must have at least one node");
    }
    let entries = entries(view);
    for target in &entries {
        match fault(view, target) {
            Some(Missing::Way) => findings.flow(&target.field, "is missing"),
            Some(Missing::Node(name)) => findings.flow(&target.field, unknown(name)),
            None => {}
        }
    }
    for (id, node) in &view.nodes {
        for target in node.targets() {
            match fault(view, &target) {
                Some(Missing::Way) => {
                    findings.node(id, &target.field, "is missing: the conversation has no way on here (dead end)")
                }
                Some(Missing::Node(name)) => findings.node(id, &target.field, unknown(name)),
                None => {}
            }
        }
    }
    // The ways of a node that cannot be read are unknown.
    if view.ids.len() == view.nodes.len() {
        for id in unreachable(view, &entries) {
            findings.node(id, "", "is not reachable: no way leads to it");
        }
    }
    let loops = loops(view);
    for way in &loops {
        if let Some(first) = way.first() {
            let shown = way.iter().chain([first]).copied().collect::<Vec<_>>().join(" -> ");
            findings.node(first, "", format!("is in an endless loop without input of the customer: {shown}"));
        }
    }
    if loops.is_empty() {
        long_ways(view, findings);
    }
}

fn entries<'a>(view: &FlowView<'a>) -> Vec<Target<'a>> {
    let mut entries = view.flow.entries();
    entries.push(Target::to("start".to_owned(), &view.flow.start));
    entries
}

enum Missing<'a> {
    Way,
    Node(&'a str),
}

fn fault<'a>(view: &FlowView<'_>, target: &Target<'a>) -> Option<Missing<'a>> {
    match target.node {
        None => Some(Missing::Way),
        Some(node) => (!view.ids.contains(node)).then_some(Missing::Node(node)),
    }
}

fn unknown(name: &str) -> String {
    format!("leads to `{name}`, and there is no such node")
}

fn next(node: &FlowNode) -> impl Iterator<Item = &str> {
    node.targets().into_iter().filter_map(|target| target.node)
}

fn unreachable<'v>(view: &'v FlowView<'_>, entries: &[Target<'v>]) -> Vec<&'v str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = entries.iter().filter_map(|target| target.node).collect();
    while let Some(id) = open.pop() {
        if found.insert(id)
            && let Some(node) = view.nodes.get(id)
        {
            open.extend(next(node));
        }
    }
    view.nodes.keys().copied().filter(|id| !found.contains(id)).collect()
}

/// Loops without a menu, a question or an end, each once. A loop with a wait is endless too, if the customer is silent.
fn loops<'v>(view: &'v FlowView<'_>) -> Vec<Vec<&'v str>> {
    let mut search = LoopSearch { view, done: BTreeSet::new(), way: vec![], loops: vec![] };
    for id in view.nodes.keys() {
        search.visit(id);
    }
    search.loops
}

struct LoopSearch<'v, 'f> {
    view: &'v FlowView<'f>,
    done: BTreeSet<&'v str>,
    way: Vec<&'v str>,
    loops: Vec<Vec<&'v str>>,
}

impl<'v> LoopSearch<'v, '_> {
    /// A configuration has at most 64 KiB, so a way has few thousand nodes.
    fn visit(&mut self, id: &'v str) {
        let Some(node) = self.view.nodes.get(id).filter(|node| !node.kind.asks() && !node.kind.ends()) else { return };
        if let Some(at) = self.way.iter().position(|earlier| *earlier == id) {
            self.loops.push(self.way.iter().skip(at).copied().collect());
            return;
        }
        if !self.done.insert(id) {
            return;
        }
        self.way.push(id);
        for target in next(node).filter(|target| node.on_message.as_deref() != Some(*target)) {
            self.visit(target);
        }
        self.way.pop();
    }
}

/// The share of a node in the bound of a call.
type Weight<'a> = &'a dyn Fn(&FlowNode) -> usize;

/// Ways without loops whose messages, requests or nodes are too many for one call.
fn long_ways(view: &FlowView<'_>, findings: &mut Findings) {
    let outputs = |node: &FlowNode| match node.kind {
        NodeKind::Message => 1,
        NodeKind::Set => node.tags.iter().flatten().count() + node.contact.iter().flatten().count(),
        _ => 0,
    };
    let requests = |node: &FlowNode| usize::from(node.kind == NodeKind::Http);
    let bounds: [(Weight<'_>, usize, &str); 3] = [
        (&outputs, OUTPUTS_IN_A_ROW, "messages, tags and attributes of the contact"),
        (&requests, REQUESTS_IN_A_ROW, "HTTP requests"),
        (&|_: &FlowNode| 1, NODES_IN_A_ROW, "nodes"),
    ];
    for (weight, most, what) in bounds {
        let mut sums = BTreeMap::new();
        let longest = view.nodes.keys().map(|id| (sum(view, id, weight, &mut sums), *id)).max();
        if let Some((length, id)) = longest.filter(|(length, _)| *length > most) {
            findings.node(
                id,
                "",
                format!("begins a way with {length} {what} without input of the customer; {most} are allowed"),
            );
        }
    }
}

/// The largest sum of weights on a way from a node to the next input.
fn sum<'v>(view: &'v FlowView<'_>, id: &'v str, weight: Weight<'_>, sums: &mut BTreeMap<&'v str, usize>) -> usize {
    if let Some(sum) = sums.get(id) {
        return *sum;
    }
    let Some(node) = view.nodes.get(id).filter(|node| !node.kind.waits() && !node.kind.ends()) else { return 0 };
    let further = next(node).map(|target| sum(view, target, weight, sums)).max().unwrap_or(0);
    let all = weight(node) + further;
    sums.insert(id, all);
    all
}
