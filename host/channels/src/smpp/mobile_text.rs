//! Text of messages from subscribers, by data coding (PROVIDERS C.2, C.4).

use rusmpp::values::DataCoding;

/// GSM 03.38, basic table; position = septet. 0x1B is the escape and stands for itself here.
const BASIC: &str = concat!(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{1b}ÆæßÉ",
    " !\"#¤%&'()*+,-./0123456789:;<=>?",
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§",
    "¿abcdefghijklmnopqrstuvwxyzäöñüà",
);

/// The text of `octets`. Nothing is refused: what the coding cannot say becomes U+FFFD, NUL included.
pub(super) fn decode(coding: DataCoding, octets: &[u8]) -> String {
    let text = match u8::from(coding) {
        0x08 => ucs2(octets),
        0x01 => octets.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' }).collect(),
        // Latin-1, and 8-bit data for want of anything better.
        0x02..=0x04 => latin1(octets),
        // Message classes: bit 2 says 8-bit data.
        class if class & 0xf4 == 0xf4 => latin1(octets),
        _ => gsm(octets),
    };
    text.replace('\0', "\u{fffd}")
}

fn latin1(octets: &[u8]) -> String {
    octets.iter().map(|byte| char::from(*byte)).collect()
}

fn ucs2(octets: &[u8]) -> String {
    let units = octets.chunks(2).map(|pair| match pair {
        [high, low] => u16::from_be_bytes([*high, *low]),
        _ => 0xfffd,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect()
}

/// Septets, one to an octet. Octets above 127 cannot be septets: SMSCs that send them mean Latin-1.
fn gsm(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len());
    let mut escaped = false;
    for octet in octets {
        match (escaped, octet) {
            (false, 0x1b) => {
                escaped = true;
                continue;
            }
            (true, septet) => text.push(extension(*septet).unwrap_or(' ')),
            (false, 0x80..) => text.push(char::from(*octet)),
            (false, septet) => text.push(basic(*septet)),
        }
        escaped = false;
    }
    text
}

fn basic(septet: u8) -> char {
    BASIC.chars().nth(usize::from(septet)).unwrap_or('\u{fffd}')
}

fn extension(septet: u8) -> Option<char> {
    Some(match septet {
        0x0a => '\u{c}',
        0x14 => '^',
        0x28 => '{',
        0x29 => '}',
        0x2f => '\\',
        0x3c => '[',
        0x3d => '~',
        0x3e => ']',
        0x40 => '|',
        0x65 => '€',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basic_table_has_128_places_in_order() {
        assert_eq!(BASIC.chars().count(), 128);
        assert_eq!(decode(DataCoding::McSpecific, b"STOP please 123"), "STOP please 123");
        assert_eq!(decode(DataCoding::McSpecific, &[0x00, 0x02, 0x05, 0x7b, 0x7f, 0x5f]), "@$éäà§");
    }

    #[test]
    fn extension_characters_take_two_septets() {
        assert_eq!(decode(DataCoding::McSpecific, &[0x1b, 0x65, 0x35, 0x1b, 0x28]), "€5{");
    }

    #[test]
    fn ucs2_keeps_characters_outside_the_basic_plane() {
        let octets: Vec<u8> = "Привет 👍".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(DataCoding::Ucs2, &octets), "Привет 👍");
        assert_eq!(decode(DataCoding::Ucs2, &[0x00]), "\u{fffd}");
    }

    #[test]
    fn latin1_ascii_and_message_classes_are_known() {
        assert_eq!(decode(DataCoding::Latin1, &[0xe9]), "é");
        assert_eq!(decode(DataCoding::Ia5, b"a\xe9"), "a\u{fffd}");
        assert_eq!(decode(DataCoding::from(0xf5), &[0xe9]), "é");
        assert_eq!(decode(DataCoding::from(0xf0), &[0x05]), "é");
    }

    #[test]
    fn no_text_contains_nul() {
        assert_eq!(decode(DataCoding::Latin1, b"a\0b"), "a\u{fffd}b");
        assert_eq!(decode(DataCoding::Ucs2, &[0, 0]), "\u{fffd}");
    }
}
