//! A message that the bot is expected to send.

use std::path::Path;

use regex_lite::Regex;
use serde_json::Value;

use super::content;
use crate::{
    diff,
    local_run::bot_message::{BotChoice, BotMessage},
    yaml::{self, YamlFault, YamlNode},
};

/// The expected fields of a message. An absent field may have any value.
#[derive(Debug, Clone, Default)]
pub(super) struct ExpectedMessage {
    text: Option<String>,
    contains: Vec<String>,
    matches: Option<Regex>,
    kind: Option<String>,
    buttons: Option<Vec<ExpectedChoice>>,
    list: Option<Vec<ExpectedChoice>>,
    quotes: Option<bool>,
    fields: Vec<(&'static str, String)>,
    parameters: Option<Vec<String>>,
    /// The bytes of a file that the bot wrote.
    content: Option<Vec<u8>>,
}

/// A button or entry: its title or id, or both.
#[derive(Debug, Clone)]
struct ExpectedChoice {
    id: Option<String>,
    title: String,
}

/// Fields of a message that are compared literally.
const PLAIN: [&str; 5] = ["header", "footer", "url", "filename", "name"];

/// Reads `bot:`, unless it is `nothing`. `folder` is that of the test file.
pub(super) fn read(node: &YamlNode, folder: &Path) -> Result<ExpectedMessage, YamlFault> {
    if !matches!(node.value, yaml::YamlContent::Map(_)) {
        let text = node.text("bot")?;
        return Ok(ExpectedMessage { text: (text != "anything").then_some(text), ..ExpectedMessage::default() });
    }
    let known = [
        "text",
        "contains",
        "matches",
        "kind",
        "buttons",
        "list",
        "header",
        "footer",
        "url",
        "filename",
        "name",
        "parameters",
        "quotes",
        "content",
        "content file",
    ];
    let fields = node.fields("bot", &known)?;
    let text = |name: &str| fields.get(name).map(|node| node.text(name)).transpose();
    let several = |name: &str| -> Result<Option<Vec<String>>, YamlFault> {
        let Some(node) = fields.get(name) else { return Ok(None) };
        match &node.value {
            yaml::YamlContent::List(items) => {
                items.iter().map(|item| item.text(name)).collect::<Result<_, _>>().map(Some)
            }
            _ => Ok(Some(vec![node.text(name)?])),
        }
    };
    let matches = fields.get("matches").map(|node| {
        let pattern = node.text("matches")?;
        Regex::new(&pattern).map_err(|error| node.fault(format!("`{pattern}` is not a regular expression: {error}")))
    });
    let mut plain = vec![];
    for name in PLAIN {
        plain.extend(text(name)?.map(|value| (name, value)));
    }
    Ok(ExpectedMessage {
        text: text("text")?,
        contains: several("contains")?.unwrap_or_default(),
        matches: matches.transpose()?,
        kind: text("kind")?,
        buttons: fields.get("buttons").map(options).transpose()?,
        list: fields.get("list").map(options).transpose()?,
        quotes: fields.get("quotes").map(|node| node.truth("quotes")).transpose()?,
        fields: plain,
        parameters: several("parameters")?,
        content: content::read(fields, folder)?,
    })
}

fn options(node: &YamlNode) -> Result<Vec<ExpectedChoice>, YamlFault> {
    let option = |node: &YamlNode| {
        if !matches!(node.value, yaml::YamlContent::Map(_)) {
            return Ok(ExpectedChoice { id: None, title: node.text("buttons")? });
        }
        let fields = node.fields("button", &["id", "title"])?;
        let text = |name: &str| fields.get(name).map(|node| node.text(name)).transpose();
        let title = text("title")?.ok_or_else(|| node.fault("a button needs a `title`"))?;
        Ok(ExpectedChoice { id: text("id")?, title })
    };
    node.list("buttons")?.iter().map(option).collect()
}

impl ExpectedMessage {
    pub(super) fn differences(&self, said: &BotMessage) -> Vec<String> {
        let mut lines = vec![];
        if let Some(kind) = self.kind.as_ref().filter(|kind| *kind != said.kind) {
            lines.extend(field_lines("kind", kind, said.kind));
        }
        if let Some(text) = self.text.as_ref().filter(|text| **text != said.text) {
            lines.extend(diff::texts(text, &said.text));
        }
        for part in self.contains.iter().filter(|part| !said.text.contains(part.as_str())) {
            lines.extend([format!("expected a text with: {part}"), format!("got:                  {}", said.text)]);
        }
        if let Some(pattern) = self.matches.as_ref().filter(|pattern| !pattern.is_match(&said.text)) {
            lines.extend([format!("expected a text like: {pattern}"), format!("got:                  {}", said.text)]);
        }
        for (name, expected) in &self.fields {
            let got = plain(said, name);
            if got != Some(expected.as_str()) {
                lines.extend(field_lines(name, expected, got.unwrap_or("nothing")));
            }
        }
        lines.extend(self.buttons.as_ref().and_then(|wanted| choices("buttons", wanted, said)));
        lines.extend(self.list.as_ref().and_then(|wanted| choices("list", wanted, said)));
        if let Some(parameters) = self.parameters.as_ref().filter(|wanted| **wanted != said.parameters) {
            lines.extend(field_lines("parameters", &parameters.join(", "), &said.parameters.join(", ")));
        }
        if let Some(content) = self.content.as_deref().filter(|content| said.content.as_deref() != Some(*content)) {
            let got = said.content.as_deref().map_or_else(|| "no file that the bot wrote".to_owned(), shown);
            lines.extend(field_lines("content", &shown(content), &got));
        }
        if let Some(quotes) = self.quotes.filter(|quotes| *quotes != said.quote.is_some()) {
            let words =
                |quotes: bool| if quotes { "a message that quotes another" } else { "a message that quotes nothing" };
            lines.extend([format!("expected: {}", words(quotes)), format!("got:      {}", words(!quotes))]);
        }
        lines
    }

