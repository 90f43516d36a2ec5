//! The content of a `CHAT` message: a text, a file, or a file with a caption. `messageText` becomes the caption, before
//! a given one. Audio or a sticker with a text goes as a document.

use std::borrow::Cow;

use super::{CAPTION_MAX, TEXT_MAX, WireMedia, check::Check, links};
use crate::{
    content::{MediaKind, OutboundContent, OutboundMedia},
    file_name,
    media_type::{extension_of, is_generic},
};

/// Checks and builds the content. `None` if it reported a fault. `field` is the path of the element.
pub(super) fn check(
    check: &mut Check,
    text: Option<String>,
    media: Option<WireMedia>,
    field: &str,
) -> Option<OutboundContent> {
    let text_field = format!("{field}.messageText");
    match (text, media) {
        (None, None) => {
            check.fault(&text_field, "is required for CHAT unless `media` is given");
            None
        }
        (Some(body), None) => {
            check.length(&text_field, Some(&body), TEXT_MAX);
            Some(OutboundContent::Text { body })
        }
        (text, Some(media)) => {
            let caption = media.caption.filter(|caption| !caption.is_empty());
            check.length(&format!("{field}.media.caption"), caption.as_deref(), CAPTION_MAX);
            let both = text.is_some() && caption.is_some();
            let (caption, caption_field) = match (text, caption) {
                (Some(text), Some(caption)) if text != caption => (Some(format!("{text}\n{caption}")), text_field),
                (Some(text), _) => (Some(text), text_field),
                (None, caption) => (caption, String::new()),
            };
            if let Some(caption) = caption.as_deref().filter(|_| !caption_field.is_empty())
                && caption.chars().count() > CAPTION_MAX
            {
                let with = if both { " together with `media.caption`" } else { "" };
                let message =
                    format!("stands below the file, where at most {CAPTION_MAX} characters are allowed{with}");
                check.fault(&caption_field, message);
            }
            let url = media_url(check, media.url, field)?;
            Some(OutboundContent::Media(file(url, caption, read_type(media.kind), media.filename.as_deref())))
        }
    }
}

/// The `type` of a file in a request: absent, a kind, or a media type.
enum Said {
    Nothing,
    Kind(MediaKind),
    Type(String),
}

/// The file as the request describes it. Its link decides the rest.
fn file(url: String, caption: Option<String>, said: Said, name: Option<&str>) -> OutboundMedia {
    let by_link = OutboundMedia::by_link(url, caption);
    let name = name.and_then(file_name::clean);
    let named = name.as_deref().and_then(extension_of).and_then(MediaKind::of_extension);
    let (kind, media_type) = match (&said, named) {
        (Said::Type(media_type), _) => return by_link.of_type(Some(media_type), name.as_deref()),
        (Said::Kind(kind), _) => (*kind, ""),
        (Said::Nothing, Some(kind)) => (kind, ""),
        (Said::Nothing, None) if by_link.filename.is_some() => (MediaKind::Document, ""),
        (Said::Nothing, None) => return by_link,
    };
    let kind = kind.for_text(by_link.caption.is_some());
    let name = name.or_else(|| file_name::of_link_end(&by_link.url));
    let filename = (kind == MediaKind::Document).then(|| file_name::of_type(name.as_deref(), media_type));
    OutboundMedia { kind, filename, ..by_link }
}

/// Reads `type`. An unknown word counts as absent, because the field is not in the specification.
fn read_type(said: Option<String>) -> Said {
    let Some(said) = said else { return Said::Nothing };
    match said.trim().to_ascii_uppercase().as_str() {
        "IMAGE" => Said::Kind(MediaKind::Image),
        "VIDEO" => Said::Kind(MediaKind::Video),
        "AUDIO" => Said::Kind(MediaKind::Audio),
        "VOICE" => Said::Kind(MediaKind::Voice),
        "DOCUMENT" => Said::Kind(MediaKind::Document),
        "STICKER" => Said::Kind(MediaKind::Sticker),
        media_type if is_generic(media_type) => Said::Nothing,
        _ => Said::Type(said),
    }
}

fn media_url(check: &mut Check, url: Option<String>, field: &str) -> Option<String> {
    let field = format!("{field}.media.url");
    let Some(url) = url.filter(|url| !url.trim().is_empty()) else {
        check.fault(&field, "is required: the public address of the file");
        return None;
    };
    links::read(&url).map_err(|wrong| check.fault(&field, wrong)).ok().map(Cow::into_owned)
}
