//! Yes and no as the SMS products write them: the string `true` (SPEC 2.14), a JSON boolean, or a keyword's text.

use serde::Deserialize;

/// A yes or no that came as text or as a boolean.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Truth {
    /// `true`
    Boolean(bool),
    /// `"true"`
    Text(String),
}

impl Truth {
    /// What it says; `None` when that is neither.
    pub fn read(&self) -> Option<bool> {
        match self {
            Self::Boolean(said) => Some(*said),
            Self::Text(text) => of(text),
        }
    }
}

/// What a text says: `true`, `1`, `yes` and `false`, `0`, `no`, nothing at all.
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
    fn a_string_and_a_boolean_say_the_same() {
        let read = |json: &str| serde_json::from_str::<Truth>(json).unwrap().read();
        assert_eq!((read("true"), read("\"true\""), read("\"TRUE\"")), (Some(true), Some(true), Some(true)));
        assert_eq!((read("false"), read("\"false\""), read("\"\"")), (Some(false), Some(false), Some(false)));
        assert_eq!(read("\"perhaps\""), None);
    }
}
