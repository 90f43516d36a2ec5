use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::invisible_characters::is_blank;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Msisdn(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a phone number in international format: an optional `+`, then a digit 1-9, then 6 to 14 further digits"
)]
pub struct PhoneError;

impl Msisdn {
    /// Applies the rule of SPEC 2.2: an optional `+`, a digit 1-9, then 6 to 14 more digits. Nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, PhoneError> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let starts_well = digits.starts_with(|first: char| matches!(first, '1'..='9'));
        let well_formed = digits.bytes().all(|byte| byte.is_ascii_digit()) && (7..=15).contains(&digits.len());
        if starts_well && well_formed { Ok(Self(digits.to_owned())) } else { Err(PhoneError) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A search drops a prefix (`0`, `00`) only if at least this many digits follow.
const AFTER_NATIONAL: usize = 3;
const AFTER_INTERNATIONAL: usize = 4;

/// The digits to search for, if a text is a number or a part of one: with `+`, `00` or `0`, punctuation and blanks,
/// full-width digits, and invisible characters.
pub fn as_searched(text: &str) -> Option<String> {
    let plain: String = text.nfkc().filter(|one| !is_blank(*one)).collect();
    // `+27 (0)83 ...`: the zero is dialled only within the country.
    let has_area = plain.starts_with("(0") && !plain.starts_with("(0)");
    let digits: String = plain.replace("(0)", "").chars().filter(|one| !is_between_digits(*one)).collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let begins_a_number = |rest: &&str, least: usize| rest.len() >= least && !rest.starts_with('0');
    let abroad = digits.strip_prefix("00").filter(|rest| begins_a_number(rest, AFTER_INTERNATIONAL));
    let national = if has_area { 1 } else { AFTER_NATIONAL };
    let within = digits.strip_prefix('0').filter(|rest| begins_a_number(rest, national));
    Some(abroad.or(within).unwrap_or(&digits).to_owned())
}

/// The digits of a number that a provider wrote, with or without `+`, blanks and punctuation. A text with another
/// character, such as a user id, is no number: its digits may be the number of another person. A dot makes it a user id.
pub fn written_digits(text: &str) -> Option<String> {
    let is_of_a_number = |one: char| one.is_ascii_digit() || is_blank(one) || (is_between_digits(one) && one != '.');
    if !text.chars().all(is_of_a_number) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Punctuation before a number and between its digits, with all dashes of Unicode that are used for it.
fn is_between_digits(one: char) -> bool {
    matches!(one, '+' | '-' | '(' | ')' | '.' | '/' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// A business-scoped user id. Meta issues `ZA.13491208655302741918` and, for a parent, `ZA.ENT.118157` (PROVIDERS 0.1).
/// A calling code is accepted as the prefix too (SPEC 1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bsuid(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a business-scoped user id: a country code, a dot, then 1 to 128 letters or digits, such as `ZA.1349`")]
pub struct BsuidError;

/// Longest part of a BSUID after its prefix, in characters.
const BSUID_MAX: usize = 128;

impl Bsuid {
    /// Accepts `^([A-Z]{2}|[0-9]{1,3})\.(ENT\.)?[A-Za-z0-9]{1,128}$`. Nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, BsuidError> {
        let (country, rest) = text.split_once('.').ok_or(BsuidError)?;
        let letters = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
        let calling_code = (1..=3).contains(&country.len()) && country.bytes().all(|byte| byte.is_ascii_digit());
        let own = rest.strip_prefix("ENT.").unwrap_or(rest);
        let own_is_valid = (1..=BSUID_MAX).contains(&own.len()) && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if (letters || calling_code) && own_is_valid { Ok(Self(text.to_owned())) } else { Err(BsuidError) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if the id names a parent account (`ENT`), not a single business.
    pub fn is_parent(&self) -> bool {
        self.0.split('.').nth(1) == Some("ENT")
    }
}

macro_rules! text_newtype {
    ($name:ident, $error:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}

text_newtype!(Msisdn, PhoneError);
text_newtype!(Bsuid, BsuidError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_looked_for_by_its_digits_however_it_is_written() {
        for written in [
            "27830000001",
            "+27 83 000-0001",
            " 27 83 000 0001",
            "(27) 83.000.0001",
            "27\u{a0}83\u{a0}000\u{2011}0001",
            "0027830000001",
            "00 27 83 000 0001",
            "+27 (0)83 000 0001",
            "\u{202a}+27 83 000 0001\u{202c}",
            "２７８３００００００１",
            "27/83/000/0001",
        ] {
            assert_eq!(as_searched(written).as_deref(), Some("27830000001"), "{written}");
        }
        for written in ["0830000001", "(083) 000 0001", "083-000-0001", "083 000 0001"] {
            assert_eq!(as_searched(written).as_deref(), Some("830000001"), "{written}");
        }
        assert_eq!(as_searched("(083)").as_deref(), Some("83"));
    }

    #[test]
    fn a_search_for_a_few_digits_with_leading_zeros_keeps_them() {
        for part in ["0", "00", "001", "0001", "00027830", "01", "082", "83000"] {
            assert_eq!(as_searched(part).as_deref(), Some(part));
        }
        assert_eq!(as_searched("0823").as_deref(), Some("823"));
        assert_eq!(as_searched("002783").as_deref(), Some("2783"));
    }

    #[test]
    fn a_user_id_or_another_text_with_digits_is_not_a_written_number() {
        for written in ["27830000001", "+27 83 000-0001", "+27 (83) 000\u{2011}0001", "27\u{a0}830000001"] {
            assert_eq!(written_digits(written).as_deref(), Some("27830000001"), "{written}");
        }
        for text in ["", "+", "ZA.27830000001", "27.830000001", "27830000001x", "27830000001@c.us", "Ｚ27830000001"] {
            assert_eq!(written_digits(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_number_is_not_looked_for_as_one() {
        for text in ["", " ", "+", "()", "50 cent", "ZA.1349", "27,83", "\u{200B}"] {
            assert_eq!(as_searched(text), None, "{text}");
        }
    }
}
