//! The GSM 7-bit alphabet (3GPP TS 23.038, 6.2.1): septets, one per octet or packed, with national tables.

use super::national_tables::{Shifts, extension, locking};

/// GSM 03.38, basic table; position = septet. 0x1B is the escape and stands for itself here.
const BASIC: &str = concat!(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{1b}ÆæßÉ",
    " !\"#¤%&'()*+,-./0123456789:;<=>?",
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§",
    "¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const ESCAPE: u8 = 0x1b;

/// The text of septets, one per octet. `None` for a language whose tables are unknown, and for octets above 127.
pub(super) fn decode(octets: &[u8], shifts: Shifts) -> Option<String> {
    let table = locking(shifts.locking, BASIC)?;
    let basic = |septet: u8| table.chars().nth(usize::from(septet)).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut text = String::with_capacity(octets.len());
    let mut escaped = false;
    for octet in octets {
        match (escaped, *octet) {
            (_, 0x80..) => text.push(char::REPLACEMENT_CHARACTER),
            (false, ESCAPE) => {
                escaped = true;
                continue;
            }
            // An escape after an escape is reserved for another table (6.2.1.1).
            (true, ESCAPE) => text.push(' '),
            // If its table has no character, that of the main table counts (6.2.1.1).
            (true, septet) => text.push(extension(shifts.single, septet)?.unwrap_or_else(|| basic(septet))),
            (false, septet) => text.push(basic(septet)),
        }
        escaped = false;
    }
    Some(text)
}

pub(in crate::smpp) fn text(septets: &[u8]) -> String {
    decode(septets, Shifts::default()).unwrap_or_default()
}

/// Fill bits between a header of so many octets and the next septet.
fn fill_bits(header: usize) -> usize {
    (7 - header * 8 % 7) % 7
}

/// Packs septets after a header of so many octets: eight into seven octets (6.1.2.1).
pub(super) fn pack(septets: &[u8], header: usize) -> Vec<u8> {
    let mut octets = Vec::with_capacity(septets.len() * 7 / 8 + 2);
    let (mut bits, mut count) = (0_u32, fill_bits(header));
    for septet in septets {
        bits |= u32::from(septet & 0x7f) << count;
        count += 7;
        while count >= 8 {
            octets.extend(bits.to_le_bytes().first());
            bits >>= 8;
            count -= 8;
        }
    }
    if count > 0 {
        octets.extend(bits.to_le_bytes().first());
    }
    octets
}

/// One septet per octet. Seven remaining bits are padding if they are zero, or a carriage return.
pub(in crate::smpp) fn unpack(octets: &[u8], header: usize) -> Vec<u8> {
    let mut septets = Vec::with_capacity(octets.len() * 8 / 7 + 1);
    let mut skip = fill_bits(header);
    let (mut bits, mut count) = (0_u32, 0);
    for octet in octets {
        bits |= u32::from(*octet) << count;
        count += 8;
        if skip > 0 {
            bits >>= skip;
            count -= skip;
            skip = 0;
        }
        while count >= 7 {
            septets.extend((bits & 0x7f).to_le_bytes().first());
            bits >>= 7;
            count -= 7;
        }
    }
    let is_full = (fill_bits(header) + septets.len() * 7).is_multiple_of(8);
    if is_full && matches!(septets.last(), Some(0 | 0x0d)) {
        septets.pop();
    }
    septets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basic_table_has_128_places_in_order() {
        assert_eq!(BASIC.chars().count(), 128);
        assert_eq!(text(b"STOP please 123"), "STOP please 123");
        assert_eq!(text(&[0x00, 0x02, 0x05, 0x7b, 0x7f, 0x5f]), "@$éäà§");
    }

    #[test]
    fn extension_characters_take_two_septets() {
        assert_eq!(text(&[0x1b, 0x65, 0x35, 0x1b, 0x28]), "€5{");
        assert_eq!(
            text(&[0x1b, 0x41, 0x1b, 0x1b]),
            "A ",
            "a place without a character, and an escape behind an escape"
        );
    }

    #[test]
    fn septets_are_packed_as_the_standard_shows_and_come_back_behind_any_header() {
        assert_eq!(pack(b"hellohello", 0), [0xe8, 0x32, 0x9b, 0xfd, 0x46, 0x97, 0xd9, 0xec, 0x37]);
        for header in [0, 6, 7, 8, 12] {
            for length in 1..90_u8 {
                let septets: Vec<u8> = (0..length).map(|at| at % 127 + 1).filter(|one| *one != 0x0d).collect();
                assert_eq!(unpack(&pack(&septets, header), header), septets, "{header} {length}");
            }
        }
    }

    #[test]
    fn languages_have_tables_of_their_own() {
        let turkish = Shifts { single: 1, locking: 0 };
        assert_eq!(decode(b"\x1bG\x1bi\x1bs\x1be", turkish).unwrap(), "Ğış€");
        let both = Shifts { single: 1, locking: 1 };
        assert_eq!(decode(&[0x04, 0x07, 0x0b, 0x0c, 0x1c, 0x1d, 0x40, 0x60], both).unwrap(), "€ıĞğŞşİç");
        let spanish = Shifts { single: 2, locking: 0 };
        assert_eq!(decode(b"\x1bA\x1bi\x1b\x09", spanish).unwrap(), "Áíç");
        let portuguese = Shifts { single: 3, locking: 3 };
        assert_eq!(decode(b"\x7b\x7c\x1b\x7b\x0b\x12", portuguese).unwrap(), "ãõãÔª");
        assert_eq!(decode(b"\x1b\x18", Shifts { single: 3, locking: 0 }).unwrap(), "Σ");
    }

    #[test]
    fn a_language_that_is_not_known_is_no_text() {
        assert_eq!(decode(b"abc", Shifts { single: 0, locking: 99 }), None);
        assert_eq!(decode(b"abc\x1bA", Shifts { single: 99, locking: 0 }), None);
    }
}
