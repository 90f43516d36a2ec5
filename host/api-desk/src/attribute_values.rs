//! Values of contacts' attributes in answers.

use domain::{
    contact_attribute::{AttributeName, AttributeValue},
    privacy::CustomerVisibility,
};
use serde_json::{Map, Value};
use tenancy::contact_attributes::AttributeValues;

/// The values as a caller sees them, in JSON.
pub(crate) fn shown(values: AttributeValues, sight: CustomerVisibility) -> Map<String, Value> {
    let value = |(name, value): (AttributeName, AttributeValue)| {
        let is_hidden = sight == CustomerVisibility::Masked && !value.is_shown_masked();
        (name.as_str().to_owned(), if is_hidden { Value::Null } else { value.to_json() })
    };
    values.into_iter().map(value).collect()
}
