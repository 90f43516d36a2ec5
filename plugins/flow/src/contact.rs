//! Values of attributes of the contact, as texts and back.

use flow_model::{FlowAttributeType, contact_boolean, contact_choice, contact_number};
use patchbay_plugin_sdk::chatbot::AttributeValue;

use crate::{answer, day};

pub fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Text(words)
        | AttributeValue::Date(words)
        | AttributeValue::Choice(words)
        | AttributeValue::Other(words) => words.clone(),
        AttributeValue::Number(number) => number.to_string(),
        AttributeValue::Boolean(yes) => yes.to_string(),
    }
}

/// `None` = the text is no value of this type.
pub fn value(kind: FlowAttributeType, text: &str) -> Option<AttributeValue> {
    Some(match kind {
        FlowAttributeType::Text => AttributeValue::Text(text.to_owned()),
        FlowAttributeType::Number => AttributeValue::Number(contact_number(text)?),
        FlowAttributeType::Boolean => AttributeValue::Boolean(contact_boolean(text)?),
        FlowAttributeType::Date => AttributeValue::Date(day::text(answer::date(text)?)),
        FlowAttributeType::Choice => AttributeValue::Choice(contact_choice(text)?.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_a_value_of_its_type_and_back() {
        for (kind, given, shown) in [
            (FlowAttributeType::Text, "Cape Town", "Cape Town"),
            (FlowAttributeType::Number, "7,5", "7.5"),
            (FlowAttributeType::Number, "7", "7"),
            (FlowAttributeType::Boolean, "Yes", "true"),
            (FlowAttributeType::Boolean, "false", "false"),
            (FlowAttributeType::Date, "31.5.1990", "1990-05-31"),
            (FlowAttributeType::Choice, "gold", "gold"),
        ] {
            assert_eq!(value(kind, given).as_ref().map(text).as_deref(), Some(shown), "{given}");
        }
    }

    #[test]
    fn a_text_that_is_no_value_of_its_type_is_none() {
        let long = "x".repeat(101);
        for (kind, given) in [
            (FlowAttributeType::Number, "many"),
            (FlowAttributeType::Number, "1e300"),
            (FlowAttributeType::Boolean, "maybe"),
            (FlowAttributeType::Date, "31.2.1990"),
            (FlowAttributeType::Choice, long.as_str()),
        ] {
            assert_eq!(value(kind, given), None, "{given}");
        }
    }
}
