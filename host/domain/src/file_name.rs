//! Names of files, in and out, by one rule: the last part of a path, without characters that hide or end something, in
//! every file system, with a true extension.

use url::Url;

use crate::media_type::{extension_for, extension_of, has_extension, is_generic, of_extension};

/// Longest name, in bytes of UTF-8: file systems take 255, Meta takes 240 characters.
pub const NAME_MAX: usize = 240;
/// The stem of a name that is made up.
const STEM: &str = "file";
/// Names that Windows keeps for devices, with any extension.
const DEVICES: &[&str] = &[
    "CON",
    "PRN",
    "AUX",
    "NUL",
    "CONIN$",
    "CONOUT$",
    "COM0",
    "COM1",
    "COM2",
    "COM3",
    "COM4",
    "COM5",
    "COM6",
    "COM7",
    "COM8",
    "COM9",
    "COM\u{b9}",
    "COM\u{b2}",
    "COM\u{b3}",
    "LPT0",
    "LPT1",
    "LPT2",
    "LPT3",
    "LPT4",
    "LPT5",
    "LPT6",
    "LPT7",
    "LPT8",
    "LPT9",
    "LPT\u{b9}",
    "LPT\u{b2}",
    "LPT\u{b3}",
];

/// A name that is fit for use; `None` when nothing is left of it.
pub fn clean(name: &str) -> Option<String> {
    let shown: String = name.chars().filter(|c| is_shown(*c)).collect();
    let plain = last_segment(shown);
    let last = plain.rsplit(['/', '\\']).next().unwrap_or_default();
    let usable: String = last.chars().map(harmless).collect();
    // Windows drops dots and blanks at the end; a dot in front hides the file elsewhere.
    let bare = usable.trim_start_matches(|c: char| c.is_whitespace() || c == '.');
    let bare = shorten(trimmed_end(bare));
    (!bare.is_empty()).then(|| if is_device(&bare) { shorten(&format!("_{bare}")) } else { bare })
}

/// The name that came with a file of this media type, fit for use; `None` when none came.
pub fn given(name: Option<&str>, media_type: &str) -> Option<String> {
    name.and_then(clean).map(|name| of_type(Some(&name), media_type))
}

/// The name of the file that a link ends in, decoded and fit for use; `None` where its end does not look like one.
pub fn of_link(link: &str) -> Option<String> {
    let url = Url::parse(link).ok()?;
    let last = url.path_segments()?.next_back()?;
    let name = clean(&percent_decoded(last))?;
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then_some(name)
}

/// The last part of a link's path, in any form. `None` if the path is empty.
pub fn of_link_end(link: &str) -> Option<String> {
    let url = Url::parse(link).ok()?;
    let last = url.path_segments()?.rfind(|part| !part.is_empty())?;
    clean(&percent_decoded(last))
}

/// The name in a `Content-Disposition` header (RFC 6266): the one that is encoded where there are two.
pub fn of_disposition(header: &str) -> Option<String> {
    let mut plain = None;
    for parameter in header.split(';').skip(1) {
        let Some((name, value)) = parameter.split_once('=') else { continue };
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "filename*" => {
                let (_, encoded) = value.split_once("''")?;
                return clean(&percent_decoded(encoded));
            }
            "filename" => plain = Some(value.trim_matches('"').to_owned()),
            _ => {}
        }
    }
    clean(&plain?)
}

