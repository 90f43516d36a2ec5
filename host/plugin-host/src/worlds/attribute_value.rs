//! Values of attributes: those of `wit/` and those of `domain`.

use domain::contact_attribute::AttributeValue as DomainValue;

use crate::chatbot::AttributeValue;

/// The value as a plugin gets it.
pub fn plugin_value(value: &DomainValue) -> AttributeValue {
    match value {
        DomainValue::Text(text) => AttributeValue::Text(text.clone()),
        DomainValue::Number(number) => AttributeValue::Number(*number),
        DomainValue::Boolean(yes) => AttributeValue::Boolean(*yes),
        DomainValue::Date(day) => AttributeValue::Date(day.to_string()),
        DomainValue::Choice(choice) => AttributeValue::Choice(choice.clone()),
    }
}

/// The value that a plugin gave.
///
/// # Errors
/// The rule that it breaks, in words after the name of the attribute.
pub fn domain_value(value: &AttributeValue) -> Result<DomainValue, String> {
    match value {
        AttributeValue::Text(text) => DomainValue::text(text.clone()),
        AttributeValue::Number(number) => DomainValue::number(*number),
        AttributeValue::Boolean(yes) => Ok(DomainValue::Boolean(*yes)),
        AttributeValue::Date(day) => DomainValue::date(day),
        AttributeValue::Choice(choice) => DomainValue::choice(choice.clone()),
        AttributeValue::Other(_) => {
            Err("is `other`: an attribute has a text, a number, a boolean, a date or a choice".to_owned())
        }
    }
}
