//! Cell numbers of the batch gateway (SPEC 4.9), from the form in which people write them.

use crate::phone::{Msisdn, PhoneError};

pub(super) const HOME: &str = "27";
/// Digits of a number of that country, with its code.
const HOME_DIGITS: usize = 11;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub number: String,
    pub identifier: Option<String>,
}

/// The number in a text: 10 to 11 digits. South African numbers begin with `27`, `+27` or `0`, others with their
/// country code.
pub fn number(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if !(10..=11).contains(&digits.len()) {
        return None;
    }
    match digits.strip_prefix('0') {
        Some(local) if digits.len() == 10 && !local.starts_with('0') => Some(format!("{HOME}{local}")),
        Some(_) => None,
        None if digits.starts_with(HOME) => (digits.len() == HOME_DIGITS).then_some(digits),
        None => Some(digits),
    }
}

/// A number of the JSON gateway: in international format, or in the South African form with a leading `0`.
pub fn subscriber(text: &str) -> Result<Msisdn, PhoneError> {
    let local = text.starts_with('0').then(|| number(text)).flatten();
    Msisdn::parse(local.as_deref().unwrap_or(text))
}

/// One entry of `cell`: a number, or a number and an identifier, separated by `|` in either order.
pub fn parse(entry: &str) -> Option<Cell> {
    let Some((left, right)) = entry.split_once('|') else {
        return number(entry).map(|number| Cell { number, identifier: None });
    };
    let named = |number: String, name: &str| {
        let name = name.trim();
        Cell { number, identifier: (!name.is_empty()).then(|| name.to_owned()) }
    };
    match (number(left), number(right)) {
        (Some(found), _) => Some(named(found, right)),
        (None, Some(found)) => Some(named(found, left)),
        (None, None) => None,
    }
}

/// The entries of `cell`, separated by commas. Empty entries are dropped.
pub fn entries(cells: &str) -> impl Iterator<Item = &str> {
    cells.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        number(text)
    }

    #[test]
    fn south_african_numbers_begin_with_27_or_plus_27_or_0() {
        for text in ["27821234567", "+27821234567", "0821234567", "(082) 123-4567", "+27 82 123 4567"] {
            assert_eq!(found(text).as_deref(), Some("27821234567"), "{text}");
        }
    }

    #[test]
    fn international_numbers_have_their_country_code() {
        assert_eq!(found("+1 202 555 0123").as_deref(), Some("12025550123"));
        assert_eq!(found("4520123456").as_deref(), Some("4520123456"));
    }

    #[test]
    fn a_number_has_ten_or_eleven_digits() {
        assert_eq!((found("452012345"), found("452012345678")), (None, None));
        assert!(found("4520123456").is_some() && found("45201234567").is_some());
    }

    #[test]
    fn an_invalid_number_of_its_country_is_none() {
        for text in ["2782123456", "00821234567", "0082123456", "", "abc", "08212345678"] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn an_identifier_with_digits_is_separated_by_a_bar() {
        let cell =
            |identifier: &str| Cell { number: "27821234567".to_owned(), identifier: Some(identifier.to_owned()) };
        assert_eq!(parse("0821234567|Order 7"), Some(cell("Order 7")));
        assert_eq!(parse("Order 7|0821234567"), Some(cell("Order 7")));
        assert_eq!(parse("0821234567|"), Some(Cell { identifier: None, ..cell("") }));
        assert_eq!(parse("Order 7|x"), None);
    }

    #[test]
    fn a_name_without_digits_is_stripped_like_everything_that_is_no_digit() {
        assert_eq!(parse("John 0821234567").map(|cell| cell.number).as_deref(), Some("27821234567"));
    }

    #[test]
    fn commas_separate_numbers() {
        assert_eq!(entries("1, 2,,3 ,").collect::<Vec<_>>(), ["1", "2", "3"]);
    }
}
