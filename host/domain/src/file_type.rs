//! The type of a file by its bytes, not by its label (SPEC 2.8, PROVIDERS A.6). Types that a browser could run under
//! our name (HTML, SVG, XML, scripts) are not in the list.

use crate::{
    content::MediaKind,
    media_type::{essence, is_generic},
};

/// How far into a file its header may stand: readers of PDF look that far (ISO 32000, annex H.3.4.1).
const PDF_WITHIN: usize = 1_024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileType {
    Jpeg,
    Png,
    Gif,
    Webp,
    Pdf,
    Docx,
    Xlsx,
    Mp4,
    Mp3,
    M4a,
    Aac,
    Amr,
    /// Opus in Ogg: a voice note.
    Opus,
    /// Any other sound in Ogg.
    Ogg,
    Wav,
}

impl FileType {
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

    pub fn of(bytes: &[u8]) -> Option<Self> {
        let part = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', ..] if part(8, 12) == b"WEBP" => Some(Self::Webp),
            [b'R', b'I', b'F', b'F', ..] if part(8, 12) == b"WAVE" => Some(Self::Wav),
            [b'P', b'K', 3, 4, ..] => office(bytes),
            [b'#', b'!', b'A', b'M', b'R', ..] => Some(Self::Amr),
            [b'O', b'g', b'g', b'S', ..] => Some(if part(28, 36) == b"OpusHead" { Self::Opus } else { Self::Ogg }),
            [b'I', b'D', b'3', ..] => Some(Self::Mp3),
            // Frames of MPEG audio, layer III; layer bits of zero are those of AAC.
            [0xff, 0xfa | 0xfb | 0xf2 | 0xf3 | 0xe2 | 0xe3, ..] => Some(Self::Mp3),
            [0xff, second, ..] if second & 0xf6 == 0xf0 => Some(Self::Aac),
            _ if part(4, 8) == b"ftyp" => container(part(8, 12)),
            _ => is_pdf(bytes).then_some(Self::Pdf),
        }
    }

    /// The type of a file by its beginning. Archives are recognised by names anywhere in them, so none is recognised here.
    pub fn of_beginning(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"PK") { None } else { Self::of(bytes) }
    }

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

    pub fn kind(self) -> MediaKind {
        match self {
            Self::Jpeg | Self::Png | Self::Gif | Self::Webp => MediaKind::Image,
            Self::Pdf | Self::Docx | Self::Xlsx => MediaKind::Document,
            Self::Mp4 => MediaKind::Video,
            Self::Mp3 | Self::M4a | Self::Aac | Self::Amr | Self::Ogg | Self::Wav => MediaKind::Audio,
            Self::Opus => MediaKind::Voice,
        }
    }

    /// True if the label of a file fits. One of another kind of file is refused. Documents come under any general
    /// label. `declared`: a MIME type.
    pub fn fits(self, declared: &str) -> bool {
        let essence = essence(declared);
        if is_generic(&essence) || essence == self.mime() {
            return true;
        }
        let (family, subtype) = essence.split_once('/').unwrap_or_default();
        match self.kind() {
            MediaKind::Document => {
                let of_another = Self::ALL.iter().any(|other| other.mime() == essence) || subtype == "ogg";
                let is_run = subtype.contains("html") || subtype.contains("javascript") || subtype.contains("svg");
                matches!(family, "application" | "text" | "multipart") && !of_another && !is_run
            }
            MediaKind::Audio | MediaKind::Voice => match essence.as_str() {
                // Recorders name the container by its first use.
                "video/mp4" | "application/mp4" => self == Self::M4a,
                "video/ogg" | "application/ogg" => matches!(self, Self::Opus | Self::Ogg),
                _ => family == "audio",
            },
            MediaKind::Video => matches!(essence.as_str(), "audio/mp4" | "application/mp4" | "video/x-m4v" | "video/*"),
            MediaKind::Image | MediaKind::Sticker => match subtype {
                "jpg" | "pjpeg" => family == "image" && self == Self::Jpeg,
                "x-png" => family == "image" && self == Self::Png,
                "*" => family == "image",
                _ => false,
            },
        }
    }
}

/// True if the header of a PDF stands near the beginning, but not within content that could be run.
fn is_pdf(bytes: &[u8]) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    let near = bytes.get(..PDF_WITHIN + HEADER.len()).unwrap_or(bytes);
    let Some(at) = near.windows(HEADER.len()).position(|window| window == HEADER) else { return false };
    let before = near.get(..at).unwrap_or_default();
    let text = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before).trim_ascii_start();
    ![&b"<"[..], b"MZ", b"#!", b"PK", b"\x7fELF"].iter().any(|begin| text.starts_with(begin))
}

/// The type of a file in the container of MPEG-4, by its brand.
fn container(brand: &[u8]) -> Option<FileType> {
    match brand {
        b"M4A " | b"M4B " => Some(FileType::M4a),
        b"isom" | b"iso2" | b"iso3" | b"iso4" | b"iso5" | b"iso6" | b"mp41" | b"mp42" | b"avc1" | b"M4V " | b"MSNV"
        | b"dash" => Some(FileType::Mp4),
        _ => None,
    }
}

