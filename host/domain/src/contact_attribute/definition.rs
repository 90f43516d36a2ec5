use serde::Deserialize;
use serde_json::Value;

use super::{
    attribute_type::{AttributeType, CHOICE_MAX},
    value::AttributeValue,
};
use crate::{
    body::{self, Faults, FieldFault},
    invisible_characters::is_all_blank,
};

const NAME_MAX: usize = 40;
const LABEL_MAX: usize = 100;
const CHOICES_MAX: usize = 100;
/// Choices that an error lists.
const CHOICES_LISTED: usize = 10;

/// The name of an attribute: 1 to 40 lower-case letters, digits and `-`, and a letter first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributeName(String);

impl AttributeName {
    /// The rule, as an error states it.
    pub const RULE: &'static str = "must have 1 to 40 lower-case letters, digits and `-`, and begin with a letter";

    pub fn parse(text: &str) -> Option<Self> {
        let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
        let fits = |one: u8| one.is_ascii_lowercase() || one.is_ascii_digit() || one == b'-';
        (begins && text.len() <= NAME_MAX && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An attribute that a client defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeDefinition {
    pub name: AttributeName,
    /// The name for people.
    pub label: String,
    pub kind: AttributeType,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    label: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    choices: Option<Vec<String>>,
}

impl AttributeDefinition {
    /// Parses the body of a definition. Its name is in the path.
    pub fn parse(name: AttributeName, bytes: &[u8]) -> Result<Self, Faults> {
        let written: Written = body::parse(bytes)?;
        let label = written.label.ok_or_else(|| FieldFault::required("label")).and_then(checked_label);
        let kind = checked_type(written.kind, written.choices);
        match (label, kind) {
            (Ok(label), Ok(kind)) => Ok(Self { name, label, kind }),
            (label, kind) => Err([label.err(), kind.err()].into_iter().flatten().collect()),
        }
    }

    /// Reads a value in JSON. The error says what the value must be.
    pub fn read(&self, value: &Value) -> Result<AttributeValue, String> {
        let of_type = |form: &str| format!("must be {form}, because its type is {}", self.kind.as_str());
        let text = |form: &str| value.as_str().map(str::to_owned).ok_or_else(|| of_type(form));
        let read = match &self.kind {
            AttributeType::Text => AttributeValue::text(text("a text")?)?,
            AttributeType::Number => AttributeValue::number(value.as_f64().ok_or_else(|| of_type("a number"))?)?,
            AttributeType::Boolean => AttributeValue::Boolean(value.as_bool().ok_or_else(|| of_type("true or false"))?),
            AttributeType::Date => AttributeValue::date(&text("a date such as 1990-05-31")?)?,
            AttributeType::Choice(_) => AttributeValue::choice(text("a text")?)?,
        };
        self.accept(read)
    }

    /// Checks that a value has the type of the attribute, and is one of its choices.
    pub fn accept(&self, value: AttributeValue) -> Result<AttributeValue, String> {
        match (&self.kind, value) {
            (AttributeType::Choice(choices), AttributeValue::Choice(chosen)) if !choices.contains(&chosen) => {
                Err(format!("must be one of {}", listed(choices)))
            }
            (kind, value) if kind.as_str() == value.type_name() => Ok(value),
            (kind, value) => Err(format!("must be a {}; the value is a {}", kind.as_str(), value.type_name())),
        }
    }
}

fn listed(choices: &[String]) -> String {
    let shown: Vec<String> = choices.iter().take(CHOICES_LISTED).map(|choice| format!("`{choice}`")).collect();
    let rest = choices.len().saturating_sub(CHOICES_LISTED);
    let more = if rest > 0 { format!(" and {rest} others") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// One line with something to see.
fn is_line(text: &str, most: usize) -> bool {
    !is_all_blank(text) && text.chars().count() <= most && !text.chars().any(char::is_control)
}

fn checked_label(label: String) -> Result<String, FieldFault> {
    let label = label.trim();
    if is_line(label, LABEL_MAX) {
        return Ok(label.to_owned());
    }
    Err(FieldFault::new(
        "label",
        format!("must have 1 to {LABEL_MAX} characters in one line, something to see among them"),
    ))
}

fn checked_type(kind: Option<String>, choices: Option<Vec<String>>) -> Result<AttributeType, FieldFault> {
    let name = kind.ok_or_else(|| FieldFault::required("type"))?;
    let has_choices = choices.is_some();
    let kind = AttributeType::from_name(&name, choices.unwrap_or_default());
    let kind =
        kind.ok_or_else(|| FieldFault::new("type", format!("must be one of {}", AttributeType::NAMES.join(", "))))?;
    match kind {
        AttributeType::Choice(choices) => checked_choices(choices).map(AttributeType::Choice),
        kind if has_choices => {
            Err(FieldFault::new("choices", format!("is for the type CHOICE only: leave it out for {}", kind.as_str())))
        }
        kind => Ok(kind),
    }
}

fn checked_choices(choices: Vec<String>) -> Result<Vec<String>, FieldFault> {
    if choices.is_empty() || choices.len() > CHOICES_MAX {
        return Err(FieldFault::new("choices", format!("must have 1 to {CHOICES_MAX} texts for the type CHOICE")));
    }
    for (at, choice) in choices.iter().enumerate() {
        let field = format!("choices[{at}]");
        if !is_line(choice, CHOICE_MAX) || choice.trim() != choice {
            let said = format!("must have 1 to {CHOICE_MAX} characters in one line, without blanks at its ends");
            return Err(FieldFault::new(field, said));
        }
        if choices.iter().take(at).any(|earlier| earlier == choice) {
            return Err(FieldFault::new(field, "is there already: give each choice once"));
        }
    }
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn define(body: &Value) -> Result<AttributeDefinition, Faults> {
        AttributeDefinition::parse(AttributeName::parse("plan").unwrap(), body.to_string().as_bytes())
    }

    fn faulty(body: &Value) -> Vec<String> {
        define(body).unwrap_err().iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn a_name_has_1_to_40_lower_case_letters_digits_and_hyphens_and_begins_with_a_letter() {
        for good in ["a", "plan", "plan-2", "a-", &"a".repeat(40)] {
            assert_eq!(AttributeName::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "2plan", "-plan", "Plan", "plan_2", "plän", "a b", &"a".repeat(41)] {
            assert_eq!(AttributeName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_definition_has_a_label_and_a_type() {
        let defined = define(&json!({ "label": " Plan ", "type": "TEXT" })).unwrap();
        assert_eq!((defined.label.as_str(), &defined.kind), ("Plan", &AttributeType::Text));
        assert_eq!(faulty(&json!({})), ["label", "type"]);
        assert!(define(&json!({ "label": "é".repeat(100), "type": "DATE" })).is_ok());
        for bad in ["", " ", "\u{200B}", "a\nb", &"é".repeat(101)] {
            assert_eq!(faulty(&json!({ "label": bad, "type": "DATE" })), ["label"], "{bad:?}");
        }
        for bad in ["", "text", "LIST"] {
            assert_eq!(faulty(&json!({ "label": "Plan", "type": bad })), ["type"], "{bad}");
        }
        assert_eq!(faulty(&json!({ "label": "Plan", "type": "TEXT", "size": 1 })), ["size"]);
    }

    #[test]
    fn a_choice_has_1_to_100_different_texts_and_other_types_have_none() {
        let with = |choices: Value| json!({ "label": "Plan", "type": "CHOICE", "choices": choices });
        let many = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        for good in [json!(["gold"]), json!(many(100)), json!(["é".repeat(100)])] {
            assert!(define(&with(good)).is_ok());
        }
        for bad in [json!([]), json!(many(101))] {
            assert_eq!(faulty(&with(bad)), ["choices"]);
        }
        for bad in ["", " ", " gold", "a\nb", "silver", &"é".repeat(101)] {
            assert_eq!(faulty(&with(json!(["silver", bad]))), ["choices[1]"], "{bad:?}");
        }
        assert_eq!(faulty(&json!({ "label": "Plan", "type": "CHOICE" })), ["choices"]);
        assert_eq!(faulty(&json!({ "label": "Plan", "type": "TEXT", "choices": ["a"] })), ["choices"]);
    }

    #[test]
    fn a_value_of_another_type_or_outside_the_choices_is_refused_with_the_cure() {
        let plan = define(&json!({ "label": "Plan", "type": "CHOICE", "choices": ["gold", "silver"] })).unwrap();
        assert_eq!(plan.read(&json!("gold")).unwrap(), AttributeValue::Choice("gold".to_owned()));
        assert_eq!(plan.read(&json!("bronze")).unwrap_err(), "must be one of `gold`, `silver`");
        assert_eq!(plan.read(&json!(7)).unwrap_err(), "must be a text, because its type is CHOICE");
        let typed = plan.accept(AttributeValue::Boolean(true)).unwrap_err();
        assert_eq!(typed, "must be a CHOICE; the value is a BOOLEAN");
        for (kind, good, bad) in [
            ("TEXT", json!("x"), json!(1)),
            ("NUMBER", json!(-1.5), json!("1")),
            ("BOOLEAN", json!(false), json!("false")),
            ("DATE", json!("1990-05-31"), json!("31.5.1990")),
        ] {
            let defined = define(&json!({ "label": "A", "type": kind })).unwrap();
            assert_eq!(defined.read(&good).unwrap().to_json(), good);
            assert!(defined.read(&bad).is_err(), "{kind} {bad}");
        }
    }

    #[test]
    fn an_error_lists_ten_choices() {
        let choices = (0..12).map(|at| at.to_string()).collect();
        let plan = AttributeDefinition {
            name: AttributeName::parse("plan").unwrap(),
            label: "Plan".to_owned(),
            kind: AttributeType::Choice(choices),
        };
        let said = plan.read(&json!("x")).unwrap_err();
        assert!(said.ends_with("`9` and 2 others"), "{said}");
    }
}
