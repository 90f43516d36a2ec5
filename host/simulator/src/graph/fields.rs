//! Reads fields of a request with Meta's errors (131008 missing, 131009 invalid).

use serde_json::Value;

use super::errors::SimulatedGraphError;

#[derive(Clone, Copy)]
pub(crate) struct FieldNode<'a> {
    value: &'a Value,
}

fn absent(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

impl<'a> FieldNode<'a> {
    pub(crate) fn new(value: &'a Value) -> Self {
        Self { value }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&'a Value> {
        self.value.get(field).filter(|value| !value.is_null())
    }

    pub(crate) fn object(&self, path: &str, field: &str) -> Result<FieldNode<'a>, SimulatedGraphError> {
        let path = join(path, field);
        match self.value.get(field) {
            value if absent(value) => Err(SimulatedGraphError::missing(&path)),
            Some(value) if value.is_object() => Ok(FieldNode { value }),
            _ => Err(SimulatedGraphError::invalid(&path, "must be an object")),
        }
    }

    pub(crate) fn array(&self, path: &str, field: &str) -> Result<&'a [Value], SimulatedGraphError> {
        let path = join(path, field);
        match self.value.get(field) {
            value if absent(value) => Err(SimulatedGraphError::missing(&path)),
            Some(Value::Array(items)) if !items.is_empty() => Ok(items),
            Some(Value::Array(_)) => Err(SimulatedGraphError::invalid(&path, "must not be empty")),
            _ => Err(SimulatedGraphError::invalid(&path, "must be an array")),
        }
    }

    pub(crate) fn text(&self, path: &str, field: &str, longest: usize) -> Result<Option<&'a str>, SimulatedGraphError> {
        let path = join(path, field);
        match self.value.get(field) {
            value if absent(value) => Ok(None),
            Some(Value::String(text)) if text.chars().count() <= longest => Ok(Some(text)),
            Some(Value::String(_)) => Err(SimulatedGraphError::invalid(
                &path,
                &format!("length invalid. Min length: 1, Max length: {longest}"),
            )),
            _ => Err(SimulatedGraphError::invalid(&path, "must be a string")),
        }
    }

    pub(crate) fn required_text(
        &self,
        path: &str,
        field: &str,
        longest: usize,
    ) -> Result<&'a str, SimulatedGraphError> {
        match self.text(path, field, longest)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(SimulatedGraphError::invalid(
                &join(path, field),
                &format!("length invalid. Min length: 1, Max length: {longest}"),
            )),
            None => Err(SimulatedGraphError::missing(&join(path, field))),
        }
    }
}

fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
