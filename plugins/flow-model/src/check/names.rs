//! Attributes that nodes write and texts that name them.

use serde_json::Value;

use super::{FlowView, NodeFindings, is_id};
use crate::{
    limits::NAME,
    node::{FlowNode, NodeKind},
    template::{self, CONTACT, FACTS, SECRET},
};

/// The attributes that a node writes.
pub(super) fn written(node: &FlowNode) -> Vec<&str> {
    let maps = [&node.map, &node.set].into_iter().flatten().flat_map(|map| map.keys());
    node.save.iter().chain(maps).map(String::as_str).collect()
}

pub(super) fn fault_of_name(name: &str) -> Option<String> {
    if FACTS.contains(&name) {
        return Some(format!("`{name}` is a fact of the conversation; give the attribute another name"));
    }
    (!is_id(name)).then(|| format!("the name of an attribute has 1 to {NAME} letters, digits, `_` and `-`"))
}

pub(super) fn check(view: &FlowView<'_>, node: &FlowNode, findings: &mut NodeFindings<'_>) {
    for name in written(node) {
        if let Some(fault) = fault_of_name(name) {
            let field = if node.save.as_deref() == Some(name) {
                "save".to_owned()
            } else {
                format!("{}/{name}", place(node, name))
            };
            findings.add(&field, fault);
        }
    }
    for (field, text) in templates(node) {
        for name in template::names(text) {
            if let Some(fault) = fault_of_placeholder(view, node, name) {
                findings.add(&field, fault);
            }
        }
    }
}

fn place(node: &FlowNode, name: &str) -> &'static str {
    if node.set.as_ref().is_some_and(|set| set.contains_key(name)) { "set" } else { "map" }
}

fn fault_of_placeholder(view: &FlowView<'_>, node: &FlowNode, name: &str) -> Option<String> {
    match name.strip_prefix(SECRET) {
        Some(_) if node.kind != NodeKind::Http => Some(format!("`{{{name}}}` is for http nodes only")),
        Some(secret) if !view.secrets.contains(secret) => Some(format!("`{{{name}}}` is not in `secrets`")),
        Some(_) => None,
        None if view.knows(name) => None,
        None if name.starts_with(CONTACT) => Some(format!("`{{{name}}}` is not in `contactAttributes` of the flow")),
        None => Some(format!("`{{{name}}}` is neither a fact of the conversation nor an attribute that a node sets")),
    }
}

/// Every text of a node that may have placeholders, with its field.
fn templates(node: &FlowNode) -> Vec<(String, &str)> {
    let mut templates = vec![];
    let texts = [("text", &node.text), ("retry", &node.retry), ("label", &node.label)];
    for (field, text) in texts.into_iter().filter_map(|(field, text)| Some((field, text.as_ref()?))) {
        templates.extend(text.all().into_iter().map(|text| (field.to_owned(), text)));
    }
    for (at, option) in node.options().iter().enumerate() {
        let texts = [("title", Some(&option.title)), ("description", option.description.as_ref())];
        for (field, text) in texts.into_iter().filter_map(|(field, text)| Some((field, text?))) {
            templates.extend(text.all().into_iter().map(|text| (format!("options/{at}/{field}"), text)));
        }
    }
    let plain = [("url", &node.url), ("note", &node.note)];
    templates.extend(plain.into_iter().filter_map(|(field, text)| Some((field.to_owned(), text.as_deref()?))));
    for (field, map) in [("headers", &node.headers), ("set", &node.set), ("contact", &node.contact)] {
        let entries = map.iter().flatten();
        templates.extend(entries.map(|(name, text)| (format!("{field}/{name}"), text.as_str())));
    }
    templates.extend(node.media.iter().map(|media| ("media/url".to_owned(), media.url.as_str())));
    if let Some(body) = &node.body {
        texts_of(body, &mut |text| templates.push(("body".to_owned(), text)));
    }
    templates
}

fn texts_of<'a>(value: &'a Value, add: &mut dyn FnMut(&'a str)) {
    match value {
        Value::String(text) => add(text),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, add)),
        Value::Object(members) => members.values().for_each(|item| texts_of(item, add)),
        _ => {}
    }
}
