//! What a file is, judged by its bytes and not by what somebody says it is (SPEC 2.8, PROVIDERS A.6).

use super::ContentType;
use crate::content::MediaKind;

/// A type of file that chats carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileType {
    /// `image/jpeg`.
    Jpeg,
    /// `image/png`.
    Png,
    /// `image/gif`.
    Gif,
    /// `application/pdf`.
    Pdf,
    /// A Word document.
    Docx,
    /// An Excel sheet.
    Xlsx,
    /// `video/mp4`.
    Mp4,
    /// `audio/mpeg`.
    Mp3,
    /// `audio/mp4`.
    M4a,
    /// `audio/aac`.
    Aac,
    /// `audio/amr`.
    Amr,
    /// Opus in Ogg: a voice note.
    Opus,
}

const MIB: u64 = 1024 * 1024;

impl FileType {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Jpeg,
        Self::Png,
        Self::Gif,
        Self::Pdf,
        Self::Docx,
        Self::Xlsx,
        Self::Mp4,
        Self::Mp3,
        Self::M4a,
        Self::Aac,
        Self::Amr,
        Self::Opus,
    ];

    /// The type of a file; `None` when it is none of these.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let begins = |with: &[u8]| bytes.starts_with(with);
        let at = |place: usize, what: &[u8]| bytes.get(place..place + what.len()) == Some(what);
        if begins(&[0xff, 0xd8, 0xff]) {
            return Some(Self::Jpeg);
        }
        if begins(b"\x89PNG\r\n\x1a\n") {
            return Some(Self::Png);
        }
        if begins(b"GIF87a") || begins(b"GIF89a") {
            return Some(Self::Gif);
        }
        if begins(b"%PDF-") {
            return Some(Self::Pdf);
        }
        if begins(b"PK\x03\x04") {
            let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
            return if has(b"word/document.xml") {
                Some(Self::Docx)
            } else if has(b"xl/workbook.xml") {
                Some(Self::Xlsx)
            } else {
                None
            };
        }
        if at(4, b"ftyp") {
            return Some(if at(8, b"M4A ") || at(8, b"M4B ") { Self::M4a } else { Self::Mp4 });
        }
        if begins(b"#!AMR") {
            return Some(Self::Amr);
        }
        if begins(b"OggS") {
            return at(28, b"OpusHead").then_some(Self::Opus);
        }
        if begins(b"ID3") {
            return Some(Self::Mp3);
        }
        // Frames of MPEG audio begin with eleven set bits; layer bits of zero are those of AAC.
        match bytes {
            [0xff, second, ..] if second & 0xf6 == 0xf0 => Some(Self::Aac),
            [0xff, second, ..] if second & 0xe0 == 0xe0 && second & 0x06 != 0 => Some(Self::Mp3),
            _ => None,
        }
    }

    /// MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Mp4 => "video/mp4",
            Self::Mp3 => "audio/mpeg",
            Self::M4a => "audio/mp4",
            Self::Aac => "audio/aac",
            Self::Amr => "audio/amr",
            Self::Opus => "audio/ogg",
        }
    }

    /// The type of a MIME type that we gave out.
    pub fn of_mime(mime: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.mime() == mime)
    }

    /// Extension of its name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Mp4 => "mp4",
            Self::Mp3 => "mp3",
            Self::M4a => "m4a",
            Self::Aac => "aac",
            Self::Amr => "amr",
            Self::Opus => "ogg",
        }
    }

    /// How it is shown.
    pub fn kind(self) -> MediaKind {
        match self {
            Self::Jpeg | Self::Png | Self::Gif => MediaKind::Image,
            Self::Pdf | Self::Docx | Self::Xlsx => MediaKind::Document,
            Self::Mp4 => MediaKind::Video,
            Self::Mp3 | Self::M4a | Self::Aac | Self::Amr => MediaKind::Audio,
            Self::Opus => MediaKind::Voice,
        }
    }

    /// The content type of a message that is this file.
    pub fn content_type(self) -> ContentType {
        ContentType::of_media(self.kind())
    }

    /// Bytes that it may have.
    pub fn most_bytes(self) -> u64 {
        match self.kind() {
            MediaKind::Image | MediaKind::Sticker => 5 * MIB,
            MediaKind::Video | MediaKind::Audio | MediaKind::Voice => 16 * MIB,
            MediaKind::Document => 100 * MIB,
        }
    }

    /// Whether what somebody says of a file fits: nothing, anything, or its own family. `declared`: a MIME type.
    pub fn fits(self, declared: &str) -> bool {
        let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let family = |mime: &str| mime.split('/').next().unwrap_or_default().to_owned();
        match essence.as_str() {
            "" | "application/octet-stream" | "binary/octet-stream" => true,
            // Recorders name the container by its first use.
            "video/mp4" | "audio/mp4" => matches!(self, Self::Mp4 | Self::M4a),
            "application/zip" => matches!(self, Self::Docx | Self::Xlsx),
            mime if mime.starts_with("application/") && self != Self::Opus => mime == self.mime(),
            "application/ogg" => self == Self::Opus,
            mime => family(mime) == family(self.mime()) && (family(mime) == "audio" || mime_matches(mime, self)),
        }
    }
}

