//! Files of visitors. The type is read from the bytes. A file whose stated type differs is refused.

use crate::{content::MediaKind, file_type::FileType};

const MIB: usize = 1024 * 1024;
const IMAGE_MAX: usize = 10 * MIB;
const SOUND_MAX: usize = 16 * MIB;
const VIDEO_MAX: usize = 32 * MIB;
const DOCUMENT_MAX: usize = 20 * MIB;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileRefused {
    #[error("the file is empty")]
    Empty,
    #[error(
        "files of this type are not accepted: send JPEG, PNG, GIF, WebP, PDF, DOCX, XLSX, MP4, MP3, M4A, OGG or WAV"
    )]
    UnknownType,
    /// The stated type is not that of the bytes.
    #[error("the declared type of the file is {said}, and its content is {found}")]
    Lies { said: String, found: &'static str },
    #[error("files of the type {mime} may have {most} bytes at most, and this one has {bytes}")]
    TooLarge {
        mime: &'static str,
        /// Limit of the type, in bytes.
        most: usize,
        bytes: usize,
    },
}

pub fn largest_file() -> usize {
    FileType::ALL.into_iter().filter_map(max_bytes).max().unwrap_or_default()
}

/// Most bytes of a file of this type. `None` if visitors may not send it.
fn max_bytes(file: FileType) -> Option<usize> {
    if matches!(file, FileType::Aac | FileType::Amr) {
        return None;
    }
    Some(match file.kind() {
        MediaKind::Image | MediaKind::Sticker => IMAGE_MAX,
        MediaKind::Audio | MediaKind::Voice => SOUND_MAX,
        MediaKind::Video => VIDEO_MAX,
        MediaKind::Document => DOCUMENT_MAX,
    })
}

/// The kind under which a visitor's file is shown. Audio is never a voice message, because uploads do not state that.
pub fn shown_as(file: FileType) -> MediaKind {
    match file.kind() {
        MediaKind::Voice => MediaKind::Audio,
        kind => kind,
    }
}

/// The type of an upload. `said` is its `Content-Type`. A generic type (`application/octet-stream`) fits every file.
pub fn judge_file(bytes: &[u8], said: &str) -> Result<FileType, FileRefused> {
    if bytes.is_empty() {
        return Err(FileRefused::Empty);
    }
    let known = FileType::of(bytes).and_then(|found| Some((found, max_bytes(found)?)));
    let (found, most) = known.ok_or(FileRefused::UnknownType)?;
    if !found.fits(said) {
        let essence = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        return Err(FileRefused::Lies { said: essence, found: found.mime() });
    }
    match bytes.len() <= most {
        true => Ok(found),
        false => Err(FileRefused::TooLarge { mime: found.mime(), most, bytes: bytes.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

    fn judged(bytes: &[u8], said: &str) -> Result<&'static str, FileRefused> {
        judge_file(bytes, said).map(FileType::mime)
    }

    #[test]
    fn the_type_of_a_visitors_file_comes_from_its_bytes() {
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
    fn a_file_that_lies_about_its_type_is_refused() {
        let lies = |said: &str, found| Err(FileRefused::Lies { said: said.to_owned(), found });
        assert_eq!(judged(PNG, "image/jpeg"), lies("image/jpeg", "image/png"));
        assert_eq!(judged(b"%PDF-1.7", "Image/PNG; x=y"), lies("image/png", "application/pdf"));
    }

    #[test]
    fn content_that_a_browser_could_run_is_refused_under_any_name() {
        for said in ["text/html", "image/png", "image/svg+xml", "", "text/plain"] {
            for bytes in [&b"<html><script>1</script>"[..], b"<svg xmlns='x'/>", b"<?xml version='1.0'?>", b"MZ\x90"] {
                assert_eq!(judged(bytes, said), Err(FileRefused::UnknownType));
            }
        }
        assert_eq!(judged(b"", "image/png"), Err(FileRefused::Empty));
        assert_eq!(judged(b"#!AMR\n", "audio/amr"), Err(FileRefused::UnknownType), "a type of agents only");
    }

    #[test]
    fn each_type_has_a_limit_of_its_own() {
        let mut image = PNG.to_vec();
        image.resize(IMAGE_MAX, 0);
        assert!(judged(&image, "image/png").is_ok());
        image.push(0);
        assert!(matches!(judged(&image, "image/png"), Err(FileRefused::TooLarge { most: IMAGE_MAX, .. })));
        assert_eq!(largest_file(), VIDEO_MAX);
    }
}
