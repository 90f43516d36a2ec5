//! Text of deliveries by data coding (SMPP 3.4, 5.2.19; 3GPP TS 23.038, 4). Invalid characters become U+FFFD; unknown
//! codings are shown as octets.

mod asian_charsets;
mod default_alphabet;
mod gsm;
mod national_tables;
mod octets;

use encoding_rs::{EUC_KR, ISO_8859_5, ISO_8859_8, WINDOWS_1252};

pub use default_alphabet::DefaultAlphabet;
pub(super) use gsm::{text as gsm_text, unpack};
pub(super) use national_tables::Shifts;
use octets::{ascii, plain};

/// Most octets that are shown of unreadable text.
const SHOWN: usize = 1_024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OctetCoding {
    /// As the SMSC gave it.
    pub data_coding: u8,
    alphabet: Alphabet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Gsm(Shifts),
    Ascii,
    Latin1,
    Cyrillic,
    Hebrew,
    Ucs2,
    Japanese,
    Pictograms,
    Korean,
    /// Data, or a coding that is unknown, compressed or reserved.
    Unreadable,
}

impl OctetCoding {
    pub(super) fn of(data_coding: u8, default: DefaultAlphabet, shifts: Shifts) -> Self {
        let septets = Alphabet::Gsm(shifts);
        let alphabet = match data_coding {
            0x00 if shifts.is_none() => match default {
                DefaultAlphabet::Gsm | DefaultAlphabet::GsmPacked => septets,
                DefaultAlphabet::Latin1 => Alphabet::Latin1,
                DefaultAlphabet::Ascii => Alphabet::Ascii,
            },
            0x00 => septets,
            0x01 => Alphabet::Ascii,
            0x03 => Alphabet::Latin1,
            0x05 | 0x0a | 0x0d => Alphabet::Japanese,
            0x06 => Alphabet::Cyrillic,
            0x07 => Alphabet::Hebrew,
            0x08 => Alphabet::Ucs2,
            0x09 => Alphabet::Pictograms,
            0x0e => Alphabet::Korean,
            // General groups, with a class or marked for deletion: bit 5 means compressed, bits 3 and 2 are the
            // alphabet.
            0x10..=0x1f | 0x40..=0x5f => match data_coding & 0x0c {
                0x00 => septets,
                0x08 => Alphabet::Ucs2,
                _ => Alphabet::Unreadable,
            },
            // Waiting messages of a mailbox.
            0xc0..=0xdf => septets,
            0xe0..=0xef => Alphabet::Ucs2,
            // Message classes: bit 2 means data.
            0xf0..=0xff if data_coding & 0x04 == 0 => septets,
            _ => Alphabet::Unreadable,
        };
        Self { data_coding, alphabet }
    }

    pub(super) fn ucs2() -> Self {
        Self { data_coding: 0x08, alphabet: Alphabet::Ucs2 }
    }

    pub(super) fn is_gsm(self) -> bool {
        matches!(self.alphabet, Alphabet::Gsm(_))
    }

    /// The text of octets; never with a NUL.
    pub(super) fn decode(self, octets: &[u8]) -> String {
        let text = match self.alphabet {
            Alphabet::Gsm(shifts) => gsm::decode(octets, shifts),
            Alphabet::Ascii => Some(ascii(octets)),
            // No text has C1 controls: SMSCs that send them mean the letters that Windows has there.
            Alphabet::Latin1 => Some(single(WINDOWS_1252, octets)),
            Alphabet::Cyrillic => Some(single(ISO_8859_5, octets)),
            Alphabet::Hebrew => Some(single(ISO_8859_8, octets)),
            Alphabet::Ucs2 => Some(utf16(octets)),
            Alphabet::Japanese => asian_charsets::japanese(octets),
            Alphabet::Pictograms => asian_charsets::shift_jis(octets),
            Alphabet::Korean => asian_charsets::strict(EUC_KR, octets),
            Alphabet::Unreadable => plain(octets),
        };
        text.unwrap_or_else(|| self.unreadable(octets)).replace('\0', "\u{fffd}")
    }

    fn unreadable(self, octets: &[u8]) -> String {
        let shown = hex::encode_upper(octets.get(..SHOWN).unwrap_or(octets));
        let more = if octets.len() > SHOWN { "…" } else { "" };
        format!("[undecodable: data_coding 0x{:02X}, octets {shown}{more}]", self.data_coding)
    }
}

fn single(encoding: &'static encoding_rs::Encoding, octets: &[u8]) -> String {
    encoding.decode_without_bom_handling(octets).0.into_owned()
}

