//! The meaning of data coding 0: GSM 03.38, unless operator and client agree on another.

use super::gsm;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefaultAlphabet {
    /// GSM 03.38, a septet to an octet.
    #[default]
    Gsm,
    /// GSM 03.38, eight septets in seven octets.
    GsmPacked,
    Latin1,
    Ascii,
}

impl DefaultAlphabet {
    pub(in crate::smpp) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "gsm" => Self::Gsm,
            "gsm-packed" => Self::GsmPacked,
            "latin1" => Self::Latin1,
            "ascii" => Self::Ascii,
            _ => return None,
        })
    }

    /// Encodes septets, one per octet, after a header of so many octets; `None` if the alphabet lacks a character.
    pub(in crate::smpp) fn encode(self, septets: &[u8], header: usize) -> Option<Vec<u8>> {
        let last = match self {
            Self::Gsm => return Some(septets.to_vec()),
            Self::GsmPacked => return Some(gsm::pack(septets, header)),
            Self::Latin1 => 0xff,
            Self::Ascii => 0x7f,
        };
        let text = gsm::text(septets);
        text.chars().map(|character| u8::try_from(u32::from(character)).ok().filter(|octet| *octet <= last)).collect()
    }

    /// Septets as UTF-16, for characters that this alphabet lacks.
    pub(in crate::smpp) fn as_ucs2(septets: &[u8]) -> Vec<u8> {
        gsm::text(septets).encode_utf16().flat_map(u16::to_be_bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_sent_in_the_alphabet_of_the_smsc_or_not_at_all() {
        let price = [0x00, 0x05, 0x1b, 0x28]; // @é{
        assert_eq!(DefaultAlphabet::Gsm.encode(&price, 0).unwrap(), price);
        assert_eq!(DefaultAlphabet::Latin1.encode(&price, 0).unwrap(), b"@\xe9{");
        assert_eq!(DefaultAlphabet::Ascii.encode(&price, 0), None);
        assert_eq!(DefaultAlphabet::Ascii.encode(&[0x00, 0x11, 0x02], 0).unwrap(), b"@_$");
        assert_eq!(DefaultAlphabet::Latin1.encode(&[0x1b, 0x65], 0), None, "it has no euro");
        assert_eq!(DefaultAlphabet::as_ucs2(&[0x1b, 0x65]), [0x20, 0xac]);
    }
}
