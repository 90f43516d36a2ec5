//! What a file is, judged by its bytes and not by what somebody says it is (SPEC 2.8, PROVIDERS A.6). One list of types: which of them
//! agents and visitors may send, and how large, is said in `chat` and `web_chat`. What a browser could run under our name (HTML, SVG,
//! XML, scripts) is not among them.

use crate::content::MediaKind;

/// A type of file that chats know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileType {
    /// `image/jpeg`.
    Jpeg,
    /// `image/png`.
    Png,
    /// `image/gif`.
    Gif,
    /// `image/webp`.
    Webp,
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
    /// Any other sound in Ogg.
    Ogg,
    /// `audio/wav`.
    Wav,
}

impl FileType {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Jpeg,
        Self::Png,
        Self::Gif,
        Self::Webp,
        Self::Pdf,
        Self::Docx,
        Self::Xlsx,
        Self::Mp4,
        Self::Mp3,
        Self::M4a,
        Self::Aac,
        Self::Amr,
        Self::Opus,
        Self::Ogg,
        Self::Wav,
    ];

    /// The type of a file; `None` when it is none of these.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let part = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', ..] if part(8, 12) == b"WEBP" => Some(Self::Webp),
            [b'R', b'I', b'F', b'F', ..] if part(8, 12) == b"WAVE" => Some(Self::Wav),
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Self::Pdf),
            [b'P', b'K', 3, 4, ..] => office(bytes),
            [b'#', b'!', b'A', b'M', b'R', ..] => Some(Self::Amr),
            [b'O', b'g', b'g', b'S', ..] => Some(if part(28, 36) == b"OpusHead" { Self::Opus } else { Self::Ogg }),
            [b'I', b'D', b'3', ..] => Some(Self::Mp3),
            // Frames of MPEG audio, layer III; layer bits of zero are those of AAC.
            [0xff, 0xfa | 0xfb | 0xf2 | 0xf3 | 0xe2 | 0xe3, ..] => Some(Self::Mp3),
            [0xff, second, ..] if second & 0xf6 == 0xf0 => Some(Self::Aac),
            _ if part(4, 8) == b"ftyp" => container(part(8, 12)),
            _ => None,
        }
    }

    /// MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Mp4 => "video/mp4",
            Self::Mp3 => "audio/mpeg",
            Self::M4a => "audio/mp4",
            Self::Aac => "audio/aac",
            Self::Amr => "audio/amr",
            Self::Opus | Self::Ogg => "audio/ogg",
            Self::Wav => "audio/wav",
        }
    }

    /// The type of a MIME type that we gave out; of a sound in Ogg, a voice note.
    pub fn of_mime(mime: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.mime() == mime)
    }

    /// Extension of its name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Webp => "webp",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Mp4 => "mp4",
            Self::Mp3 => "mp3",
            Self::M4a => "m4a",
            Self::Aac => "aac",
            Self::Amr => "amr",
            Self::Opus | Self::Ogg => "ogg",
            Self::Wav => "wav",
        }
    }

    /// How it is shown.
    pub fn kind(self) -> MediaKind {
        match self {
            Self::Jpeg | Self::Png | Self::Gif | Self::Webp => MediaKind::Image,
            Self::Pdf | Self::Docx | Self::Xlsx => MediaKind::Document,
            Self::Mp4 => MediaKind::Video,
            Self::Mp3 | Self::M4a | Self::Aac | Self::Amr | Self::Ogg | Self::Wav => MediaKind::Audio,
            Self::Opus => MediaKind::Voice,
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
            "application/ogg" => matches!(self, Self::Opus | Self::Ogg),
            mime if mime.starts_with("application/") => mime == self.mime(),
            mime => family(mime) == family(self.mime()) && (family(mime) == "audio" || mime_matches(mime, self)),
        }
    }
}

/// `image/jpg` is no type, and everybody writes it.
fn mime_matches(mime: &str, kind: FileType) -> bool {
    mime == kind.mime() || (mime == "image/jpg" && kind == FileType::Jpeg)
}