    pub(super) fn words(&self) -> String {
        let text = self.text.clone().or_else(|| self.contains.first().map(|part| format!("…{part}…")));
        let text = text.or_else(|| self.matches.as_ref().map(|pattern| format!("/{pattern}/")));
        let kind = self.kind.clone().unwrap_or_else(|| "a message".to_owned());
        text.unwrap_or(kind)
    }
}

fn plain<'a>(said: &'a BotMessage, name: &str) -> Option<&'a str> {
    match name {
        "header" => said.header.as_deref(),
        "footer" => said.footer.as_deref(),
        "url" => said.url.as_deref(),
        _ => said.name.as_deref(),
    }
}

/// The bytes of a file as text, or their number.
fn shown(content: &[u8]) -> String {
    std::str::from_utf8(content).map_or_else(|_| format!("{} bytes", content.len()), str::to_owned)
}

fn field_lines(name: &str, expected: &str, got: &str) -> Vec<String> {
    let mut lines = vec![format!("at {name}:")];
    lines.extend(diff::texts(expected, got).into_iter().map(|line| format!("  {line}")));
    lines
}

/// Compares the choices; `None` if they are as expected.
fn choices(kind: &str, wanted: &[ExpectedChoice], said: &BotMessage) -> Option<String> {
    let fits = |wanted: &ExpectedChoice, choice: &BotChoice| {
        wanted.title == choice.title && wanted.id.as_ref().is_none_or(|id| *id == choice.id)
    };
    let same = said.kind == kind
        && wanted.len() == said.options.len()
        && wanted.iter().zip(&said.options).all(|(wanted, choice)| fits(wanted, choice));
    let spell = |title: &str, id: Option<&str>| match id {
        Some(id) => format!("{title} [{id}]"),
        None => title.to_owned(),
    };
    (!same).then(|| {
        let ids = wanted.iter().any(|wanted| wanted.id.is_some());
        let expected: Vec<String> = wanted.iter().map(|wanted| spell(&wanted.title, wanted.id.as_deref())).collect();
        let got: Vec<String> =
            said.options.iter().map(|choice| spell(&choice.title, ids.then_some(choice.id.as_str()))).collect();
        let got = match got.is_empty() {
            true => format!("none; the message is of kind `{}`", said.kind),
            false => format!("{} (kind `{}`)", got.join(" | "), said.kind),
        };
        format!("at {kind}:\n  expected: {}\n  got:      {got}", expected.join(" | "))
    })
}

/// A value as text: strings unchanged, other values as JSON.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
