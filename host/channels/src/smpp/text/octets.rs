/// Text of octets that may be data: only if each is a printable ASCII character.
pub(super) fn plain(octets: &[u8]) -> Option<String> {
    let is_text = octets.iter().all(|octet| matches!(octet, 0x20..=0x7e | b'\t' | b'\n' | b'\r'));
    is_text.then(|| ascii(octets))
}

pub(super) fn ascii(octets: &[u8]) -> String {
    octets.iter().map(|octet| if octet.is_ascii() { char::from(*octet) } else { char::REPLACEMENT_CHARACTER }).collect()
}
