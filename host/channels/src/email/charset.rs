//! The character set of a part of a mail. The declared one is often wrong.

use mail_parser::{
    Encoding, Message, MessagePart, MimeHeaders,
    decoders::{base64::base64_decode, charsets::map::charset_decoder, quoted_printable::quoted_printable_decode},
};

/// Bytes in which a page may declare its character set. Browsers read 1,024, and mail programs write long heads.
const HEAD: usize = 4_096;
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16_MARKS: [(&[u8], &[u8]); 2] = [(b"\xff\xfe", b"utf-16le"), (b"\xfe\xff", b"utf-16be")];

pub(super) fn strip_mark(raw: &[u8]) -> &[u8] {
    raw.strip_prefix(UTF8_MARK).unwrap_or(raw)
}

/// Returns the text of a part, for HTML its source; `None` if its transfer encoding is broken.
pub(super) fn text(message: &Message<'_>, part: &MessagePart<'_>, is_html: bool) -> Option<String> {
    let place = usize::try_from(part.offset_body).ok()?..usize::try_from(part.offset_end).ok()?;
    let stored = message.raw_message.get(place)?;
    let bytes = match part.encoding {
        Encoding::None => stored.to_vec(),
        Encoding::QuotedPrintable => quoted_printable_decode(stored)?,
        Encoding::Base64 => base64_decode(stored)?,
    };
    let label = part.content_type().and_then(|kind| kind.attribute("charset"));
    Some(decoded(&bytes, label.unwrap_or_default().trim(), is_html))
}

/// In this order: a byte order mark; valid UTF-8 beyond ASCII; the label; the declaration of a page. For character sets
/// that are written in ASCII (ISO-2022-JP) the label counts.
fn decoded(bytes: &[u8], label: &str, is_html: bool) -> String {
    if let Some(rest) = bytes.strip_prefix(UTF8_MARK) {
        return String::from_utf8_lossy(rest).into_owned();
    }
    for (mark, charset) in UTF16_MARKS {
        if let (Some(rest), Some(decode)) = (bytes.strip_prefix(mark), charset_decoder(charset)) {
            return decode(rest);
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.is_ascii()
    {
        return text.to_owned();
    }
    let said = match label {
        label if !says_nothing(label) => Some(label.to_owned()),
        _ if is_html => said_by_page(bytes),
        _ => None,
    };
    // A page in UTF-16 could not have been read this far, so its declaration is wrong.
    let said = said.filter(|said| !(is_html && says_nothing(label) && said.to_ascii_lowercase().starts_with("utf-16")));
    match charset_decoder(said.as_deref().unwrap_or(label).as_bytes()) {
        Some(decode) => decode(bytes).trim_start_matches('\u{feff}').to_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// True if a label is absent, unknown, or ASCII, which programs write by default.
fn says_nothing(label: &str) -> bool {
    ["us-ascii", "ascii"].iter().any(|ascii| label.eq_ignore_ascii_case(ascii))
        || label.is_empty()
        || charset_decoder(label.as_bytes()).is_none()
}

/// The character set of a `meta` tag, in either of its forms.
fn said_by_page(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes)).to_ascii_lowercase();
    head.split("<meta").skip(1).find_map(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let ends = |one: char| one.is_whitespace() || "\"';/".contains(one);
        let name = value.split(ends).next()?;
        charset_decoder(name.as_bytes()).is_some().then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::decoded;

    const GREEK: &[u8] = b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1";

    fn page(meta: &str) -> String {
        let page = [format!("<html><head>{meta}</head><p>").as_bytes(), GREEK].concat();
        decoded(&page, "", true)
    }

    #[test]
    fn an_html_page_declares_its_character_set_in_either_form() {
        for meta in [
            "<meta charset=\"iso-8859-7\">",
            "<META CHARSET = 'ISO-8859-7'/>",
            "<meta charset=iso-8859-7>",
            "<meta name=\"x\" content=\"y\"><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-7\" />",
        ] {
            assert!(page(meta).ends_with("Καλημέρα"), "{meta}: {}", page(meta));
        }
        assert!(page("<meta charset=\"none-such\">").contains('\u{fffd}'));
        let labelled = decoded(&[b"<meta charset=koi8-r>".as_slice(), GREEK].concat(), "iso-8859-7", true);
        assert!(labelled.ends_with("Καλημέρα"), "the label of the mail wins: {labelled}");
        let ascii = decoded(&[b"<meta charset=iso-8859-7>".as_slice(), GREEK].concat(), "us-ascii", true);
        assert!(ascii.ends_with("Καλημέρα"), "{ascii}");
        let text = decoded(&[b"<meta charset=iso-8859-7>".as_slice(), GREEK].concat(), "", false);
        assert!(text.contains('\u{fffd}'), "plain text is no page: {text}");
    }

    #[test]
    fn valid_utf_8_wins_over_the_label() {
        for label in ["iso-8859-1", "windows-1252", "us-ascii", "none-such", "", "gbk", "utf-16"] {
            assert_eq!(decoded("Grüße 🎉".as_bytes(), label, false), "Grüße 🎉", "{label}");
        }
        assert_eq!(decoded(b"Gr\xfc\xdfe", "iso-8859-1", false), "Grüße");
        assert_eq!(decoded(b"Gr\xfc\xdfe", "utf-8", false), "Gr\u{fffd}\u{fffd}e");
        assert_eq!(decoded(b"\x1b$BF|K\\\x1b(B", "iso-2022-jp", false), "日本");
        assert_eq!(decoded(b"plain", "", false), "plain");
    }

    #[test]
    fn a_byte_order_mark_names_the_encoding_and_is_not_text() {
        assert_eq!(decoded(b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe", "iso-8859-1", false), "Grüße");
        assert_eq!(decoded(b"\xef\xbb\xbfSTOP", "", false), "STOP");
        assert_eq!(decoded(b"\xff\xfeH\x00i\x00", "", false), "Hi");
        assert_eq!(decoded(b"\xfe\xff\x00H\x00i", "utf-16", false), "Hi");
    }
}
