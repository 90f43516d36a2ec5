//! Yes and no in the SMS products: the string `true` (SPEC 2.14), a JSON boolean, or the text of a keyword.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use utoipa::ToSchema;

/// A yes or no: a boolean, or the text `true` or `false`.
#[derive(Debug, Clone, PartialEq, Eq, ToSchema)]
#[schema(as = GatewayFlag)]
#[serde(untagged)]
pub enum BooleanText {
    Boolean(bool),
    Text(String),
}

impl BooleanText {
    /// `None` if it is neither yes nor no.
    pub fn read(&self) -> Option<bool> {
        match self {
            Self::Boolean(said) => Some(*said),
            Self::Text(text) => of(text),
        }
    }
}

impl<'de> Deserialize<'de> for BooleanText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OfTruth)
    }
}

struct OfTruth;

impl Visitor<'_> for OfTruth {
    type Value = BooleanText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean or a string")
    }

    fn visit_bool<E: Error>(self, said: bool) -> Result<BooleanText, E> {
        Ok(BooleanText::Boolean(said))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<BooleanText, E> {
        Ok(BooleanText::Text(text.to_owned()))
    }
}

/// Reads `true`, `1`, `yes`, `on` as yes, and `false`, `0`, `no` and an empty text as no.
pub fn of(text: &str) -> Option<bool> {
    let text = text.trim();
    let among = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if among(["true", "1", "yes", "on"]) {
        Some(true)
    } else if among(["false", "0", "no", ""]) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_and_a_boolean_have_the_same_meaning() {
        let read = |json: &str| serde_json::from_str::<BooleanText>(json).unwrap().read();
        assert_eq!((read("true"), read("\"true\""), read("\"TRUE\"")), (Some(true), Some(true), Some(true)));
        assert_eq!((read("false"), read("\"false\""), read("\"\"")), (Some(false), Some(false), Some(false)));
        assert_eq!(read("\"perhaps\""), None);
    }

    #[test]
    fn another_value_is_a_wrong_type() {
        for json in ["5", "2.5", "null", "[]", "{}"] {
            let said = serde_json::from_str::<BooleanText>(json).unwrap_err().to_string();
            assert!(said.contains("expected a boolean or a string"), "{said}");
        }
    }
}
