//! A JSON value that is being read. Each fault has its path and the expected form.

use std::cell::RefCell;

use serde_json::{Map, Value};

use super::form::camel;

/// The path of a fault, such as `event.message.content.type`, and its description.
pub type Problem = (String, String);

pub(super) struct JsonNode<'a> {
    path: String,
    value: &'a Value,
    problems: &'a RefCell<Vec<Problem>>,
}

impl<'a> JsonNode<'a> {
    pub(super) fn new(path: &str, value: &'a Value, problems: &'a RefCell<Vec<Problem>>) -> Self {
        Self { path: path.to_owned(), value, problems }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    pub(super) fn problem<T>(&self, message: impl Into<String>) -> Option<T> {
        self.problems.borrow_mut().push((self.path.clone(), message.into()));
        None
    }

    pub(super) fn expected<T>(&self, what: &str) -> Option<T> {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.problem(format!("must be {what}, not {found}"))
    }

    pub(super) fn object(&self) -> Option<JsonObject<'a>> {
        match self.value {
            Value::Object(map) => {
                Some(JsonObject { path: self.path.clone(), map, problems: self.problems, known: Vec::new() })
            }
            _ => self.expected("an object"),
        }
    }

    pub(super) fn items(&self) -> Option<impl Iterator<Item = JsonNode<'a>>> {
        let Value::Array(items) = self.value else { return self.expected("a list") };
        let (path, problems) = (self.path.clone(), self.problems);
        let item = move |(index, value)| JsonNode { path: format!("{path}[{index}]"), value, problems };
        Some(items.iter().enumerate().map(item))
    }
}

pub(super) struct JsonObject<'a> {
    path: String,
    map: &'a Map<String, Value>,
    problems: &'a RefCell<Vec<Problem>>,
    known: Vec<String>,
}

impl<'a> JsonObject<'a> {
    /// A field with a JSON text: a string is taken unchanged, any other JSON value is serialised.
    pub(super) fn json_text(&mut self, name: &str) -> Option<String> {
        match self.take(name)?.value() {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.map.contains_key(&camel(name))
    }

    pub(super) fn kind(&mut self) -> Option<&'a str> {
        match self.take("type")?.value() {
            Value::String(kind) => Some(kind),
            _ => None,
        }
    }

    pub(super) fn unknown_kind<T>(&self, kinds: &[&str]) -> Option<T> {
        let found = match self.map.get("type") {
            Some(Value::String(kind)) => format!("`{kind}` is not known"),
            Some(_) => "must be a text".to_owned(),
            None => "is missing".to_owned(),
        };
        self.at("type").problem(format!("{found}; there are {}", kinds.join(", ")))
    }

    pub(super) fn finish(self) {
        let mut known = self.known.clone();
        known.sort();
        for name in self.map.keys().filter(|name| !self.known.contains(name)) {
            let path = join(&self.path, name);
            let problem = format!("is not known; there are {}", known.join(", "));
            self.problems.borrow_mut().push((path, problem));
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<JsonNode<'a>> {
        let name = camel(name);
        let found =
            self.map.get(&name).map(|value| JsonNode { path: join(&self.path, &name), value, problems: self.problems });
        self.known.push(name);
        found
    }

    pub(super) fn at(&self, name: &str) -> JsonNode<'a> {
        JsonNode { path: join(&self.path, &camel(name)), value: &Value::Null, problems: self.problems }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
