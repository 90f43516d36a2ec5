use std::fmt;

/// Longest message of a visitor, in characters.
pub const TEXT_MAX: usize = 4_096;

/// The widget's id of a message. A repeated message has the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostKey(String);

impl PostKey {
    /// A key has 8 to 64 letters, digits, `-` and `_`.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        (plain && (8..=64).contains(&text.len())).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A visitor's text, trimmed. Line breaks and tabs are allowed, other control characters are refused.
pub fn read_text(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("must not be empty");
    }
    if text.chars().count() > TEXT_MAX {
        return Err("has more than 4096 characters");
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err("has control characters");
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_plain() {
        assert!(PostKey::parse("0190c7a2-7b1e-7a07-8c11-0d2f5a1b3c4d").is_some());
        assert!(PostKey::parse(&"a".repeat(64)).is_some());
        for no_key in ["", "short12", &"a".repeat(65), "with space", "with:colon", "ünicode-key"] {
            assert!(PostKey::parse(no_key).is_none(), "{no_key}");
        }
    }

    #[test]
    fn text_is_accepted_up_to_its_limit_and_html_is_plain_text() {
        assert_eq!(read_text(" <b>hi</b>\n ").unwrap(), "<b>hi</b>");
        assert!(read_text(&"é".repeat(TEXT_MAX)).is_ok());
        for refused in [String::new(), " \n".to_owned(), "é".repeat(TEXT_MAX + 1), "bell \u{7}".to_owned()] {
            assert!(read_text(&refused).is_err());
        }
    }
}