/// `image/jpg` is no type, and everybody writes it.
fn mime_matches(mime: &str, kind: FileType) -> bool {
    mime == kind.mime() || (mime == "image/jpg" && kind == FileType::Jpeg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let ftyp = |brand: &[u8]| [b"\0\0\0\x18ftyp", brand].concat();
        let ogg = |head: &[u8]| [b"OggS".as_slice(), &[0; 24], head].concat();
        let cases: [(Vec<u8>, Option<FileType>); 16] = [
            (vec![0xff, 0xd8, 0xff, 0xe0], Some(FileType::Jpeg)),
            (b"\x89PNG\r\n\x1a\nrest".to_vec(), Some(FileType::Png)),
            (b"GIF89a..".to_vec(), Some(FileType::Gif)),
            (b"%PDF-1.7".to_vec(), Some(FileType::Pdf)),
            (b"PK\x03\x04....word/document.xml".to_vec(), Some(FileType::Docx)),
            (b"PK\x03\x04....xl/workbook.xml".to_vec(), Some(FileType::Xlsx)),
            (b"PK\x03\x04....evil.exe".to_vec(), None),
            (ftyp(b"isom"), Some(FileType::Mp4)),
            (ftyp(b"M4A "), Some(FileType::M4a)),
            (ogg(b"OpusHead"), Some(FileType::Opus)),
            (ogg(b"\x01vorbis"), None),
            (vec![0xff, 0xfb, 0x90], Some(FileType::Mp3)),
            (vec![0xff, 0xf1, 0x50], Some(FileType::Aac)),
            (b"<html><script>".to_vec(), None),
            (b"<svg xmlns=".to_vec(), None),
            (b"MZ\x90".to_vec(), None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(FileType::of(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
        }
        assert_eq!(FileType::of(b""), None);
    }

    #[test]
    fn what_is_said_of_a_file_must_be_true() {
        assert!(FileType::Png.fits("") && FileType::Png.fits("application/octet-stream"));
        assert!(FileType::Png.fits("image/png; x=y") && !FileType::Png.fits("image/jpeg"));
        assert!(FileType::Jpeg.fits("image/jpg"));
        assert!(!FileType::Pdf.fits("image/png") && !FileType::Png.fits("application/pdf"));
        assert!(FileType::Opus.fits("audio/ogg") && FileType::M4a.fits("video/mp4"));
        assert!(FileType::Docx.fits("application/zip") && !FileType::Pdf.fits("application/zip"));
    }

    #[test]
    fn every_type_is_found_again_by_its_mime_type() {
        for kind in FileType::ALL {
            assert_eq!(FileType::of_mime(kind.mime()), Some(kind));
            assert!(kind.fits(kind.mime()));
        }
    }
}
