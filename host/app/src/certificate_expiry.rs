//! The end of the validity of a certificate (RFC 5280, 4.1).

use chrono::{DateTime, NaiveDateTime, Utc};

const SEQUENCE: u8 = 0x30;
/// The tag of the version, which is optional.
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// Reads the end of the validity from a certificate in DER.
pub(crate) fn of(certificate: &[u8]) -> Option<DateTime<Utc>> {
    let certificate = sequence(certificate)?.0;
    let mut fields = sequence(certificate)?.0;
    if fields.first() == Some(&VERSION) {
        fields = element(fields)?.2;
    }
    // Serial number, algorithm, issuer.
    for _ in 0..3 {
        fields = element(fields)?.2;
    }
    let (_, _, end) = element(sequence(fields)?.0)?;
    let (tag, text, _) = element(end)?;
    let text = std::str::from_utf8(text).ok()?;
    let text = match tag {
        // Years from 50 are of the last century.
        UTC_TIME if text >= "50" => format!("19{text}"),
        UTC_TIME => format!("20{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    Some(NaiveDateTime::parse_from_str(&text, "%Y%m%d%H%M%SZ").ok()?.and_utc())
}

/// The content of a sequence, and the bytes after it.
fn sequence(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (tag, content, rest) = element(bytes)?;
    (tag == SEQUENCE).then_some((content, rest))
}

/// Tag and content of the first element, and the bytes after it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, bytes) = bytes.split_first()?;
    let (&length, bytes) = bytes.split_first()?;
    let (length, bytes) = match length {
        short @ 0..=0x7f => (usize::from(short), bytes),
        // The number of bytes of the length. Four are enough for any certificate.
        long @ 0x81..=0x84 => {
            let (length, bytes) = bytes.split_at_checked(usize::from(long & 0x7f))?;
            (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), bytes)
        }
        _ => return None,
    };
    let (content, rest) = bytes.split_at_checked(length)?;
    Some((tag, content, rest))
}
