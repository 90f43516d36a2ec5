//! Japanese and Korean codings. SMPP names character sets, and SMSCs use different encodings, so the octets decide.

use encoding_rs::{EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS};

use super::octets::{ascii, plain};

/// Switches the character set in ISO-2022-JP.
const ESCAPE: u8 = 0x1b;

pub(super) fn strict(encoding: &'static Encoding, octets: &[u8]) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(octets).map(|text| text.into_owned())
}

/// JIS X 0208, X 0212 and ISO-2022-JP: with escapes, in 8 bits as EUC-JP or Shift JIS, or as bare pairs of 7 bits.
pub(super) fn japanese(octets: &[u8]) -> Option<String> {
    if octets.contains(&ESCAPE) {
        return strict(ISO_2022_JP, octets);
    }
    if octets.is_ascii() {
        return if is_bare(octets) { strict(EUC_JP, &eighth_bit_set(octets)) } else { Some(ascii(octets)) };
    }
    // Hiragana and katakana begin with octets that EUC-JP does not have, so valid EUC-JP is not Shift JIS.
    strict(EUC_JP, octets).or_else(|| strict(SHIFT_JIS, octets))
}

/// Shift JIS, of which the pictograms are extensions.
pub(super) fn shift_jis(octets: &[u8]) -> Option<String> {
    plain(octets).or_else(|| strict(SHIFT_JIS, octets))
}

/// True if octets of 7 bits are pairs of JIS X 0208: most of the pairs are kana, unlike in ASCII text.
fn is_bare(octets: &[u8]) -> bool {
    let in_range = octets.iter().all(|octet| (0x21..=0x7e).contains(octet));
    let kana = octets.chunks(2).filter(|pair| matches!(pair.first(), Some(0x24 | 0x25))).count();
    in_range && octets.len().is_multiple_of(2) && kana >= 2 && kana * 4 > octets.len()
}

fn eighth_bit_set(octets: &[u8]) -> Vec<u8> {
    octets.iter().map(|octet| octet | 0x80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_pairs_of_kana_are_distinguished_from_ascii() {
        let bare: Vec<u8> = EUC_JP.encode("こんにちは").0.iter().map(|octet| octet & 0x7f).collect();
        assert_eq!(japanese(&bare).unwrap(), "こんにちは");
        for text in ["STOP", "Pay $5 now", "$100", "100%", ""] {
            assert_eq!(japanese(text.as_bytes()).unwrap(), text);
        }
    }

    #[test]
    fn octets_that_are_no_japanese_are_no_text() {
        assert_eq!(japanese(&[0xff, 0xfd, 0x80]), None);
        assert_eq!(japanese(&[0x1b, 0x24, 0x7a, 0x30]), None);
        assert_eq!(shift_jis(&[0xfd, 0xff]), None);
    }
}
