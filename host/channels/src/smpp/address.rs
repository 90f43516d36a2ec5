//! Type of number and numbering plan of addresses (PROVIDERS C.2).

use domain::sms_products::subscriber;
use rusmpp::values::{Npi, Ton};

/// The longest national short code; MSISDNs have at least seven digits.
const SHORT_CODE_DIGITS: usize = 6;
/// The longest alphanumeric sender.
const ALPHANUMERIC_CHARS: usize = 11;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceAddress {
    pub ton: Ton,
    pub npi: Npi,
    pub text: String,
}

/// Alphanumeric 5/0, short code 3/0, long number 1/1; empty lets the SMSC choose (0/0). `None` if no SMSC accepts it.
pub(super) fn source(sender: &str) -> Option<SourceAddress> {
    let sender = sender.trim();
    let bare = sender.strip_prefix('+').unwrap_or(sender);
    let numeric = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
    let (ton, npi, text) = match bare.len() {
        0 => (Ton::Unknown, Npi::Unknown, ""),
        1..=SHORT_CODE_DIGITS if numeric => (Ton::NetworkSpecific, Npi::Unknown, bare),
        7..=20 if numeric => (Ton::International, Npi::Isdn, bare),
        1..=ALPHANUMERIC_CHARS if !numeric && printable(sender) => (Ton::Alphanumeric, Npi::Unknown, sender),
        _ => return None,
    };
    Some(SourceAddress { ton, npi, text: text.to_owned() })
}

/// A destination in digits; `None` if it is not a phone number.
pub(super) fn destination(number: &str) -> Option<String> {
    let bare = number.strip_prefix('+').unwrap_or(number);
    let valid = (1..=20).contains(&bare.len()) && bare.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| bare.to_owned())
}

/// TON of a number without its country code.
const NATIONAL: u8 = 2;
/// TON of a name.
const ALPHANUMERIC: u8 = 5;

/// Reads an address with this type of number: international ones in digits, national ones with a leading `0`, names unchanged.
pub(super) fn read_address(ton: u8, text: &str) -> String {
    match ton {
        ALPHANUMERIC if !text.trim().bytes().all(|one| one.is_ascii_digit()) => text.trim().to_owned(),
        NATIONAL => subscriber::national(text),
        _ => subscriber::dialled(text),
    }
}

fn printable(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(sender: &str) -> Option<(u8, u8, String)> {
        source(sender).map(|source| (source.ton.into(), source.npi.into(), source.text))
    }

    #[test]
    fn each_kind_of_sender_is_sent_with_its_own_address_type() {
        assert_eq!(kind("PATCHBAY"), Some((5, 0, "PATCHBAY".into())));
        assert_eq!(kind("My Shop 24"), Some((5, 0, "My Shop 24".into())));
        assert_eq!(kind("40404"), Some((3, 0, "40404".into())));
        assert_eq!(kind("+27110000000"), Some((1, 1, "27110000000".into())));
        assert_eq!(kind(""), Some((0, 0, String::new())));
    }

    #[test]
    fn a_sender_that_no_smsc_takes_is_refused() {
        assert_eq!(kind("TWELVE CHARS"), None);
        assert_eq!(kind("Café"), None);
        assert_eq!(kind("123456789012345678901"), None);
    }

    #[test]
    fn an_address_of_an_smsc_is_read_by_its_type() {
        for ((ton, text), read) in [
            ((1, "27836000001"), "27836000001"),
            ((1, "+27 83 600 0001"), "27836000001"),
            ((1, "0027836000001"), "27836000001"),
            ((2, "836000001"), "0836000001"),
            ((2, "0836000001"), "0836000001"),
            ((0, "0836000001"), "0836000001"),
            ((3, "31500"), "31500"),
            ((5, "+My Shop (24)"), "+My Shop (24)"),
            ((5, "27836000001"), "27836000001"),
        ] {
            assert_eq!(read_address(ton, text), read, "{ton} {text}");
        }
        assert_eq!(read_address(0, " +27836000001 "), "27836000001", "of an unknown type");
    }

    #[test]
    fn destinations_are_digits() {
        assert_eq!(destination("+27820000001").as_deref(), Some("27820000001"));
        assert_eq!(destination("27 82"), None);
        assert_eq!(destination(""), None);
    }
}
