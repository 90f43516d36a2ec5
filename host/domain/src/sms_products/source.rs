const DIGITS_MAX: usize = 15;
/// Fewest digits of a number: short codes.
const DIGITS_MIN: usize = 3;
/// Most characters of a name (GSM 03.40).
const NAME_MAX: usize = 11;

pub const WHAT_IT_IS: &str =
    "a number of 3 to 15 digits, or at most 11 letters, digits, spaces and characters of `._-&`";

/// The stored form of a source: a number has no `+`. `None` if it is not valid.
pub fn source(text: &str) -> Option<&str> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_number = (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len()) && digits.bytes().all(|one| one.is_ascii_digit());
    let is_letter = |one: u8| one.is_ascii_alphanumeric() || b" ._-&".contains(&one);
    let is_name = (1..=NAME_MAX).contains(&text.len()) && text.bytes().all(is_letter);
    (is_number || is_name).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_number_or_a_short_name() {
        for (given, wanted) in
            [("+27820001001", "27820001001"), (" 31500 ", "31500"), ("SHOP & Co", "SHOP & Co"), ("1", "1")]
        {
            assert_eq!(source(given), Some(wanted), "{given}");
        }
        assert_eq!(source(&"1".repeat(15)).map(str::len), Some(15));
        assert_eq!(source("ELEVEN CHAR"), Some("ELEVEN CHAR"));
        for given in [&"1".repeat(16), "TWELVE CHARS", "", "+", "+SHOP", "Caf\u{e9}", "a\nb", "<SHOP>"] {
            assert_eq!(source(given), None, "{given}");
        }
    }
}
