//! The attributes of the contact in a test: those that the client defined, with their first values.

use std::collections::BTreeMap;

use domain::contact_attribute::{AttributeDefinition, AttributeName};
use plugin_host::chatbot::Attribute;
use serde_json::{Map, Value, json};

use crate::{
    diff,
    local_run::attributes,
    subset,
    yaml::{YamlContent, YamlFault, YamlNode},
};

/// Reads `attributes`, and adds their values to the session.
pub(super) fn read_attributes(node: &YamlNode, session: &mut Value) -> Result<Vec<AttributeDefinition>, YamlFault> {
    // By name, as a server gives them.
    let (mut known, mut values) = (vec![], BTreeMap::new());
    for (name, given) in node.map("attributes")? {
        let definition = read_definition(name, given)?;
        let fields = given.fields(name, &FIELDS)?;
        if let Some(value) = fields.get("value") {
            let value = definition.read(&value.json()).map_err(|rule| value.fault(format!("`{name}` {rule}")))?;
            let kind = value.type_name().to_lowercase();
            values.insert(name, json!({ "name": name, "type": kind, "value": value.to_json() }));
        }
        known.push(definition);
    }
    if let Value::Object(fields) = session {
        fields.insert("attributes".to_owned(), values.into_values().collect());
    }
    Ok(known)
}

const FIELDS: [&str; 3] = ["type", "choices", "value"];

fn read_definition(name: &str, node: &YamlNode) -> Result<AttributeDefinition, YamlFault> {
    let parsed = AttributeName::parse(name);
    let parsed = parsed.ok_or_else(|| node.fault(format!("the name `{name}` {}", AttributeName::RULE)))?;
    let fields = node.fields(name, &FIELDS)?;
    let mut body = Map::from_iter([("label".to_owned(), name.into())]);
    if let Some(kind) = fields.get("type") {
        body.insert("type".to_owned(), kind.text("type")?.to_uppercase().into());
    }
    body.extend(fields.get("choices").map(|choices| ("choices".to_owned(), choices.json())));
    AttributeDefinition::parse(parsed, Value::Object(body).to_string().as_bytes()).map_err(|faults| {
        let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
        node.fault(format!("in `{name}`, {}", words.join("; ")))
    })
}

/// The expected values of a step; null: no value.
pub(super) fn read_expected(node: &YamlNode) -> Result<Map<String, Value>, YamlFault> {
    let value = |(name, value): &(String, YamlNode)| {
        let value = if value.value == YamlContent::Null { Value::Null } else { value.json() };
        (name.clone(), value)
    };
    Ok(node.map("attributes")?.iter().map(value).collect())
}

/// The differences between the expected values and those of the contact.
pub(super) fn differences(wanted: &Map<String, Value>, contact: &[Attribute]) -> Vec<String> {
    let got = Value::Object(attributes::all_shown(contact));
    diff::places(&subset::differences(&Value::Object(wanted.clone()), &got))
}
