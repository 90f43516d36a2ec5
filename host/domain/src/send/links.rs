use std::borrow::Cow;

use url::Url;

/// Longest address of a file, in characters.
const LINK_MAX: usize = 2_048;

/// The address of a file: an absolute `http` or `https` URL with a host and without a password, trimmed. Letters
/// outside ASCII are encoded. The error names the fault.
pub fn read(link: &str) -> Result<Cow<'_, str>, &'static str> {
    let link = link.trim_matches(is_around);
    if link.chars().count() > LINK_MAX {
        return Err("has more than 2048 characters, which the provider does not take");
    }
    if link.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("has a space, a line break or a control character; write %20 for a space");
    }
    let url = Url::parse(link).map_err(|_| "is not an address; give an absolute http or https URL")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must be an http or https URL");
    }
    // The URL parser also accepts `https:host` and `https:\\host`.
    let begins = |scheme: &str| link.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if !(begins("http://") || begins("https://")) || link.contains('\\') {
        return Err("must be an http or https URL, with // after its scheme and no backslash");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or password");
    }
    if url.port() == Some(0) || url.host_str().is_none_or(|host| host.trim_matches('.').is_empty()) {
        return Err("names no host that can be called");
    }
    Ok(if link.bytes().all(is_plain) { Cow::Borrowed(link) } else { Cow::Owned(url.into()) })
}

/// Characters that are removed from both ends: white space and invisible ones.
fn is_around(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// True if a byte of an address needs no encoding: more bytes than in RFC 3986, because all providers accept them.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'|' | b'^')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_left_around_a_link_by_copying_are_removed() {
        let link = "https://a.example/a.jpg?x=1#y";
        for around in ["", " ", "\t", "\n", "\r\n", "\u{a0}", "\u{feff}", "\u{200b}", "\u{2028}", " \t\r\n", "\0"] {
            assert_eq!(read(&format!("{around}{link}{around}")).as_deref(), Ok(link), "{around:?}");
        }
    }

    #[test]
    fn a_link_stays_as_typed_except_for_characters_that_need_encoding() {
        for (typed, read_as) in [
            ("https://a.example", "https://a.example"),
            ("HTTPS://A.example/B.JPG", "HTTPS://A.example/B.JPG"),
            ("https://a.example/a%20b.pdf?sig=a%2Fb+c==", "https://a.example/a%20b.pdf?sig=a%2Fb+c=="),
            ("https://a.example/caf\u{e9}.pdf", "https://a.example/caf%C3%A9.pdf"),
            ("https://b\u{fc}cher.example/a.jpg", "https://xn--bcher-kva.example/a.jpg"),
        ] {
            assert_eq!(read(typed).as_deref(), Ok(read_as));
        }
    }

    #[test]
    fn an_invalid_link_is_refused() {
        for wrong in [
            "",
            " ",
            "a.jpg",
            "/a.jpg",
            "//a.example/a.jpg",
            "a.example/a.jpg",
            "ftp://a.example/a.jpg",
            "data:image/png;base64,AA",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https:a.example/a.jpg",
            "https:/a.example/a.jpg",
            "https:\\\\a.example\\a.jpg",
            "https://a.example\\a.jpg",
            "https://",
            "https://.",
            "https://a.example:0/a.jpg",
            "https://a.example:99999/a.jpg",
            "https://u:p@a.example/a.jpg",
            "https://u@a.example/a.jpg",
            "https://a.example/a b.jpg",
            "https://a.example/a\tb.jpg",
            "https://a.example/a\nb.jpg",
            "https://a.ex ample/a.jpg",
            "https://a.example/a.jpg https://b.example/b.jpg",
            "\"https://a.example/a.jpg\"",
            "<https://a.example/a.jpg>",
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        let longest = format!("https://a.example/{}", "a".repeat(LINK_MAX - 18));
        assert!(read(&longest).is_ok() && read(&format!("{longest}a")).is_err());
    }
}
