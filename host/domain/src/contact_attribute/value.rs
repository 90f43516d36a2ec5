use chrono::NaiveDate;
use serde_json::{Value, json};

use super::attribute_type::{AttributeType, CHOICE_MAX};
use crate::{dates, invisible_characters::is_all_blank};

/// The most characters of a text.
pub const TEXT_MAX: usize = 1_000;
/// Bytes of a date: `1990-05-31`.
const DAY_LENGTH: usize = 10;
/// The largest whole number up to which a double has all of them.
const NUMBER_MAX: f64 = 9_007_199_254_740_991.0;

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    Text(String),
    Number(f64),
    Boolean(bool),
    Date(NaiveDate),
    Choice(String),
}

impl AttributeValue {
    /// # Errors
    /// In words, after the name of the field: the rule that the text breaks.
    pub fn text(text: String) -> Result<Self, String> {
        let fits = text.chars().count() <= TEXT_MAX && !text.contains('\0');
        if fits && !is_all_blank(&text) {
            return Ok(Self::Text(text));
        }
        Err(format!("must have 1 to {TEXT_MAX} characters, something to see among them, and no NUL character"))
    }

    /// # Errors
    /// In words, after the name of the field: the rule that the number breaks.
    pub fn number(number: f64) -> Result<Self, String> {
        if number.is_finite() && number.abs() <= NUMBER_MAX {
            // Not -0.
            return Ok(Self::Number(number + 0.0));
        }
        Err(format!("must be a number between -{NUMBER_MAX} and {NUMBER_MAX}; use a TEXT for longer ones"))
    }

    /// # Errors
    /// In words, after the name of the field: the rule that the date breaks.
    pub fn date(text: &str) -> Result<Self, String> {
        let day = dates::day(text).filter(|_| text.len() == DAY_LENGTH);
        day.map(Self::Date).ok_or_else(|| "must be a date such as 1990-05-31".to_owned())
    }

    /// A choice of any attribute.
    ///
    /// # Errors
    /// In words, after the name of the field: the rule that the text breaks.
    pub fn choice(text: String) -> Result<Self, String> {
        if text.is_empty() || text.chars().count() > CHOICE_MAX || text.contains('\0') {
            return Err(format!("must have 1 to {CHOICE_MAX} characters, and no NUL character"));
        }
        Ok(Self::Choice(text))
    }

    /// The name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => AttributeType::Text.as_str(),
            Self::Number(_) => AttributeType::Number.as_str(),
            Self::Boolean(_) => AttributeType::Boolean.as_str(),
            Self::Date(_) => AttributeType::Date.as_str(),
            Self::Choice(_) => "CHOICE",
        }
    }

    /// True if a caller who sees customers masked may see it. A text, a number and a date may name a person.
    pub fn is_shown_masked(&self) -> bool {
        matches!(self, Self::Boolean(_) | Self::Choice(_))
    }

    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) | Self::Choice(text) => json!(text),
            // A whole number has no `.0`.
            Self::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or_else(|_| json!(number)),
            Self::Boolean(yes) => json!(yes),
            Self::Date(day) => json!(day.to_string()),
        }
    }

    /// The stored form: a text in which the type is not repeated.
    pub fn stored(&self) -> String {
        match self {
            Self::Text(text) | Self::Choice(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Boolean(yes) => yes.to_string(),
            Self::Date(day) => day.to_string(),
        }
    }

    /// Reads the stored form. A choice may be one that is no longer offered.
    pub fn of_stored(type_name: &str, text: String) -> Option<Self> {
        match AttributeType::from_name(type_name, Vec::new())? {
            AttributeType::Text => Some(Self::Text(text)),
            AttributeType::Number => text.parse().ok().map(Self::Number),
            AttributeType::Boolean => text.parse().ok().map(Self::Boolean),
            AttributeType::Date => dates::day(&text).map(Self::Date),
            AttributeType::Choice(_) => Some(Self::Choice(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_1_to_1000_characters() {
        assert!(AttributeValue::text("é".repeat(1_000)).is_ok());
        assert!(AttributeValue::text("two\nlines".to_owned()).is_ok());
        for bad in ["", " \n", "\u{200B}", "a\0b", &"é".repeat(1_001)] {
            assert!(AttributeValue::text(bad.to_owned()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_number_keeps_all_its_digits() {
        for (number, shown) in [(12.0, "12"), (-0.0, "0"), (0.1, "0.1"), (9_007_199_254_740_991.0, "9007199254740991")]
        {
            let value = AttributeValue::number(number).unwrap();
            assert_eq!((value.to_json().to_string().as_str(), value.stored().as_str()), (shown, shown));
        }
        for bad in [f64::NAN, f64::INFINITY, 9_007_199_254_740_992.0, -9_007_199_254_740_992.0] {
            assert!(AttributeValue::number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_date_has_four_digits_of_a_year_and_exists() {
        for good in ["1990-05-31", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(AttributeValue::date(good).unwrap().stored(), good);
        }
        for bad in ["", "1990-5-31", "2023-02-29", "0000-01-01", "10000-01-01", "1990-05-31T00:00:00Z"] {
            assert!(AttributeValue::date(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_stored_form_is_read_as_the_same_value() {
        for value in [
            AttributeValue::text("true".to_owned()).unwrap(),
            AttributeValue::number(-1e-7).unwrap(),
            AttributeValue::number(1.5e15).unwrap(),
            AttributeValue::Boolean(false),
            AttributeValue::date("1990-05-31").unwrap(),
            AttributeValue::choice("gold".to_owned()).unwrap(),
        ] {
            let again = AttributeValue::of_stored(value.type_name(), value.stored());
            assert_eq!(again.as_ref(), Some(&value));
        }
        assert_eq!(AttributeValue::of_stored("DATE", "gold".to_owned()), None);
        assert_eq!(AttributeValue::of_stored("LIST", "gold".to_owned()), None);
    }
}