fn percent_decoded(part: &str) -> String {
    // The parser of forms decodes. Characters with a meaning in forms only must not be decoded.
    let form = format!("n={}", part.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(form.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// The name under which a file of this media type is shown or saved: its own, or a made-up one, with an extension that is true.
pub fn of_type(name: Option<&str>, media_type: &str) -> String {
    let cleaned = name.and_then(clean);
    match cleaned {
        Some(name) if is_generic(media_type) => name,
        cleaned => {
            let extension = extension_for(media_type, cleaned.as_deref());
            with_extension(cleaned.as_deref(), &extension, |named| has_extension(media_type, named))
        }
    }
}

pub fn with_known_extension(name: Option<&str>, extension: &str) -> String {
    with_extension(name.and_then(clean).as_deref(), extension, |named| named == extension)
}

/// A cleaned name that ends in `extension`, or in one that `fits`. A false extension is removed.
fn with_extension(name: Option<&str>, extension: &str, fits: impl Fn(&str) -> bool) -> String {
    let name = name.unwrap_or(STEM);
    let is_true = |name: &str| extension_of(name).is_some_and(|named| fits(&named.to_ascii_lowercase()));
    if is_true(name) || extension.is_empty() {
        return name.to_owned();
    }
    let lies = extension_of(name).is_some_and(|named| of_extension(named).is_some() || is_run(named));
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if lies => trimmed_end(stem),
        _ => name,
    };
    // "invoice.pdf.exe" of a PDF.
    if is_true(stem) {
        return stem.to_owned();
    }
    let stem = if stem.is_empty() || stem.eq_ignore_ascii_case(extension) { STEM } else { stem };
    shorten(&format!("{stem}.{extension}"))
}

/// True if a system runs or opens files with this extension as programs.
fn is_run(extension: &str) -> bool {
    const RUN: &[&str] = &[
        "app", "bat", "chm", "cmd", "com", "cpl", "desktop", "gadget", "hta", "inf", "ins", "jnlp", "job", "jse",
        "lnk", "mht", "mhtml", "msc", "msi", "msp", "mst", "php", "pif", "pl", "ps1", "psm1", "py", "rb", "reg", "scf",
        "scr", "sct", "shb", "shtml", "url", "vb", "vbe", "vbs", "vbscript", "wasm", "ws", "wsc", "wsf", "wsh", "xbap",
        "xll",
    ];
    RUN.contains(&extension.to_ascii_lowercase().as_str())
}

/// The name with all spellings of a separator replaced by one, such as `%2F`, also encoded several times.
fn last_segment(name: String) -> String {
    let mut plain = name;
    while let Some(next) = decoded_once(&plain) {
        plain = next;
    }
    plain
}

/// Decodes once; `None` when there is nothing to decode. Each pass makes the name shorter.
fn decoded_once(name: &str) -> Option<String> {
    let mut plain = String::with_capacity(name.len());
    let (mut rest, mut changed) = (name, false);
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        // `%252F` is `%2F`, encoded once more.
        let mut encoded = after;
        while let Some(inner) = encoded.strip_prefix("25") {
            encoded = inner;
        }
        let code = encoded.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
        let behind = code.filter(|byte| matches!(byte, b'/' | b'\\' | 0..0x20 | 0x7f)).and(encoded.get(2..));
        match behind {
            Some(behind) => {
                plain.extend(code.filter(|byte| matches!(byte, b'/' | b'\\')).map(char::from));
                (rest, changed) = (behind, true);
            }
            None => {
                plain.push('%');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    changed.then_some(plain)
}

/// Whether a character may stand in a name: none that controls, turns the writing, or is invisible, except joiners.
fn is_shown(c: char) -> bool {
    !(c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'))
}

/// The replacement of a character that names on Windows cannot have.
fn harmless(c: char) -> char {
    match c {
        '<' | '>' | ':' | '"' | '|' | '?' | '*' => '_',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

fn trimmed_end(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_whitespace() || c == '.')
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    DEVICES.iter().any(|device| stem.to_uppercase() == *device)
}

/// At most [`NAME_MAX`] bytes, cut in front of the extension.
fn shorten(name: &str) -> String {
    if name.len() <= NAME_MAX {
        return name.to_owned();
    }
    let extension = extension_of(name).map(|end| format!(".{end}")).unwrap_or_default();
    let mut end = NAME_MAX - extension.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let (stem, _) = name.split_at(end);
    format!("{}{extension}", trimmed_end(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_last_part_of_a_path_however_that_is_spelled() {
        for (name, plain) in [
            ("../../.ssh/authorized_keys", "authorized_keys"),
            ("C:\\fakepath\\in voice.pdf", "in voice.pdf"),
            ("..\\..\\windows\\system32\\x.dll", "x.dll"),
            ("..%2f..%2Fetc%2Fpasswd", "passwd"),
            ("..%5c..%5Cboot.ini", "boot.ini"),
            ("a%252Fb.pdf", "b.pdf"),
            ("a%25252fb.pdf", "b.pdf"),
            ("/etc/passwd\n", "passwd"),
            ("a/b\\c%2Fd.txt", "d.txt"),
            ("100% sure.pdf", "100% sure.pdf"),
            ("caf\u{e9}.pdf", "caf\u{e9}.pdf"),
            ("50%25.pdf", "50%25.pdf"),
            ("%e4%bd.pdf", "%e4%bd.pdf"),
            ("a%", "a%"),
        ] {
            assert_eq!(clean(name).as_deref(), Some(plain), "{name:?}");
        }
    }

    #[test]
    fn a_name_without_usable_characters_is_none() {
        for none in ["", ".", "..", "...", " ", "a/", "a\\", "a%2F", "\u{7}", "\u{202e}\u{200b}", "/", ". .", "..%2f"] {
            assert_eq!(clean(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_name_has_no_character_that_controls_hides_or_turns_it() {
        for (name, plain) in [
            ("photo\u{202e}gpj.exe", "photogpj.exe"),
            ("a\u{202a}\u{202b}\u{202d}\u{202c}b.pdf", "ab.pdf"),
            ("a\u{2066}\u{2067}\u{2068}\u{2069}b.pdf", "ab.pdf"),
            ("a\u{200e}\u{200f}\u{61c}b.pdf", "ab.pdf"),
            ("a\0b\r\nc\u{7f}\u{9b}.pdf", "abc.pdf"),
            ("a%00b%0d%0Ac.pdf", "abc.pdf"),
            ("a\u{200b}\u{2060}\u{feff}b\u{2028}\u{2029}.pdf", "ab.pdf"),
            (
                "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}.pdf",
                "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}.pdf",
            ),
        ] {
            assert_eq!(clean(name).as_deref(), Some(plain), "{name:?}");
        }
    }

    #[test]
    fn a_name_can_be_saved_on_windows() {
        for (name, plain) in [
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("Com1.tar.gz", "_Com1.tar.gz"),
            ("LPT\u{b9}.pdf", "_LPT\u{b9}.pdf"),
            ("aux .pdf", "_aux .pdf"),
            ("console.pdf", "console.pdf"),
            ("report.pdf. . ", "report.pdf"),
            ("report.pdf...", "report.pdf"),
            ("a:b<c>d|e?f*g\".pdf", "a_b_c_d_e_f_g_.pdf"),
            (".htaccess", "htaccess"),
        ] {
            assert_eq!(clean(name).as_deref(), Some(plain), "{name:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_in_bytes_and_keeps_its_extension() {
        let whole = format!("{}.pdf", "a".repeat(NAME_MAX - 4));
        assert_eq!(clean(&whole), Some(whole.clone()));
        assert_eq!(clean(&format!("a{whole}")), Some(whole));
        for letter in ["\u{e9}", "\u{4f60}", "\u{1f600}"] {
            let cut = clean(&format!("{}.docx", letter.repeat(300))).unwrap();
            assert!(
                cut.len() <= NAME_MAX && cut.len() > NAME_MAX - 8 && cut.ends_with(&format!("{letter}.docx")),
                "{cut}"
            );
        }
        let without = clean(&"\u{e9}".repeat(300)).unwrap();
        assert_eq!(without.len(), NAME_MAX);
        let odd = clean(&format!("a.{}", "b".repeat(400))).unwrap();
        assert_eq!(odd.len(), NAME_MAX);
    }

    #[test]
    fn the_extension_follows_the_type_of_the_file() {
        for (name, media_type, expected) in [
            (Some("x.html"), "image/gif", "x.gif"),
            (Some("\u{202e}gpj.exe"), "image/jpeg", "gpj.jpg"),
            (Some("invoice.pdf.exe"), "application/pdf", "invoice.pdf"),
            (Some("invoice.pdf.scr"), "image/png", "invoice.pdf.png"),
            (Some("photo.JPEG"), "image/jpeg", "photo.JPEG"),
            (Some("report.v2"), "application/pdf", "report.v2.pdf"),
            (Some("Price list"), "application/pdf", "Price list.pdf"),
            (Some(".pdf"), "application/pdf", "file.pdf"),
            (Some("../.."), "application/pdf", "file.pdf"),
            (Some("a.pdf "), "application/pdf", "a.pdf"),
            (Some("sheet.xls"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "sheet.xlsx"),
            (Some("drawing.dwg"), "application/octet-stream", "drawing.dwg"),
            (Some("README"), "application/octet-stream", "README"),
            (None, "application/vnd.ms-excel", "file.xls"),
            (None, "", "file.bin"),
        ] {
            assert_eq!(of_type(name, media_type), expected, "{name:?} {media_type}");
        }
        assert_eq!(with_known_extension(Some("x.html"), "gif"), "x.gif");
        assert_eq!(with_known_extension(None, "pdf"), "file.pdf");
        assert_eq!(with_known_extension(Some("old name"), ""), "old name");
    }

    #[test]
    fn a_link_that_ends_in_a_name_gives_it() {
        for (link, name) in [
            ("https://files.example/terms.pdf", Some("terms.pdf")),
            ("https://files.example/a/Offer%202026%20caf%C3%A9.pdf?sig=1#top", Some("Offer 2026 caf\u{e9}.pdf")),
            ("https://files.example/a%2F..%2Fb.pdf", Some("b.pdf")),
            ("https://files.example/%E2%80%AEfdp.exe", Some("fdp.exe")),
            ("https://files.example/a+b&c.pdf", Some("a+b&c.pdf")),
            ("https://files.example/download", None),
            ("https://files.example", None),
            ("https://files.example/", None),
            ("https://files.example/.pdf", None),
            ("not a link", None),
        ] {
            assert_eq!(of_link(link).as_deref(), name, "{link}");
        }
    }

    #[test]
    fn a_header_gives_the_name_that_it_has() {
        for (header, name) in [
            ("attachment; filename=\"price list.pdf\"", Some("price list.pdf")),
            ("attachment; filename=list.pdf", Some("list.pdf")),
            ("inline; filename=\"a.pdf\"; filename*=UTF-8''caf%C3%A9.pdf", Some("caf\u{e9}.pdf")),
            ("attachment; filename=\"../../x.pdf\"", Some("x.pdf")),
            ("attachment", None),
            ("attachment; filename=\"\"", None),
            ("", None),
        ] {
            assert_eq!(of_disposition(header).as_deref(), name, "{header}");
        }
        assert_eq!(of_link_end("https://a.example/files/4711/?x=1").as_deref(), Some("4711"));
        assert_eq!(of_link_end("https://a.example"), None);
    }

    #[test]
    fn a_long_name_with_another_extension_stays_within_the_limit() {
        let name = of_type(Some(&format!("{}.exe", "n".repeat(300))), "image/jpeg");
        assert!(name.len() <= NAME_MAX && name.ends_with("n.jpg"), "{name}");
    }

    #[test]
    fn cleaning_a_clean_name_changes_nothing() {
        for name in [
            "CON.pdf",
            "..%2f..%2Fx.pdf",
            "a%2525252F%2Fb%.pdf",
            "  .a. .pdf . ",
            "\u{202e}gpj.exe",
            "%25%32%46x",
            "a%2%00Fb",
            "a%2\u{200b}Fb",
        ] {
            let once = clean(name).unwrap();
            assert_eq!(clean(&once), Some(once.clone()), "{name:?}");
        }
    }
}
