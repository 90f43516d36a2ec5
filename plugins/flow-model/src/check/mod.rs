//! The checks of a flow. Each module adds its findings.

mod contact;
mod fields;
mod graph;
mod hours;
mod names;
mod options;
mod requests;
mod settings;
mod texts;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    finding::Finding,
    flow::Flow,
    limits::NAME,
    node::FlowNode,
    template::{CONTACT, FACTS},
};

/// The faults of a configuration of the plugin `flow`, in the order of their nodes.
pub fn check(config: &str) -> Vec<Finding> {
    let mut findings = Findings::default();
    match Flow::read(config) {
        Ok(flow) => check_flow(&flow, &mut findings),
        Err(fault) => findings.flow("", format!("cannot be read: {fault}")),
    }
    findings.0.sort();
    findings.0
}

fn check_flow(flow: &Flow<'_>, findings: &mut Findings) {
    let view = FlowView::new(flow, findings);
    settings::check(&view, findings);
    for (id, node) in &view.nodes {
        let mut findings = NodeFindings { node: id, all: findings };
        fields::check(node, &mut findings);
        texts::check(&view, node, &mut findings);
        options::check(node, &mut findings);
        values::check(&view, node, &mut findings);
        requests::check(node, &mut findings);
        names::check(&view, node, &mut findings);
        contact::check(&view, node, &mut findings);
    }
    graph::check(&view, findings);
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn flow(&mut self, field: &str, message: impl Into<String>) {
        self.0.push(Finding { node: None, field: field.to_owned(), message: message.into() });
    }

    fn node(&mut self, node: &str, field: &str, message: impl Into<String>) {
        self.0.push(Finding { node: Some(node.to_owned()), field: field.to_owned(), message: message.into() });
    }
}

/// The findings of one node.
struct NodeFindings<'a> {
    node: &'a str,
    all: &'a mut Findings,
}

impl NodeFindings<'_> {
    fn add(&mut self, field: &str, message: impl Into<String>) {
        self.all.node(self.node, field, message);
    }
}

/// A flow with its nodes parsed.
struct FlowView<'a> {
    flow: &'a Flow<'a>,
    nodes: BTreeMap<&'a str, FlowNode>,
    /// Every id, also of nodes that cannot be parsed.
    ids: BTreeSet<&'a str>,
    attributes: BTreeSet<String>,
    secrets: BTreeSet<String>,
}

impl<'a> FlowView<'a> {
    fn new(flow: &'a Flow<'a>, findings: &mut Findings) -> Self {
        let (mut nodes, mut ids) = (BTreeMap::new(), BTreeSet::new());
        for (id, text) in flow.nodes.iter() {
            if !ids.insert(id) {
                findings.node(id, "", "is given twice");
                continue;
            }
            if !is_id(id) {
                findings.node(id, "", format!("an id has 1 to {NAME} letters, digits, `_` and `-`"));
            }
            match serde_json::from_str(text.get()) {
                Ok(node) => drop(nodes.insert(id, node)),
                Err(fault) => findings.node(id, "", format!("cannot be read: {fault}")),
            }
        }
        let secrets = match flow.secrets() {
            Ok(secrets) => secrets.into_keys().collect(),
            Err(_) => {
                findings.flow("secrets", "must be an object with a text for each name");
                BTreeSet::new()
            }
        };
        let mut attributes: BTreeSet<String> = nodes.values().flat_map(names::written).map(str::to_owned).collect();
        attributes.extend(flow.events.iter().flat_map(|event| event.map.keys().cloned()));
        Self { flow, nodes, ids, attributes, secrets }
    }

    /// Whether a text may have this placeholder.
    fn knows(&self, name: &str) -> bool {
        if let Some(attribute) = name.strip_prefix(CONTACT) {
            return self.flow.contact_attributes.contains_key(attribute);
        }
        FACTS.contains(&name) || self.attributes.contains(name) || self.flow.kept.iter().any(|kept| kept == name)
    }
}

fn is_id(text: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    (1..=NAME).contains(&text.len()) && text.chars().all(fits)
}

/// Whether a text has content that does not depend on values.
fn says_something(template: &str) -> bool {
    !crate::template::literal(template).trim().is_empty()
}
