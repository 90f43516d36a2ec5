//! The attributes of the contact in a local conversation.

use domain::contact_attribute::{AttributeChange, AttributeDefinition};
use plugin_host::{
    chatbot::{Action, Attribute, AttributeValue},
    domain_value,
};
use serde_json::{Map, Value};

/// Why a server would refuse the attributes that an answer sets. `known`: `None` accepts every attribute.
pub(crate) fn refusal(known: Option<&[AttributeDefinition]>, actions: &[Action]) -> Option<String> {
    let known = known?;
    actions.iter().find_map(|action| {
        let Action::SetAttribute(change) = action else { return None };
        let value = change.value.as_ref().and_then(|value| domain_value(value).ok());
        AttributeChange::of_plugin(&change.name, value, known).err()
    })
}

/// Sets or removes a value. The attributes stay in the order of their names.
pub(crate) fn set(attributes: &mut Vec<Attribute>, name: &str, value: Option<AttributeValue>) {
    attributes.retain(|attribute| attribute.name != name);
    attributes.extend(value.map(|value| Attribute { name: name.to_owned(), value }));
    attributes.sort_by(|one, other| one.name.cmp(&other.name));
}

/// The value in JSON, as the API shows it.
pub(crate) fn shown(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::Other(text) => text.as_str().into(),
        value => domain_value(value).map_or(Value::Null, |value| value.to_json()),
    }
}

/// The values by name.
pub(crate) fn all_shown(attributes: &[Attribute]) -> Map<String, Value> {
    attributes.iter().map(|attribute| (attribute.name.clone(), shown(&attribute.value))).collect()
}
