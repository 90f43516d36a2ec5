//! YAML with the place of every value, so that a fault in a test file is reported with its line.

use std::fmt;

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Number, Value};
use serde_saphyr::{Location, Spanned};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlNode {
    /// From 1.
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) value: YamlContent,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum YamlContent {
    /// Nothing, `null` or `~`.
    Null,
    /// A value that is not text, with the characters as written.
    Scalar(Value, String),
    Text(String),
    List(Vec<YamlNode>),
    /// Names with values, in the order of the file.
    Map(Vec<(String, YamlNode)>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct YamlFault {
    /// From 1.
    pub line: u64,
    pub column: u64,
    pub message: String,
}

/// An error is the place of the fault.
pub(crate) fn parse(text: &str) -> Result<YamlNode, YamlFault> {
    // Only `true` and `false` are booleans, because a customer's "no" is text.
    let options = serde_saphyr::options! { strict_booleans: true };
    let tree: Spanned<Tree> = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let plain = error.without_snippet();
        let place = plain.location().unwrap_or(Location::UNKNOWN);
        let words = plain.to_string();
        let words = words.lines().next().unwrap_or("this is not YAML");
        let message = words.split(" at line ").next().unwrap_or(words).to_owned();
        YamlFault { line: place.line().max(1), column: place.column().max(1), message }
    })?;
    Ok(tree_to_node(tree, text))
}

impl YamlNode {
    pub(crate) fn fault(&self, message: impl Into<String>) -> YamlFault {
        YamlFault { line: self.line, column: self.column, message: message.into() }
    }

    /// As text. Numbers and booleans as written.
    pub(crate) fn text(&self, what: &str) -> Result<String, YamlFault> {
        match &self.value {
            YamlContent::Text(text) | YamlContent::Scalar(_, text) => Ok(text.clone()),
            _ => Err(self.fault(format!("`{what}` takes a text"))),
        }
    }

    pub(crate) fn count(&self, what: &str) -> Result<u32, YamlFault> {
        let number = match &self.value {
            YamlContent::Scalar(value, _) => value.as_u64().and_then(|number| u32::try_from(number).ok()),
            _ => None,
        };
        number.ok_or_else(|| self.fault(format!("`{what}` takes a whole number")))
    }

    pub(crate) fn truth(&self, what: &str) -> Result<bool, YamlFault> {
        match &self.value {
            YamlContent::Scalar(Value::Bool(truth), _) => Ok(*truth),
            _ => Err(self.fault(format!("`{what}` takes true or false"))),
        }
    }

    pub(crate) fn list(&self, what: &str) -> Result<&[YamlNode], YamlFault> {
        match &self.value {
            YamlContent::List(items) => Ok(items),
            _ => Err(self.fault(format!("`{what}` takes a list; begin each entry with `- `"))),
        }
    }

    pub(crate) fn map(&self, what: &str) -> Result<&[(String, YamlNode)], YamlFault> {
        match &self.value {
            YamlContent::Map(entries) => Ok(entries),
            _ => Err(self.fault(format!("`{what}` takes names with values, such as `name: value`"))),
        }
    }

    /// As the fields of a record with these names.
    pub(crate) fn fields<'a>(&'a self, what: &str, known: &[&str]) -> Result<YamlFields<'a>, YamlFault> {
        let entries = self.map(what)?;
        for (name, node) in entries {
            if !known.contains(&name.as_str()) {
                let nearest = nearest(name, known);
                return Err(
                    node.fault(format!("`{what}` has no field `{name}`{nearest}; it has: {}", known.join(", ")))
                );
            }
        }
        Ok(YamlFields(entries))
    }

    pub(crate) fn json(&self) -> Value {
        match &self.value {
            YamlContent::Null => Value::Null,
            YamlContent::Scalar(value, _) => value.clone(),
            YamlContent::Text(text) => Value::String(text.clone()),
            YamlContent::List(items) => Value::Array(items.iter().map(YamlNode::json).collect()),
            YamlContent::Map(entries) => {
                Value::Object(entries.iter().map(|(name, node)| (name.clone(), node.json())).collect())
            }
        }
    }
}

