//! Texts of short messages: GSM 7-bit (unpacked, one septet per octet), UCS-2 and Latin-1 (PROVIDERS C.4).

/// GSM 03.38 basic table in order of code. Position 27 is the escape to the extension table.
const BASIC: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{1b}ÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const ESCAPE: u8 = 0x1b;
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

pub(crate) const UCS2: u8 = 0x08;
const LATIN1: u8 = 0x03;
const ASCII: u8 = 0x01;

pub(crate) fn decode(data_coding: u8, octets: &[u8]) -> String {
    match data_coding {
        0 => decode_gsm(octets),
        ASCII | LATIN1 => octets.iter().map(|octet| char::from(*octet)).collect(),
        UCS2 => {
            let units: Vec<u16> =
                octets.chunks(2).map(|pair| pair.iter().fold(0, |unit, octet| unit << 8 | u16::from(*octet))).collect();
            String::from_utf16_lossy(&units)
        }
        _ => hex::encode(octets),
    }
}

fn decode_gsm(octets: &[u8]) -> String {
    let basic: Vec<char> = BASIC.chars().collect();
    let mut text = String::new();
    let mut escaped = false;
    for octet in octets {
        if *octet == ESCAPE && !escaped {
            escaped = true;
            continue;
        }
        let extension = EXTENSION.iter().find(|(code, _)| escaped && code == octet);
        let plain = basic.get(usize::from(*octet)).copied().filter(|c| *c != '\u{1b}');
        text.push(extension.map(|(_, c)| *c).or(plain).unwrap_or('?'));
        escaped = false;
    }
    text
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EncodedText {
    pub(crate) data_coding: u8,
    pub(crate) parts: Vec<Vec<u8>>,
}

/// GSM if it has all characters, else UCS-2. 160/153 septets or 70/67 units per part.
pub(crate) fn encode(text: &str) -> EncodedText {
    let basic: Vec<char> = BASIC.chars().collect();
    let characters: Option<Vec<Vec<u8>>> = text.chars().map(|c| encode_gsm(&basic, c)).collect();
    match characters {
        Some(characters) => EncodedText { data_coding: 0, parts: cut(&characters, 160, 153) },
        None => {
            let characters: Vec<Vec<u8>> = text
                .chars()
                .map(|c| c.encode_utf16(&mut [0; 2]).iter().flat_map(|u| u.to_be_bytes()).collect())
                .collect();
            EncodedText { data_coding: UCS2, parts: cut(&characters, 140, 134) }
        }
    }
}

fn encode_gsm(basic: &[char], character: char) -> Option<Vec<u8>> {
    let extension = EXTENSION.iter().find(|(_, known)| *known == character);
    if let Some((code, _)) = extension {
        return Some(vec![ESCAPE, *code]);
    }
    let position = basic.iter().position(|known| *known == character && character != '\u{1b}')?;
    u8::try_from(position).ok().map(|code| vec![code])
}

/// Cuts between characters: one part of at most `single` octets, or several of at most `joined`.
fn cut(characters: &[Vec<u8>], single: usize, joined: usize) -> Vec<Vec<u8>> {
    let total: usize = characters.iter().map(Vec::len).sum();
    let longest = if total <= single { single } else { joined };
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut part: Vec<u8> = Vec::new();
    for character in characters {
        if part.len() + character.len() > longest {
            parts.push(std::mem::take(&mut part));
        }
        part.extend(character);
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gsm_text_survives_encoding_with_extension_characters() {
        let text = "Price: 5€ [net] à Ω\n";
        let encoded = encode(text);
        assert_eq!(encoded.data_coding, 0);
        assert_eq!(decode(0, &encoded.parts[0]), text);
    }

    #[test]
    fn an_extension_character_is_never_split() {
        let text = format!("{}€{}", "a".repeat(152), "b".repeat(20));
        let encoded = encode(&text);
        assert_eq!(encoded.parts.iter().map(Vec::len).collect::<Vec<_>>(), [152, 22]);
        assert_eq!(decode(0, &encoded.parts.concat()), text);
    }

    #[test]
    fn one_character_outside_gsm_switches_to_ucs2() {
        let encoded = encode("日本 🎉");
        assert_eq!(encoded.data_coding, UCS2);
        assert_eq!(decode(UCS2, &encoded.parts.concat()), "日本 🎉");
    }
}
