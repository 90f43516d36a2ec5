//! Reads JSON values into the types of `wit/`. Each fault has its path and the expected form.

use std::cell::RefCell;

use serde_json::{Map, Value};

use super::Problem;

/// A type with a readable JSON form.
pub(crate) trait ReadableJson: Sized + Clone {
    /// Reads a value. If a part is left out, it comes from `base`. `None` if the value does not fit; the fault is then
    /// noted.
    fn read(node: &JsonNode<'_>, base: Option<&Self>) -> Option<Self>;

    fn write(&self) -> Value;

    /// The value of an absent field without a `base`.
    fn absent() -> Option<Self> {
        None
    }
}

/// A type whose JSON form is an object.
pub(crate) trait JsonRecord: ReadableJson {
    /// Reads the fields. The caller checks for unknown ones.
    fn read_fields(object: &mut JsonObject<'_>, base: Option<&Self>) -> Option<Self>;

    fn write_fields(&self, into: &mut Map<String, Value>);
}

/// A value and its path.
pub(crate) struct JsonNode<'a> {
    path: String,
    value: &'a Value,
    problems: &'a RefCell<Vec<Problem>>,
}

impl<'a> JsonNode<'a> {
    pub(crate) fn new(path: &str, value: &'a Value, problems: &'a RefCell<Vec<Problem>>) -> Self {
        Self { path: path.to_owned(), value, problems }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    pub(crate) fn problem<T>(&self, message: impl Into<String>) -> Option<T> {
        self.problems.borrow_mut().push((self.path.clone(), message.into()));
        None
    }

    /// Notes that the value is of the wrong type.
    pub(crate) fn expected<T>(&self, what: &str) -> Option<T> {
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

    pub(crate) fn object(&self) -> Option<JsonObject<'a>> {
        match self.value {
            Value::Object(map) => {
                Some(JsonObject { path: self.path.clone(), map, problems: self.problems, known: Vec::new() })
            }
            _ => self.expected("an object"),
        }
    }

    pub(crate) fn items(&self) -> Option<impl Iterator<Item = JsonNode<'a>>> {
        let Value::Array(items) = self.value else { return self.expected("a list") };
        let (path, problems) = (self.path.clone(), self.problems);
        let item = move |(index, value)| JsonNode { path: format!("{path}[{index}]"), value, problems };
        Some(items.iter().enumerate().map(item))
    }
}

/// An object whose fields are being read.
pub(crate) struct JsonObject<'a> {
    path: String,
    map: &'a Map<String, Value>,
    problems: &'a RefCell<Vec<Problem>>,
    known: Vec<String>,
}

impl<'a> JsonObject<'a> {
    /// A field by its name in `wit/`, with `_` for `-`.
    pub(crate) fn field<T: ReadableJson>(&mut self, name: &str, base: Option<&T>) -> Option<T> {
        match self.take(name) {
            Some(node) => T::read(&node, base),
            None => match base.cloned().or_else(T::absent) {
                Some(value) => Some(value),
                None => self.at(name).problem("is missing"),
            },
        }
    }

    /// A field with a JSON text: a string is taken unchanged, any other JSON value is serialised.
    pub(crate) fn json_text(&mut self, name: &str) -> Option<String> {
        match self.take(name)?.value() {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.map.contains_key(&camel(name))
    }

    /// The `type`, which names the case.
    pub(crate) fn kind(&mut self) -> Option<&'a str> {
        match self.take("type")?.value() {
            Value::String(kind) => Some(kind),
            _ => None,
        }
    }

    pub(crate) fn unknown_kind<T>(&self, kinds: &[&str]) -> Option<T> {
        let found = match self.map.get("type") {
            Some(Value::String(kind)) => format!("`{kind}` is not known"),
            Some(_) => "must be a text".to_owned(),
            None => "is missing".to_owned(),
        };
        self.at("type").problem(format!("{found}; there are {}", kinds.join(", ")))
    }

    /// Notes the fields that were not read.
    pub(crate) fn finish(self) {
        let mut known = self.known.clone();
        known.sort();
        for name in self.map.keys().filter(|name| !self.known.contains(name)) {
            let path = join(&self.path, name);
            let problem = format!("is not known; there are {}", known.join(", "));
            self.problems.borrow_mut().push((path, problem));
        }
    }

    fn take(&mut self, name: &str) -> Option<JsonNode<'a>> {
        let name = camel(name);
        let found =
            self.map.get(&name).map(|value| JsonNode { path: join(&self.path, &name), value, problems: self.problems });
        self.known.push(name);
        found
    }

    fn at(&self, name: &str) -> JsonNode<'a> {
        JsonNode { path: join(&self.path, &camel(name)), value: &Value::Null, problems: self.problems }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// `after_seconds` becomes `afterSeconds`.
pub(crate) fn camel(name: &str) -> String {
    let mut upper = false;
    let letters = name.chars().filter_map(|letter| {
        let was_upper = std::mem::replace(&mut upper, letter == '_');
        match letter {
            '_' => None,
            letter if was_upper => Some(letter.to_ascii_uppercase()),
            letter => Some(letter),
        }
    });
    letters.collect()
}