/// The office format of a ZIP archive, by the names in it.
fn office(bytes: &[u8]) -> Option<FileType> {
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    if !has(b"[Content_Types].xml") || has(b"vbaProject.bin") {
        return None;
    }
    // Word on the web numbers its documents, and old libraries write paths as Windows does.
    let is_word = has(b"word/document") || has(b"word\\document");
    let is_sheet = has(b"xl/workbook") || has(b"xl\\workbook");
    if has(b"xl/workbook.bin") {
        return None;
    }
    match (is_word, is_sheet) {
        (true, false) => Some(FileType::Docx),
        (false, true) => Some(FileType::Xlsx),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_file_comes_from_its_bytes() {
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
        assert_eq!(FileType::of(&zip(&[types, "word/document2.xml"])), Some(FileType::Docx));
        assert_eq!(FileType::of(&zip(&[types, "xl\\workbook.xml"])), Some(FileType::Xlsx));
        assert_eq!(FileType::of(&zip(&[types, "xl/workbook.bin"])), None);
        for other in
            [&[types, "ppt/presentation.xml"][..], &["x.html"], &[types, "word/document.xml", "vbaProject.bin"]]
        {
            assert_eq!(FileType::of(&zip(other)), None);
        }
    }

    #[test]
    fn a_pdf_header_may_follow_a_few_other_bytes() {
        let after = |junk: &[u8]| FileType::of(&[junk, b"%PDF-1.4 rest"].concat());
        for junk in [
            &b"\xef\xbb\xbf"[..],
            b"\r\n",
            b"\n\n\n",
            b"\0\0",
            b"Content-Type: application/pdf\r\n\r\n",
            b"\xff\xfe",
            &[b'x'; 1_024],
        ] {
            assert_eq!(after(junk), Some(FileType::Pdf), "{junk:?}");
        }
        for junk in
            [&[b'x'; 1_025][..], b"<html>", b"\xef\xbb\xbf <!DOCTYPE html>", b"\n<svg>", b"MZ\x90", b"#!/bin/sh\n"]
        {
            assert_eq!(after(junk), None, "{junk:?}");
        }
        assert_eq!(FileType::of(b"\x89PNG\r\n\x1a\n%PDF-"), Some(FileType::Png));
    }

    #[test]
    fn a_document_comes_under_any_label_that_programs_use() {
        for label in [
            "",
            "application/octet-stream",
            "binary/octet-stream",
            "application/download",
            "application/x-download",
            "application/force-download",
            "application/x-force-download",
            "application/zip",
            "application/x-zip-compressed",
            "application/msword",
            "application/vnd.ms-excel",
            "application/excel",
            "application/x-msexcel",
            "application/vnd.openxmlformats-officedocument",
            "application/wps-office.xlsx",
            "application/x-pdf",
            "application/acrobat",
            "text/pdf",
            "text/plain; charset=utf-8",
            "Application/Octet-Stream",
        ] {
            for file in [FileType::Pdf, FileType::Docx, FileType::Xlsx] {
                assert!(file.fits(label), "{file:?} as {label}");
            }
        }
        for label in [
            "image/png",
            "text/html",
            "application/xhtml+xml",
            "text/javascript",
            "image/svg+xml",
            "video/mp4",
            "audio/ogg",
        ] {
            for file in [FileType::Pdf, FileType::Docx, FileType::Xlsx] {
                assert!(!file.fits(label), "{file:?} as {label}");
            }
        }
        assert!(!FileType::Pdf.fits(FileType::Docx.mime()) && !FileType::Docx.fits("application/pdf"));
    }

    #[test]
    fn the_type_of_an_archive_does_not_come_from_its_first_bytes() {
        assert_eq!(FileType::of_beginning(b"PK\x03\x04[Content_Types].xml word/document.xml"), None);
        assert_eq!(FileType::of_beginning(b"GIF89a"), Some(FileType::Gif));
    }

    #[test]
    fn the_declared_type_of_a_file_must_match() {
        assert!(FileType::Png.fits("") && FileType::Png.fits("application/octet-stream"));
        assert!(FileType::Png.fits("image/png; x=y") && !FileType::Png.fits("image/jpeg"));
        assert!(FileType::Jpeg.fits("image/jpg"));
        assert!(!FileType::Pdf.fits("image/png") && !FileType::Png.fits("application/pdf"));
        assert!(FileType::Opus.fits("audio/ogg") && FileType::M4a.fits("video/mp4"));
        assert!(FileType::Ogg.fits("application/ogg") && !FileType::Pdf.fits("application/ogg"));
        assert!(
            !FileType::Gif.fits("text/html") && !FileType::Mp4.fits("image/png") && !FileType::Mp3.fits("video/mp4")
        );
        assert!(
            FileType::Jpeg.fits("image/pjpeg") && FileType::Png.fits("image/x-png") && !FileType::Png.fits("image/jpg")
        );
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
