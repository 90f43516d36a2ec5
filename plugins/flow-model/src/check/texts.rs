//! Translations and lengths of the texts that customers see.

use super::{FlowView, NodeFindings, says_something};
use crate::{
    limits::{LIST_LABEL, MENU_TEXT, MESSAGE_TEXT, ROW_DESCRIPTION, is_list, title_limit},
    node::{FlowNode, NodeKind},
    template,
    text::FlowText,
};

pub(super) fn check(view: &FlowView<'_>, node: &FlowNode, findings: &mut NodeFindings<'_>) {
    for (field, text, limit) in texts(node) {
        translations(view, &field, text, findings);
        for text in text.all() {
            judge(&field, text, limit, findings);
        }
    }
}

/// The texts of a node with their fields and limits.
fn texts(node: &FlowNode) -> Vec<(String, &FlowText, usize)> {
    let options = node.options();
    let is_list = is_list(options.len());
    let longest = match node.kind {
        NodeKind::Menu if !is_list => MENU_TEXT,
        _ if node.media.is_some() => MENU_TEXT,
        _ => MESSAGE_TEXT,
    };
    let own = [("text", &node.text, longest), ("retry", &node.retry, longest), ("label", &node.label, LIST_LABEL)];
    let own = own.into_iter().filter_map(|(field, text, limit)| Some((field.to_owned(), text.as_ref()?, limit)));
    let mut texts: Vec<_> = own.collect();
    for (at, option) in options.iter().enumerate() {
        texts.push((format!("options/{at}/title"), &option.title, title_limit(options.len())));
        let description = option.description.as_ref();
        texts.extend(description.map(|text| (format!("options/{at}/description"), text, ROW_DESCRIPTION)));
    }
    texts
}

fn translations(view: &FlowView<'_>, field: &str, text: &FlowText, findings: &mut NodeFindings<'_>) {
    let languages = &view.flow.languages;
    match text {
        // A text without letters, such as `5`, is the same in every language.
        FlowText::Plain(text) => {
            if languages.len() > 1 && template::literal(text).chars().any(char::is_alphabetic) {
                findings.add(field, format!("has no translations: give a text for each of {}", languages.join(", ")));
            }
        }
        FlowText::Translated(texts) => {
            let missing: Vec<&str> =
                languages.iter().filter(|code| !texts.contains_key(*code)).map(String::as_str).collect();
            if !missing.is_empty() {
                findings.add(field, format!("has no translation for {}", missing.join(", ")));
            }
            for code in texts.keys().filter(|code| !languages.contains(code)) {
                findings.add(field, format!("has a text for `{code}`, which is not in `languages`"));
            }
        }
    }
}

fn judge(field: &str, text: &str, limit: usize, findings: &mut NodeFindings<'_>) {
    let length = template::literal(text).chars().count();
    if length > limit {
        findings.add(field, format!("`{}` has {length} characters; {limit} are allowed here", start(text)));
    }
    if !says_something(text) {
        findings.add(field, "must say something apart from placeholders, because their values may be empty");
    }
}

/// The beginning of a text, for a message about it.
fn start(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
