//! Attributes of the contact: facts about customers that the client defines for all its plugins.

use serde::Deserialize;

use crate::limits::{CONTACT_CHOICE, CONTACT_NUMBER};

/// The type of an attribute of the contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowAttributeType {
    Text,
    Number,
    Boolean,
    /// `2026-12-31`.
    Date,
    Choice,
}

impl FlowAttributeType {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Choice => "choice",
        }
    }
}

/// A number in the form of the interface, with a point or a comma.
pub fn contact_number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().replace(',', ".").parse().ok()?;
    (number.is_finite() && number.abs() <= CONTACT_NUMBER).then_some(number)
}

/// `true` or `yes`, `false` or `no`.
pub fn contact_boolean(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// A choice that an attribute may offer.
pub fn contact_choice(text: &str) -> Option<&str> {
    (1..=CONTACT_CHOICE).contains(&text.chars().count()).then_some(text)
}