/// What a file in the container of MPEG-4 is, by its brand.
fn container(brand: &[u8]) -> Option<FileType> {
    match brand {
        b"M4A " | b"M4B " => Some(FileType::M4a),
        b"isom" | b"iso2" | b"iso3" | b"iso4" | b"iso5" | b"iso6" | b"mp41" | b"mp42" | b"avc1" | b"M4V " | b"MSNV"
        | b"dash" => Some(FileType::Mp4),
        _ => None,
    }
}

/// Which of the office formats a ZIP archive is, by the names of what is in it.
fn office(bytes: &[u8]) -> Option<FileType> {
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    if !has(b"[Content_Types].xml") || has(b"vbaProject.bin") {
        return None;
    }
    match (has(b"word/document.xml"), has(b"xl/workbook.xml")) {
        (true, false) => Some(FileType::Docx),
        (false, true) => Some(FileType::Xlsx),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let ftyp = |brand: &[u8]| [b"\0\0\0\x18ftyp", brand].concat();
        let ogg = |head: &[u8]| [b"OggS".as_slice(), &[0; 24], head].concat();
        let cases: [(Vec<u8>, Option<FileType>); 20] = [
            (vec![0xff, 0xd8, 0xff, 0xe0], Some(FileType::Jpeg)),
            (b"\x89PNG\r\n\x1a\nrest".to_vec(), Some(FileType::Png)),
            (b"GIF89a..".to_vec(), Some(FileType::Gif)),
            (b"RIFF\0\0\0\0WEBPVP8 ".to_vec(), Some(FileType::Webp)),
            (b"RIFF\0\0\0\0WAVEfmt ".to_vec(), Some(FileType::Wav)),
            (b"RIFF\0\0\0\0AVI ".to_vec(), None),
            (b"%PDF-1.7".to_vec(), Some(FileType::Pdf)),
            (ftyp(b"isom"), Some(FileType::Mp4)),
            (ftyp(b"M4A "), Some(FileType::M4a)),
            (ftyp(b"heic"), None),
            (ogg(b"OpusHead"), Some(FileType::Opus)),
            (ogg(b"\x01vorbis"), Some(FileType::Ogg)),
            (b"ID3\x04".to_vec(), Some(FileType::Mp3)),
            (vec![0xff, 0xfb, 0x90], Some(FileType::Mp3)),
            (vec![0xff, 0xf1, 0x50], Some(FileType::Aac)),
            (vec![0xff, 0xfe, b'<', 0], None),
            (b"#!AMR\n".to_vec(), Some(FileType::Amr)),
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
    fn office_documents_are_told_from_other_archives_and_have_no_macros() {
        let zip = |names: &[&str]| [b"PK\x03\x04".as_slice(), names.join("|").as_bytes()].concat();
        let types = "[Content_Types].xml";
        assert_eq!(FileType::of(&zip(&[types, "word/document.xml"])), Some(FileType::Docx));
        assert_eq!(FileType::of(&zip(&[types, "xl/workbook.xml"])), Some(FileType::Xlsx));
        for other in
            [&[types, "ppt/presentation.xml"][..], &["x.html"], &[types, "word/document.xml", "vbaProject.bin"]]
        {
            assert_eq!(FileType::of(&zip(other)), None);
        }
    }

    #[test]
    fn what_is_said_of_a_file_must_be_true() {
        assert!(FileType::Png.fits("") && FileType::Png.fits("application/octet-stream"));
        assert!(FileType::Png.fits("image/png; x=y") && !FileType::Png.fits("image/jpeg"));
        assert!(FileType::Jpeg.fits("image/jpg"));
        assert!(!FileType::Pdf.fits("image/png") && !FileType::Png.fits("application/pdf"));
        assert!(FileType::Opus.fits("audio/ogg") && FileType::M4a.fits("video/mp4"));
        assert!(FileType::Ogg.fits("application/ogg") && !FileType::Pdf.fits("application/ogg"));
        assert!(FileType::Docx.fits("application/zip") && !FileType::Pdf.fits("application/zip"));
    }

    #[test]
    fn every_type_is_found_again_by_its_mime_type() {
        for kind in FileType::ALL {
            let found = if kind == FileType::Ogg { FileType::Opus } else { kind };
            assert_eq!(FileType::of_mime(kind.mime()), Some(found));
            assert!(kind.fits(kind.mime()));
        }
    }
}
