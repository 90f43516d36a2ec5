//! Ids of people, messages and objects. Derived ids are the same in each run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::clock;

const COUNTRIES: [(&str, &str); 24] = [
    ("263", "ZW"),
    ("264", "NA"),
    ("267", "BW"),
    ("258", "MZ"),
    ("254", "KE"),
    ("234", "NG"),
    ("233", "GH"),
    ("971", "AE"),
    ("27", "ZA"),
    ("44", "GB"),
    ("91", "IN"),
    ("55", "BR"),
    ("54", "AR"),
    ("52", "MX"),
    ("49", "DE"),
    ("33", "FR"),
    ("34", "ES"),
    ("39", "IT"),
    ("31", "NL"),
    ("61", "AU"),
    ("62", "ID"),
    ("20", "EG"),
    ("1", "US"),
    ("7", "KZ"),
];

const FIRST_NAMES: [&str; 12] = [
    "Thandi", "Sipho", "Lerato", "Pieter", "Naledi", "Ayanda", "Fatima", "Johan", "Zanele", "Kabelo", "Priya",
    "Bongani",
];
const LAST_NAMES: [&str; 12] = [
    "Nkosi", "Dlamini", "Mokoena", "Botha", "Khumalo", "Naidoo", "van Wyk", "Mahlangu", "Jacobs", "Sithole", "Pillay",
    "Zulu",
];

/// The digits of a phone number in any notation (`+27 82 000 0001` becomes `27820000001`).
pub(crate) fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}

pub(crate) fn stable_digits(seed: &str, length: usize) -> String {
    (0u32..)
        .flat_map(|round| Sha256::digest(format!("{round}:{seed}")))
        .take(length)
        .map(|byte| char::from(b'0' + byte % 10))
        .collect()
}

/// First and last name of a person, the same for the same address.
pub(crate) fn person_name(address: &str) -> (&'static str, &'static str) {
    let digest = Sha256::digest(address);
    let pick = |names: [&'static str; 12], at: usize| {
        let byte = digest.get(at).copied().unwrap_or_default();
        names.get(usize::from(byte) % names.len()).copied().unwrap_or_default()
    };
    (pick(FIRST_NAMES, 0), pick(LAST_NAMES, 1))
}

pub(crate) fn user_id(msisdn: &str) -> String {
    let country = COUNTRIES.iter().find(|(code, _)| msisdn.starts_with(code)).map_or("ZZ", |(_, country)| country);
    format!("{country}.{}", stable_digits(msisdn, 20))
}

pub(crate) fn wamid(msisdn: &str) -> String {
    let mut bytes = vec![0x1d, 0x07, 0x0b];
    bytes.extend_from_slice(msisdn.as_bytes());
    bytes.extend_from_slice(&[0x15, 0x02, 0x00]);
    bytes.extend_from_slice(&clock::random_bytes::<16>());
    format!("wamid.{}", STANDARD.encode(bytes))
}

pub(crate) fn trace_id() -> String {
    format!("A{}", STANDARD.encode(clock::random_bytes::<15>()).replace(['+', '/'], "x"))
}
