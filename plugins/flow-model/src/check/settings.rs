//! The fields of the flow apart from its nodes.

use std::collections::BTreeSet;

use super::{Findings, FlowView, contact, hours, is_id, names, requests};
use crate::limits::{ATTRIBUTES, KEPT, LANGUAGES, LONGEST_WAIT, NAME};

pub(super) fn check(view: &FlowView<'_>, findings: &mut Findings) {
    let flow = view.flow;
    let codes: BTreeSet<&str> = flow.languages.iter().map(String::as_str).collect();
    if codes.len() != flow.languages.len() || flow.languages.len() > LANGUAGES || !codes.iter().all(|code| is_id(code))
    {
        findings.flow("languages", format!("must be up to {LANGUAGES} different codes such as en"));
    }
    if flow.kept.len() > KEPT {
        findings.flow("kept", format!("may name {KEPT} attributes"));
    }
    if view.attributes.len() > ATTRIBUTES {
        findings.flow("nodes", format!("set {} different attributes; {ATTRIBUTES} are allowed", view.attributes.len()));
    }
    for (at, name) in flow.kept.iter().enumerate() {
        let unset = (!view.attributes.contains(name)).then(|| format!("no node sets `{name}`"));
        if let Some(fault) = names::fault_of_name(name).or(unset) {
            findings.flow(&format!("kept/{at}"), fault);
        }
    }
    if flow.idle.as_ref().is_some_and(|idle| !(1..=LONGEST_WAIT / 60).contains(&idle.minutes)) {
        findings.flow("idle/minutes", format!("must be 1 to {}, which is 30 days", LONGEST_WAIT / 60));
    }
    for (at, command) in flow.commands.iter().enumerate() {
        if command.words.is_empty() || command.words.iter().any(|word| word.trim().is_empty()) {
            findings.flow(&format!("commands/{at}/words"), "must have at least one word, and no empty one");
        }
    }
    for (at, event) in flow.events.iter().enumerate() {
        if event.name.is_empty() || event.name.chars().count() > NAME {
            findings.flow(&format!("events/{at}/name"), format!("has 1 to {NAME} characters"));
        }
        for (name, pointer) in &event.map {
            let fault = names::fault_of_name(name).or_else(|| requests::fault_of_pointer(pointer).map(str::to_owned));
            if let Some(fault) = fault {
                findings.flow(&format!("events/{at}/map/{name}"), fault);
            }
        }
    }
    contact::names(flow, findings);
    hours::check(flow.hours, findings);
}
