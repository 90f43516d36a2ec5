//! Files that visitors send: what they are is read from their bytes, and whoever says otherwise is refused.

use crate::content::MediaKind;

/// A type of file that visitors may send (SPEC 2.8).
#[derive(Debug, PartialEq, Eq)]
pub struct FileType {
    /// The MIME type that it is given out as.
    pub mime: &'static str,
    /// Usual extension, without the dot.
    pub extension: &'static str,
    /// How it is shown.
    pub kind: MediaKind,
    /// Bytes at most.
    pub max_bytes: usize,
    /// Other names under which browsers send it.
    aliases: &'static [&'static str],
}

const MIB: usize = 1024 * 1024;
const IMAGE_MAX: usize = 10 * MIB;
const SOUND_MAX: usize = 16 * MIB;
const VIDEO_MAX: usize = 32 * MIB;
const DOCUMENT_MAX: usize = 20 * MIB;

const fn file(
    mime: &'static str,
    extension: &'static str,
    (kind, max_bytes): (MediaKind, usize),
    aliases: &'static [&'static str],
) -> FileType {
    FileType { mime, extension, kind, max_bytes, aliases }
}

const IMAGE: (MediaKind, usize) = (MediaKind::Image, IMAGE_MAX);
const SOUND: (MediaKind, usize) = (MediaKind::Audio, SOUND_MAX);
const VIDEO: (MediaKind, usize) = (MediaKind::Video, VIDEO_MAX);
const DOCUMENT: (MediaKind, usize) = (MediaKind::Document, DOCUMENT_MAX);

/// All of them. What a browser could run under our name (HTML, SVG, XML, scripts) is not among them.
pub static FILE_TYPES: [FileType; 12] = [
    file("image/jpeg", "jpg", IMAGE, &["image/jpg"]),
    file("image/png", "png", IMAGE, &[]),
    file("image/gif", "gif", IMAGE, &[]),
    file("image/webp", "webp", IMAGE, &[]),
    file("application/pdf", "pdf", DOCUMENT, &[]),
    file("video/mp4", "mp4", VIDEO, &[]),
    file("audio/mp4", "m4a", SOUND, &["audio/x-m4a", "audio/m4a"]),
    file("audio/mpeg", "mp3", SOUND, &["audio/mp3"]),
    file("audio/ogg", "ogg", SOUND, &["application/ogg", "audio/opus"]),
    file("audio/wav", "wav", SOUND, &["audio/x-wav", "audio/wave", "audio/vnd.wave"]),
    file("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx", DOCUMENT, &[]),
    file("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", DOCUMENT, &[]),
];

/// Why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileRefused {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// None of the types.
    #[error("files of this type are not taken: send JPEG, PNG, GIF, WebP, PDF, DOCX, XLSX, MP4, MP3, M4A, OGG or WAV")]
    UnknownType,
    /// It is not what it is called.
    #[error("the file says that it is {said}, and is {found}")]
    Lies {
        /// What the upload says.
        said: String,
        /// What the bytes say.
        found: &'static str,
    },
    /// Larger than its type may be.
    #[error("files of the type {mime} may have {most} bytes at most, and this one has {bytes}")]
    TooLarge {
        /// The type.
        mime: &'static str,
        /// The limit.
        most: usize,
        /// Its size.
        bytes: usize,
    },
}

impl FileType {
    /// Bytes of a file at most, whatever its type.
    pub fn largest() -> usize {
        FILE_TYPES.iter().map(|known| known.max_bytes).max().unwrap_or_default()
    }

    /// The type of a file, read from its bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<&'static Self> {
        let named = |extension: &str| FILE_TYPES.iter().find(|known| known.extension == extension);
        named(extension_of(bytes)?)
    }

    /// The type with this MIME type.
    pub fn of_mime(mime: &str) -> Option<&'static Self> {
        FILE_TYPES.iter().find(|known| known.mime == mime)
    }

    /// The type of an upload. `said`: its `Content-Type`; one that says nothing (`application/octet-stream`) cannot lie.
    pub fn judge(bytes: &[u8], said: &str) -> Result<&'static Self, FileRefused> {
        if bytes.is_empty() {
            return Err(FileRefused::Empty);
        }
        let found = Self::of_bytes(bytes).ok_or(FileRefused::UnknownType)?;
        let essence = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let says_nothing = essence.is_empty() || essence == "application/octet-stream";
        if !says_nothing && essence != found.mime && !found.aliases.contains(&essence.as_str()) {
            return Err(FileRefused::Lies { said: essence, found: found.mime });
        }
        match bytes.len() <= found.max_bytes {
            true => Ok(found),
            false => Err(FileRefused::TooLarge { mime: found.mime, most: found.max_bytes, bytes: bytes.len() }),
        }
    }
}

