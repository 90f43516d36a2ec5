//! Phone numbers and business-scoped user ids.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A phone number in international format: digits without `+`, as stored and shown (DESIGN 7).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Msisdn(String);

/// Why a text is not a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a phone number in international format: an optional `+`, then a digit 1-9, then 6 to 14 further digits"
)]
pub struct PhoneError;

impl Msisdn {
    /// Applies the rule of SPEC 2.2: an optional `+`, a digit 1-9, then 6 to 14 further digits. Nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, PhoneError> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let starts_well = digits.starts_with(|first: char| matches!(first, '1'..='9'));
        let well_formed = digits.bytes().all(|byte| byte.is_ascii_digit()) && (7..=15).contains(&digits.len());
        if starts_well && well_formed { Ok(Self(digits.to_owned())) } else { Err(PhoneError) }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What is looked for among stored numbers: what people put between the digits of a number, and the `+` before them, is
/// left out. Anything else stays, and is then part of no number.
pub fn as_searched(text: &str) -> String {
    text.chars().filter(|one| !one.is_whitespace() && !"+-().".contains(*one)).collect()
}

/// A business-scoped user id: the durable id of a customer. Meta issues `ZA.13491208655302741918` and, for a parent,
/// `ZA.ENT.118157` (PROVIDERS 0.1); the product writes `<country_code>.<digits>` (SPEC 1), so a calling code is
/// accepted as prefix too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bsuid(String);

/// Why a text is not a business-scoped user id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a business-scoped user id: a country code, a dot, then 1 to 128 letters or digits, such as `ZA.1349`")]
pub struct BsuidError;

/// Longest part of a BSUID after its prefix.
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

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id names a parent account (`ENT`), not a single business.
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
