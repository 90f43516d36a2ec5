//! The options of menus.

use std::collections::BTreeMap;

use super::{NodeFindings, is_id};
use crate::{
    limits::{NAME, OPTIONS, is_list},
    node::{FlowNode, NodeKind},
};

pub(super) fn check(node: &FlowNode, findings: &mut NodeFindings<'_>) {
    if node.kind != NodeKind::Menu {
        return;
    }
    let options = node.options();
    if node.options.is_some() && !(1..=OPTIONS).contains(&options.len()) {
        findings.add("options", format!("a menu has 1 to {OPTIONS} options; this one has {}", options.len()));
    }
    let is_list = is_list(options.len());
    match &node.label {
        None if is_list => {
            findings.add("label", "is missing: more than three options are a list, which a button opens")
        }
        Some(_) if !is_list => findings.add("label", "is not shown: up to three options are buttons"),
        _ => {}
    }
    let (mut ids, mut titles) = (BTreeMap::new(), BTreeMap::new());
    for (at, option) in options.iter().enumerate() {
        if !is_id(&option.id) {
            findings.add(&format!("options/{at}/id"), format!("has 1 to {NAME} letters, digits, `_` and `-`"));
        }
        if let Some(other) = ids.insert(option.id.as_str(), at) {
            findings.add(&format!("options/{at}/id"), format!("is that of options/{other} too"));
        }
        for title in option.title.all() {
            if let Some(other) = titles.insert(title.to_lowercase(), at).filter(|other| *other != at) {
                findings.add(&format!("options/{at}/title"), format!("is that of options/{other} too"));
            }
        }
        if option.description.is_some() && !is_list {
            findings.add(&format!("options/{at}/description"), "is not shown: up to three options are buttons");
        }
    }
}
