//! The kind of file behind a link. The request states it, or the end of the link shows it, or its server does.

use crate::{
    content::{MediaKind, OutboundMedia},
    file_name,
    media_type::{self, extension_of},
};

impl OutboundMedia {
    /// True if neither the request nor the link shows the kind of file.
    pub fn is_type_unknown(&self) -> bool {
        self.kind == MediaKind::Document && self.filename.is_none()
    }

    /// A file by its link alone. Its kind follows from the extension in the link.
    pub fn by_link(url: String, caption: Option<String>) -> Self {
        let name = file_name::of_link(&url);
        let said = name.as_deref().and_then(extension_of).and_then(MediaKind::of_extension);
        let kind = said.unwrap_or(MediaKind::Document).for_text(caption.is_some());
        let filename = name.filter(|_| said.is_some() && kind == MediaKind::Document);
        Self { kind, url, caption, filename }
    }

    /// The same file after its server was asked. `media_type` is `None` if the server gives no type.
    #[must_use]
    pub fn of_type(&self, media_type: Option<&str>, called: Option<&str>) -> Self {
        let media_type = media_type.unwrap_or_default();
        let named = called.map(str::to_owned).or_else(|| file_name::of_link_end(&self.url));
        let filename = file_name::of_type(named.as_deref(), media_type);
        let named_kind = extension_of(&filename).and_then(MediaKind::of_extension);
        let kind = MediaKind::of_media_type(media_type).or(named_kind).unwrap_or(MediaKind::Document);
        let kind = kind.for_text(self.caption.is_some());
        Self { kind, filename: Some(filename).filter(|_| kind == MediaKind::Document), ..self.clone() }
    }
}

impl MediaKind {
    /// The kind of a file with this extension. `None` if the extension, such as that of a script, does not show it.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let lower = extension.to_ascii_lowercase();
        match lower.as_str() {
            "jpg" | "jpeg" | "jpe" | "jfif" | "png" => Some(Self::Image),
            "mp4" | "3gp" => Some(Self::Video),
            "mp3" | "m4a" | "aac" | "amr" | "ogg" | "oga" | "opus" => Some(Self::Audio),
            "webp" => Some(Self::Sticker),
            _ => media_type::of_extension(&lower).map(|_| Self::Document),
        }
    }

    /// The kind under which a file of this media type is sent. `None` for a generic type.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        if media_type::is_generic(media_type) {
            return None;
        }
        let usual = media_type::usual_extension(media_type);
        Some(usual.and_then(Self::of_extension).unwrap_or(Self::Document))
    }

    /// Audio files and stickers cannot carry a caption, so with one they are sent as documents.
    #[must_use]
    pub fn for_text(self, with_text: bool) -> Self {
        match self {
            Self::Audio | Self::Voice | Self::Sticker if with_text => Self::Document,
            kind => kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_link(link: &str) -> (MediaKind, Option<String>) {
        let media = OutboundMedia::by_link(link.to_owned(), None);
        (media.kind, media.filename)
    }

    #[test]
    fn the_extension_of_a_link_gives_the_type_of_its_file() {
        for (end, kind) in [
            ("a.jpg", MediaKind::Image),
            ("a.JPEG?x=1#y", MediaKind::Image),
            ("a.mp4", MediaKind::Video),
            ("a.opus", MediaKind::Audio),
            ("a.ogg", MediaKind::Audio),
            ("a.webp", MediaKind::Sticker),
        ] {
            assert_eq!(by_link(&format!("https://a.example/{end}")), (kind, None), "{end}");
        }
        for (end, name) in [("a.pdf", "a.pdf"), ("my%20list.xlsx?x=1", "my list.xlsx"), ("a.gif", "a.gif")] {
            let expected = (MediaKind::Document, Some(name.to_owned()));
            assert_eq!(by_link(&format!("https://a.example/{end}")), expected, "{end}");
        }
    }

    #[test]
    fn a_link_without_an_extension_gives_no_type() {
        for end in ["", "download", "download?name=a.pdf", "file.aspx", "a.b/c"] {
            let media = OutboundMedia::by_link(format!("https://a.example/{end}"), None);
            assert!(media.is_type_unknown(), "{end}: {media:?}");
        }
        assert!(!OutboundMedia::by_link("https://a.example/a.pdf".to_owned(), None).is_type_unknown());
        assert!(!OutboundMedia::by_link("https://a.example/a.jpg".to_owned(), None).is_type_unknown());
    }

    #[test]
    fn a_file_goes_by_its_media_type_once_that_is_known_and_a_document_has_a_name() {
        for (link, media_type, called, kind, name) in [
            ("https://a.example/4711", Some("application/pdf"), None, MediaKind::Document, Some("4711.pdf")),
            ("https://a.example/4711", Some("image/jpeg"), None, MediaKind::Image, None),
            ("https://a.example/4711", Some("audio/ogg; codecs=opus"), None, MediaKind::Audio, None),
            ("https://a.example/4711", Some("audio/opus"), None, MediaKind::Audio, None),
            ("https://a.example/get.php", Some("application/pdf"), None, MediaKind::Document, Some("get.pdf")),
            ("https://a.example/", Some("application/pdf"), None, MediaKind::Document, Some("file.pdf")),
            (
                "https://a.example/x",
                Some("application/octet-stream"),
                Some("a.pdf"),
                MediaKind::Document,
                Some("a.pdf"),
            ),
            ("https://a.example/x", Some("application/octet-stream"), Some("a.jpg"), MediaKind::Image, None),
            ("https://a.example/x", None, None, MediaKind::Document, Some("x")),
            ("https://a.example", None, None, MediaKind::Document, Some("file.bin")),
        ] {
            let media = OutboundMedia::by_link(link.to_owned(), None).of_type(media_type, called);
            assert_eq!((media.kind, media.filename.as_deref()), (kind, name), "{link} {media_type:?}");
        }
        let sound = OutboundMedia::by_link("https://a.example/4711".to_owned(), Some("listen".to_owned()));
        let sound = sound.of_type(Some("audio/mpeg"), None);
        assert_eq!((sound.kind, sound.filename.as_deref()), (MediaKind::Document, Some("4711.mp3")), "next to a text");
    }
}