/// The known name that is most similar to an unknown one.
fn nearest(name: &str, known: &[&str]) -> String {
    let close = known.iter().filter(|other| strsim::osa_distance(name, other) <= 2);
    let nearest = close.min_by_key(|other| strsim::osa_distance(name, other));
    nearest.map(|other| format!(" (did you mean `{other}`?)")).unwrap_or_default()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct YamlFields<'a>(&'a [(String, YamlNode)]);

impl<'a> YamlFields<'a> {
    /// The value of a field; `None` if it is absent or null.
    pub(crate) fn get(&self, name: &str) -> Option<&'a YamlNode> {
        self.get_nullable(name).filter(|node| node.value != YamlContent::Null)
    }

    /// The value of a field, which may be null.
    pub(crate) fn get_nullable(&self, name: &str) -> Option<&'a YamlNode> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }
}

enum Tree {
    Null,
    Scalar(Value),
    Text(String),
    List(Vec<Spanned<Tree>>),
    Map(Vec<(String, Spanned<Tree>)>),
}

fn tree_to_node(tree: Spanned<Tree>, text: &str) -> YamlNode {
    // An alias has the place of its use, and the characters of its anchor.
    let (place, written_at) = (tree.referenced, tree.defined);
    let value = match tree.value {
        Tree::Null => YamlContent::Null,
        Tree::Scalar(value) => {
            let written = plain_text(text, written_at).unwrap_or_else(|| value.to_string());
            YamlContent::Scalar(value, written)
        }
        Tree::Text(words) => YamlContent::Text(words),
        Tree::List(items) => YamlContent::List(items.into_iter().map(|item| tree_to_node(item, text)).collect()),
        Tree::Map(entries) => {
            YamlContent::Map(entries.into_iter().map(|(name, node)| (name, tree_to_node(node, text))).collect())
        }
    };
    YamlNode { line: place.line(), column: place.column(), value }
}

/// The characters of a plain scalar, because `007` in a customer's message must not become `7`.
fn plain_text(text: &str, place: Location) -> Option<String> {
    let span = place.span();
    let from = usize::try_from(span.byte_offset()?).ok()?;
    let to = from.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
    let written = text.get(from..to)?.trim();
    (!written.is_empty()).then(|| written.to_owned())
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Number(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree, E> {
        Ok(Tree::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = vec![];
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut map = vec![];
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Tree::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_line() {
        let node = parse("name: x\nsteps:\n  - customer: hi\n  - bot: {text: a, n: 007}\n").unwrap();
        let steps = node.fields("file", &["name", "steps"]).unwrap().get("steps").unwrap();
        let lines: Vec<u64> = steps.list("steps").unwrap().iter().map(|step| step.line).collect();
        assert_eq!(lines, [3, 4]);
        assert_eq!(node.json()["steps"][0]["customer"], "hi");
    }

    #[test]
    fn scalars_can_be_read_as_they_were_written() {
        let node = parse("a: 007\nb: 1.50\nc: no\nd: true\ne: \"5\"\n").unwrap();
        let texts: Vec<String> = node.map("it").unwrap().iter().map(|(_, node)| node.text("it").unwrap()).collect();
        assert_eq!(texts, ["007", "1.50", "no", "true", "5"]);
    }

    #[test]
    fn an_alias_is_read_as_its_anchor_was_written() {
        let node =
            parse("a: &number 007\nb: *number\nc: &steps [{customer: 0815}, {customer: true}]\nd: *steps\n").unwrap();
        let entries = node.map("it").unwrap();
        assert_eq!(entries[1].1.text("it").unwrap(), "007");
        let said = |steps: &YamlNode| -> Vec<String> {
            let steps = steps.list("steps").unwrap().iter();
            steps.map(|step| step.map("step").unwrap()[0].1.text("customer").unwrap()).collect()
        };
        assert_eq!((said(&entries[2].1), entries[3].1.line), (said(&entries[3].1), 4));
        assert_eq!(said(&entries[3].1), ["0815", "true"]);
    }

    #[test]
    fn invalid_yaml_is_refused_with_its_line() {
        let fault = parse("name: x\nsteps:\n  - a: [1\n").unwrap_err();
        assert!(fault.line >= 3, "{fault}");
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_one_that_was_meant() {
        let node = parse("costumer: hi").unwrap();
        let fault = node.fields("step", &["customer", "bot"]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "line 1, column 11: `step` has no field `costumer` (did you mean `customer`?); it has: customer, bot"
        );
    }
}