/// UTF-16, big endian unless there is another byte order mark.
fn utf16(octets: &[u8]) -> String {
    let (unit, octets): (fn([u8; 2]) -> u16, _) = match octets {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        all => (u16::from_be_bytes, all),
    };
    let units = octets.chunks(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0xfffd,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, ISO_2022_JP, SHIFT_JIS};

    use super::*;

    fn decode(data_coding: u8, octets: &[u8]) -> String {
        OctetCoding::of(data_coding, DefaultAlphabet::Gsm, Shifts::default()).decode(octets)
    }

    #[test]
    fn septets_are_read_in_all_groups_that_have_them() {
        for coding in [0x00, 0x10, 0x11, 0x13, 0x40, 0x50, 0xc0, 0xc8, 0xd0, 0xdb, 0xf0, 0xf3] {
            assert_eq!(decode(coding, &[0x00, 0x02, 0x05, 0x7b, 0x1b, 0x65]), "@$éä€", "{coding:#x}");
        }
        assert_eq!(decode(0, b"Caf\xe9"), "Caf\u{fffd}", "no septet, and no guess");
    }

    #[test]
    fn ucs2_is_read_in_all_groups_that_have_it() {
        let octets: Vec<u8> = "Привет 👍".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for coding in [0x08, 0x18, 0x19, 0x1b, 0x48, 0x58, 0xe0, 0xe3, 0xef] {
            assert_eq!(decode(coding, &octets), "Привет 👍", "{coding:#x}");
        }
        assert_eq!(decode(8, &[0x00]), "\u{fffd}");
        assert_eq!(decode(8, &[0xd8, 0x3d, 0, 0x41]), "\u{fffd}A");
    }

    #[test]
    fn a_byte_order_mark_says_the_order_and_is_no_text() {
        let text = "STOP да";
        let swapped: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let usual: Vec<u8> = [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
        assert_eq!((decode(8, &swapped), decode(8, &usual)), (text.to_owned(), text.to_owned()));
    }

    #[test]
    fn alphabets_of_one_octet_are_known() {
        assert_eq!(decode(3, b"Caf\xe9 \x80"), "Café €");
        assert_eq!(decode(1, b"a\xe9"), "a\u{fffd}");
        assert_eq!(decode(6, &[0xbf, 0xe0, 0xd8, 0xd2, 0xd5, 0xe2]), "Привет");
        assert_eq!(decode(7, &[0xf9, 0xec, 0xe5, 0xed]), "שלום");
    }

    #[test]
    fn japanese_and_korean_are_read_in_the_forms_that_their_names_are_used_for() {
        let text = "こんにちは、テスト";
        for coding in [5, 10, 13] {
            for encoding in [SHIFT_JIS, EUC_JP, ISO_2022_JP] {
                assert_eq!(decode(coding, &encoding.encode(text).0), text, "{coding} {}", encoding.name());
            }
            assert_eq!(decode(coding, b"STOP"), "STOP");
        }
        assert_eq!(decode(9, &SHIFT_JIS.encode(text).0), text);
        assert_eq!(decode(14, &EUC_KR.encode("안녕하세요 STOP").0), "안녕하세요 STOP");
        assert_eq!(decode(14, &[0xff, 0xff]), "[undecodable: data_coding 0x0E, octets FFFF]");
    }

    #[test]
    fn data_and_unknown_codings_are_shown_as_octets_unless_they_are_plain_text() {
        for coding in [0x02, 0x04, 0x0b, 0x0c, 0x0f, 0x14, 0x1c, 0x20, 0x38, 0x60, 0x80, 0xb0, 0xf4, 0xff] {
            let shown = format!("[undecodable: data_coding 0x{coding:02X}, octets 01C3A900]");
            assert_eq!(decode(coding, &[1, 0xc3, 0xa9, 0]), shown);
            assert_eq!(decode(coding, b"STOP\r\n"), "STOP\r\n");
        }
        let long = decode(4, &[0; 3_000]);
        assert!(long.len() < 2_200 && long.ends_with("…]"));
    }

    #[test]
    fn an_smsc_may_have_another_default_alphabet() {
        let decode = |default, octets: &[u8]| OctetCoding::of(0, default, Shifts::default()).decode(octets);
        assert_eq!(decode(DefaultAlphabet::Latin1, b"Caf\xe9 @ $"), "Café @ $");
        assert_eq!(decode(DefaultAlphabet::Ascii, b"@_$ \xe9"), "@_$ \u{fffd}");
        assert_eq!(decode(DefaultAlphabet::Gsm, b"@"), "¡");
    }

    #[test]
    fn no_text_contains_nul() {
        assert_eq!(decode(3, b"a\0b"), "a\u{fffd}b");
        assert_eq!(decode(8, &[0, 0]), "\u{fffd}");
    }

    #[test]
    fn any_octets_in_any_coding_are_some_text() {
        for coding in 0..=u8::MAX {
            for first in 0..=u8::MAX {
                let text = decode(coding, &[first, 0x1b, 0x81, first, 0x42, 0xff]);
                assert!(!text.is_empty() && !text.contains('\0'), "{coding:#x} {first:#x}");
            }
        }
    }
}
