use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    definition::{AttributeDefinition, AttributeName},
    value::AttributeValue,
};
use crate::body::{self, Faults, FieldFault};

/// A new value of an attribute of one contact.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeChange {
    pub name: AttributeName,
    /// `None`: the value is removed.
    pub value: Option<AttributeValue>,
}

impl AttributeChange {
    /// Checks a change of a plugin against the definitions. The error is for the author of the plugin.
    pub fn of_plugin(
        name: &str,
        value: Option<AttributeValue>,
        definitions: &[AttributeDefinition],
    ) -> Result<Self, String> {
        let known = definitions.iter().find(|known| known.name.as_str() == name);
        let known =
            known.ok_or_else(|| format!("`set-attribute`: contacts have no attribute `{name}`; define it first"))?;
        let value = value.map(|value| known.accept(value)).transpose();
        let value = value.map_err(|reason| format!("`set-attribute`: `{name}` {reason}"))?;
        Ok(Self { name: known.name.clone(), value })
    }
}

/// The body of a change, before its names and values are compared with the definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeChanges(Map<String, Value>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    attributes: Option<Map<String, Value>>,
}

impl AttributeChanges {
    pub fn parse(bytes: &[u8]) -> Result<Self, Faults> {
        let written: Written = body::parse(bytes)?;
        Ok(Self(written.attributes.ok_or_else(|| FieldFault::required("attributes"))?))
    }

    /// Checks each name and value. The error has every fault.
    pub fn check(self, definitions: &[AttributeDefinition]) -> Result<Vec<AttributeChange>, Faults> {
        let mut changes = Vec::with_capacity(self.0.len().min(definitions.len()));
        let mut faults = Faults::default();
        for (name, value) in self.0 {
            match change(&name, &value, definitions) {
                Ok(change) => changes.push(change),
                Err(said) => faults.push(FieldFault::new(format!("attributes.{name}"), said)),
            }
        }
        if faults.count() > 0 { Err(faults) } else { Ok(changes) }
    }
}

fn change(name: &str, value: &Value, definitions: &[AttributeDefinition]) -> Result<AttributeChange, String> {
    let known = definitions.iter().find(|known| known.name.as_str() == name);
    let known = known.ok_or("is no attribute of your contacts: define it first")?;
    let value = if value.is_null() { None } else { Some(known.read(value)?) };
    Ok(AttributeChange { name: known.name.clone(), value })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::attribute_type::AttributeType, *};

    fn definition(name: &str, kind: AttributeType) -> AttributeDefinition {
        AttributeDefinition { name: AttributeName::parse(name).unwrap(), label: name.to_owned(), kind }
    }

    fn changes(body: &Value) -> Result<Vec<AttributeChange>, Faults> {
        let known = [definition("age", AttributeType::Number), definition("vip", AttributeType::Boolean)];
        AttributeChanges::parse(body.to_string().as_bytes())?.check(&known)
    }

    fn faulty(body: &Value) -> Vec<String> {
        changes(body).unwrap_err().iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn null_removes_a_value_and_absent_attributes_are_not_named() {
        let read = changes(&json!({ "attributes": { "age": 41, "vip": null } })).unwrap();
        let shown: Vec<_> = read.iter().map(|one| (one.name.as_str(), one.value.clone())).collect();
        assert_eq!(shown, [("age", Some(AttributeValue::Number(41.0))), ("vip", None)]);
        assert!(changes(&json!({ "attributes": {} })).unwrap().is_empty());
    }

    #[test]
    fn an_impossible_change_of_a_plugin_is_refused_with_a_reason_for_its_author() {
        let known = [definition("age", AttributeType::Number)];
        let change = |name: &str, value| AttributeChange::of_plugin(name, value, &known);
        let age = AttributeName::parse("age").unwrap();
        let value = Some(AttributeValue::Number(1.0));
        assert_eq!(change("age", value.clone()), Ok(AttributeChange { name: age.clone(), value }));
        assert_eq!(change("age", None), Ok(AttributeChange { name: age, value: None }));
        let unknown = change("plan", None).unwrap_err();
        assert_eq!(unknown, "`set-attribute`: contacts have no attribute `plan`; define it first");
        let other = change("age", Some(AttributeValue::Boolean(true))).unwrap_err();
        assert_eq!(other, "`set-attribute`: `age` must be a NUMBER; the value is a BOOLEAN");
    }

    #[test]
    fn every_fault_is_named() {
        assert_eq!(faulty(&json!({})), ["attributes"]);
        assert_eq!(faulty(&json!({ "attributes": { "age": 1 }, "tags": [] })), ["tags"]);
        let body = json!({ "attributes": { "age": "41", "plan": "gold", "vip": true } });
        assert_eq!(faulty(&body), ["attributes.age", "attributes.plan"]);
    }
}