fn extension_of(bytes: &[u8]) -> Option<&'static str> {
    let part = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
    Some(match bytes {
        [0xff, 0xd8, 0xff, ..] => "jpg",
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => "png",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "gif",
        [b'R', b'I', b'F', b'F', ..] if part(8, 12) == b"WEBP" => "webp",
        [b'R', b'I', b'F', b'F', ..] if part(8, 12) == b"WAVE" => "wav",
        [b'%', b'P', b'D', b'F', b'-', ..] => "pdf",
        [b'O', b'g', b'g', b'S', ..] => "ogg",
        [b'I', b'D', b'3', ..] => "mp3",
        // A frame of MPEG audio, layer III.
        [0xff, 0xfb | 0xf3 | 0xf2, ..] => "mp3",
        _ if part(4, 8) == b"ftyp" => match part(8, 12) {
            b"M4A " | b"M4B " => "m4a",
            b"isom" | b"iso2" | b"iso4" | b"iso5" | b"iso6" | b"mp41" | b"mp42" | b"avc1" | b"M4V " | b"dash" => "mp4",
            _ => return None,
        },
        [b'P', b'K', 3, 4, ..] => office(bytes)?,
        _ => return None,
    })
}

/// Which of the office formats a ZIP archive is, by the names of what is in it.
fn office(bytes: &[u8]) -> Option<&'static str> {
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    if !has(b"[Content_Types].xml") || has(b"vbaProject.bin") {
        return None;
    }
    match (has(b"word/document.xml"), has(b"xl/workbook.xml")) {
        (true, false) => Some("docx"),
        (false, true) => Some("xlsx"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

    fn judged(bytes: &[u8], said: &str) -> Result<&'static str, FileRefused> {
        FileType::judge(bytes, said).map(|found| found.mime)
    }

    #[test]
    fn a_file_is_what_its_bytes_say() {
        for (bytes, mime) in [
            (PNG, "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
            (b"%PDF-1.7", "application/pdf"),
            (b"\0\0\0\x18ftypmp42", "video/mp4"),
            (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
            (b"ID3\x04", "audio/mpeg"),
            (b"OggS", "audio/ogg"),
        ] {
            assert_eq!(judged(bytes, ""), Ok(mime));
            assert_eq!(judged(bytes, mime), Ok(mime));
            assert_eq!(judged(bytes, "application/octet-stream"), Ok(mime));
        }
    }

    #[test]
    fn office_documents_are_told_from_other_archives_and_have_no_macros() {
        let zip = |names: &[&str]| [b"PK\x03\x04".as_slice(), names.join("|").as_bytes()].concat();
        let types = "[Content_Types].xml";
        assert_eq!(FileType::of_bytes(&zip(&[types, "word/document.xml"])).unwrap().extension, "docx");
        assert_eq!(FileType::of_bytes(&zip(&[types, "xl/workbook.xml"])).unwrap().extension, "xlsx");
        for other in
            [&[types, "ppt/presentation.xml"][..], &["x.html"], &[types, "word/document.xml", "vbaProject.bin"]]
        {
            assert_eq!(FileType::of_bytes(&zip(other)), None);
        }
    }

    #[test]
    fn a_file_that_lies_about_its_type_is_refused() {
        let lies = |said: &str, found| Err(FileRefused::Lies { said: said.to_owned(), found });
        assert_eq!(judged(PNG, "image/jpeg"), lies("image/jpeg", "image/png"));
        assert_eq!(judged(b"%PDF-1.7", "Image/PNG; x=y"), lies("image/png", "application/pdf"));
    }

    #[test]
    fn what_a_browser_could_run_is_no_file_whatever_it_is_called() {
        for said in ["text/html", "image/png", "image/svg+xml", "", "text/plain"] {
            for bytes in [&b"<html><script>1</script>"[..], b"<svg xmlns='x'/>", b"<?xml version='1.0'?>", b"MZ\x90"] {
                assert_eq!(judged(bytes, said), Err(FileRefused::UnknownType));
            }
        }
        assert_eq!(judged(b"", "image/png"), Err(FileRefused::Empty));
    }

    #[test]
    fn each_type_has_a_limit_of_its_own() {
        let mut image = PNG.to_vec();
        image.resize(IMAGE_MAX, 0);
        assert!(judged(&image, "image/png").is_ok());
        image.push(0);
        assert!(matches!(judged(&image, "image/png"), Err(FileRefused::TooLarge { most: IMAGE_MAX, .. })));
        assert_eq!(FileType::largest(), VIDEO_MAX);
    }
}
