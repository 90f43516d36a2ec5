//! Addresses of people and business numbers: phone numbers, business-scoped user ids, and the two together.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ids::InboxId;

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

/// Whom a message goes to: a phone number, a BSUID, or both. One of the two is always there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RecipientParts", into = "RecipientParts")]
pub struct Recipient(Address);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Address {
    Phone(Msisdn),
    User(Bsuid),
    Both(Msisdn, Bsuid),
}

/// The stored form of a [`Recipient`].
#[derive(Serialize, Deserialize)]
struct RecipientParts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phone: Option<Msisdn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bsuid: Option<Bsuid>,
}

/// Why a recipient entry cannot be sent to (SPEC 2.2). The text is the `reason` that the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecipientFault {
    /// `to` is there and malformed. It takes precedence, so a BSUID beside it does not help.
    #[error("`to` {0}")]
    BadPhone(PhoneError),
    /// Only `customerUserId` is there, and it is malformed: it is ignored, so nothing is left.
    #[error("`customerUserId` {0}; such an id is ignored, so `to` is required")]
    BadBsuid(BsuidError),
    /// Neither is there.
    #[error("an entry needs `to` or `customerUserId`")]
    NoAddress,
}

impl Recipient {
    /// From what is known of a customer; `None` when nothing is.
    pub fn new(phone: Option<Msisdn>, bsuid: Option<Bsuid>) -> Option<Self> {
        Some(Self(match (phone, bsuid) {
            (Some(phone), Some(bsuid)) => Address::Both(phone, bsuid),
            (Some(phone), None) => Address::Phone(phone),
            (None, Some(bsuid)) => Address::User(bsuid),
            (None, None) => return None,
        }))
    }

    /// Applies SPEC 2.2: `to` takes precedence and must be right, a BSUID beside it is kept, a malformed BSUID is
    /// ignored. An empty string counts as absent.
    pub fn parse(to: Option<&str>, customer_user_id: Option<&str>) -> Result<Self, RecipientFault> {
        let to = to.filter(|text| !text.is_empty());
        let bsuid = customer_user_id.filter(|text| !text.is_empty()).map(Bsuid::parse);
        match (to, bsuid) {
            (Some(to), bsuid) => {
                let phone = Msisdn::parse(to).map_err(RecipientFault::BadPhone)?;
                Ok(Self(match bsuid {
                    Some(Ok(bsuid)) => Address::Both(phone, bsuid),
                    Some(Err(_)) | None => Address::Phone(phone),
                }))
            }
            (None, Some(Ok(bsuid))) => Ok(Self(Address::User(bsuid))),
            (None, Some(Err(fault))) => Err(RecipientFault::BadBsuid(fault)),
            (None, None) => Err(RecipientFault::NoAddress),
        }
    }

    /// The phone number, when known.
    pub fn phone(&self) -> Option<&Msisdn> {
        match &self.0 {
            Address::Phone(phone) | Address::Both(phone, _) => Some(phone),
            Address::User(_) => None,
        }
    }

    /// The BSUID, when known.
    pub fn bsuid(&self) -> Option<&Bsuid> {
        match &self.0 {
            Address::User(bsuid) | Address::Both(_, bsuid) => Some(bsuid),
            Address::Phone(_) => None,
        }
    }

    /// The address that is used: the phone number when there is one, else the BSUID. The two cannot be confused, since
    /// only a BSUID has a dot.
    pub fn address(&self) -> &str {
        match &self.0 {
            Address::Phone(phone) | Address::Both(phone, _) => phone.as_str(),
            Address::User(bsuid) => bsuid.as_str(),
        }
    }
}

impl TryFrom<RecipientParts> for Recipient {
    type Error = RecipientFault;

    fn try_from(parts: RecipientParts) -> Result<Self, Self::Error> {
        Self::new(parts.phone, parts.bsuid).ok_or(RecipientFault::NoAddress)
    }
}

impl From<Recipient> for RecipientParts {
    fn from(recipient: Recipient) -> Self {
        Self { phone: recipient.phone().cloned(), bsuid: recipient.bsuid().cloned() }
    }
}

/// What keeps the messages of one conversation in order: the same for the same business number and
/// [`Recipient::address`], spread evenly otherwise. The first eight bytes of a SHA-256, so it is the same on every
/// node and in every version.
pub fn order_key(number: InboxId, address: &str) -> i64 {
    let digest = Sha256::new().chain_update(number.0.as_bytes()).chain_update(address.as_bytes()).finalize();
    digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}
