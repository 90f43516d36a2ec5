//! The GSM 03.38 default alphabet and its extension table.

/// Position = septet. The place of the escape (0x1B) holds NUL, which [`septets`] skips.
const BASIC: [char; 128] = [
    '@', '£', '$', '¥', 'è', 'é', 'ù', 'ì', 'ò', 'Ç', '\n', 'Ø', 'ø', '\r', 'Å', 'å', //
    'Δ', '_', 'Φ', 'Γ', 'Λ', 'Ω', 'Π', 'Ψ', 'Σ', 'Θ', 'Ξ', '\0', 'Æ', 'æ', 'ß', 'É', //
    ' ', '!', '"', '#', '¤', '%', '&', '\'', '(', ')', '*', '+', ',', '-', '.', '/', //
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':', ';', '<', '=', '>', '?', //
    '¡', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', //
    'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'Ä', 'Ö', 'Ñ', 'Ü', '§', //
    '¿', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', //
    'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 'ä', 'ö', 'ñ', 'ü', 'à',
];

/// Characters that cost two septets: the escape and this code.
const EXTENSION: [(char, u8); 10] = [
    ('\u{c}', 0x0a),
    ('^', 0x14),
    ('{', 0x28),
    ('}', 0x29),
    ('\\', 0x2f),
    ('[', 0x3c),
    ('~', 0x3d),
    (']', 0x3e),
    ('|', 0x40),
    ('€', 0x65),
];

const ESCAPE: u8 = 0x1b;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Septets {
    Basic(u8),
    Extended(u8),
}

impl Septets {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Basic(_) => 1,
            Self::Extended(_) => 2,
        }
    }

    pub(super) fn octets(self) -> impl Iterator<Item = u8> {
        let (escape, code) = match self {
            Self::Basic(code) => (None, code),
            Self::Extended(code) => (Some(ESCAPE), code),
        };
        escape.into_iter().chain([code])
    }
}

/// The septets of a character, `None` when the alphabet does not have it.
pub(super) fn septets(character: char) -> Option<Septets> {
    // Letters, digits and most signs are at their ASCII positions, so most characters need no search.
    if matches!(character, ' '..='#' | '%'..='?' | 'A'..='Z' | 'a'..='z') {
        return u8::try_from(u32::from(character)).ok().map(Septets::Basic);
    }
    if character == '\0' {
        return None;
    }
    let basic = BASIC.iter().position(|known| *known == character).and_then(|at| u8::try_from(at).ok());
    let extended = || EXTENSION.iter().find(|(known, _)| *known == character).map(|(_, code)| *code);
    basic.map(Septets::Basic).or_else(|| extended().map(Septets::Extended))
}
