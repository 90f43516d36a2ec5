//! National language tables (3GPP TS 23.038, annex A). A header (23.040, 9.2.3.24.15, 16) names them: 0x24 after an
//! escape, 0x25 in place of the basic one.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::smpp) struct Shifts {
    pub single: u8,
    pub locking: u8,
}

impl Shifts {
    pub(in crate::smpp) fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// A.3.1
const TURKISH: &str = concat!(
    "@£$¥€éùıòÇ\nĞğ\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{1b}ŞşßÉ",
    " !\"#¤%&'()*+,-./0123456789:;<=>?",
    "İABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§",
    "çabcdefghijklmnopqrstuvwxyzäöñüà",
);
/// A.3.3
const PORTUGUESE: &str = concat!(
    "@£$¥êéúíóç\nÔô\rÁáΔ_ªÇÀ∞^\\€Ó|\u{1b}ÂâÊÉ",
    " !\"#º%&'()*+,-./0123456789:;<=>?",
    "ÍABCDEFGHIJKLMNOPQRSTUVWXYZÃÕÚÜ§",
    "~abcdefghijklmnopqrstuvwxyzãõ`üà",
);

pub(super) fn locking(language: u8, basic: &'static str) -> Option<&'static str> {
    Some(match language {
        0 => basic,
        1 => TURKISH,
        3 => PORTUGUESE,
        _ => return None,
    })
}

/// The character after an escape: `Some(None)` if the table has none in this place, `None` if the table is unknown.
pub(super) fn extension(language: u8, septet: u8) -> Option<Option<char>> {
    let own: &[(u8, char)] = match language {
        0 => &[],
        1 => &TURKISH_SINGLE,
        2 => &SPANISH_SINGLE,
        3 => &PORTUGUESE_SINGLE,
        _ => return None,
    };
    let of = |table: &[(u8, char)]| table.iter().find(|(place, _)| *place == septet).map(|(_, character)| *character);
    Some(of(own).or_else(|| of(&EXTENSION)))
}

/// The default extension table, which the tables of these languages contain as well.
const EXTENSION: [(u8, char); 10] = [
    (0x0a, '\u{c}'),
    (0x14, '^'),
    (0x28, '{'),
    (0x29, '}'),
    (0x2f, '\\'),
    (0x3c, '['),
    (0x3d, '~'),
    (0x3e, ']'),
    (0x40, '|'),
    (0x65, '€'),
];
/// A.2.1
const TURKISH_SINGLE: [(u8, char); 7] =
    [(0x47, 'Ğ'), (0x49, 'İ'), (0x53, 'Ş'), (0x63, 'ç'), (0x67, 'ğ'), (0x69, 'ı'), (0x73, 'ş')];
/// A.2.2
const SPANISH_SINGLE: [(u8, char); 9] = [
    (0x09, 'ç'),
    (0x41, 'Á'),
    (0x49, 'Í'),
    (0x4f, 'Ó'),
    (0x55, 'Ú'),
    (0x61, 'á'),
    (0x69, 'í'),
    (0x6f, 'ó'),
    (0x75, 'ú'),
];
/// A.2.3
const PORTUGUESE_SINGLE: [(u8, char); 27] = [
    (0x05, 'ê'),
    (0x09, 'ç'),
    (0x0b, 'Ô'),
    (0x0c, 'ô'),
    (0x0e, 'Á'),
    (0x0f, 'á'),
    (0x12, 'Φ'),
    (0x13, 'Γ'),
    (0x15, 'Ω'),
    (0x16, 'Π'),
    (0x17, 'Ψ'),
    (0x18, 'Σ'),
    (0x19, 'Θ'),
    (0x1f, 'Ê'),
    (0x41, 'À'),
    (0x49, 'Í'),
    (0x4f, 'Ó'),
    (0x55, 'Ú'),
    (0x5b, 'Ã'),
    (0x5c, 'Õ'),
    (0x61, 'Â'),
    (0x69, 'í'),
    (0x6f, 'ó'),
    (0x75, 'ú'),
    (0x7b, 'ã'),
    (0x7c, 'õ'),
    (0x7f, 'â'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_128_places() {
        for table in [TURKISH, PORTUGUESE] {
            assert_eq!((table.chars().count(), table.chars().nth(0x1b)), (128, Some('\u{1b}')));
        }
    }
}
