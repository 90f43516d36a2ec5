//! Attributes of the contact: their names, and the values that nodes set.

use super::{Findings, FlowView, NodeFindings};
use crate::{
    contact::{FlowAttributeType, contact_boolean, contact_choice, contact_number},
    flow::Flow,
    limits::{CONTACT_ATTRIBUTES, CONTACT_NAME},
    node::FlowNode,
    template::{Piece, pieces},
};

pub(super) fn names(flow: &Flow<'_>, findings: &mut Findings) {
    if flow.contact_attributes.len() > CONTACT_ATTRIBUTES {
        findings.flow("contactAttributes", format!("may name {CONTACT_ATTRIBUTES} attributes"));
    }
    for name in flow.contact_attributes.keys().filter(|name| !is_name(name)) {
        let rule = format!("has 1 to {CONTACT_NAME} lower-case letters, digits and `-`, and begins with a letter");
        findings.flow(&format!("contactAttributes/{name}"), format!("the name {rule}"));
    }
}

pub(super) fn check(view: &FlowView<'_>, node: &FlowNode, findings: &mut NodeFindings<'_>) {
    for (name, text) in node.contact.iter().flatten() {
        let fault = match view.flow.contact_attributes.get(name) {
            None => Some(format!("`{name}` is not in `contactAttributes` of the flow")),
            Some(kind) => fault_of_value(*kind, text).map(str::to_owned),
        };
        if let Some(fault) = fault {
            findings.add(&format!("contact/{name}"), fault);
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |one: u8| one.is_ascii_lowercase() || one.is_ascii_digit() || one == b'-';
    let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
    begins && name.len() <= CONTACT_NAME && name.bytes().all(fits)
}

/// The fault of a text without placeholders. An empty text removes the value.
fn fault_of_value(kind: FlowAttributeType, text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.is_empty() || pieces(text).any(|piece| matches!(piece, Piece::Name(_))) {
        return None;
    }
    match kind {
        FlowAttributeType::Number if contact_number(text).is_none() => Some("must be a number"),
        FlowAttributeType::Boolean if contact_boolean(text).is_none() => Some("must be true or false"),
        FlowAttributeType::Date if !is_date(text) => Some("must be a date such as 2026-12-31"),
        FlowAttributeType::Choice if contact_choice(text).is_none() => Some("is too long for a choice"),
        _ => None,
    }
}

/// Whether a text has the form of a date. The plugin checks if there is such a day.
fn is_date(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [4, 2, 2] && text.bytes().all(|one| one.is_ascii_digit() || one == b'-')
}
