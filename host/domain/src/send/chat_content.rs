//! The content of a `CHAT` message: a text, a file, or a file with a text below it.
//!
//! One message is one provider call, and a call carries either a text or a file with a caption. So beside a file
//! `messageText` becomes the caption; with a caption as well, both stand below the file, the text first. A kind of file
//! that cannot carry a caption (sound, sticker) goes as a document when there is a text: nothing of the message is lost.

use super::{CAPTION_MAX, TEXT_MAX, WireMedia, links, request::Check};
use crate::content::{MediaKind, OutboundContent, OutboundMedia};

/// Checks and builds the content; `None` when a fault was reported. `field` is the path of the element.
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
            let kind = kind_of(&url, caption.is_some());
            let filename = if kind == MediaKind::Document { links::file_name(&url) } else { None };
            Some(OutboundContent::Media(OutboundMedia { kind, url, caption, filename }))
        }
    }
}

fn media_url(check: &mut Check, url: Option<String>, field: &str) -> Option<String> {
    let field = format!("{field}.media.url");
    let Some(url) = url.filter(|url| !url.is_empty()) else {
        check.fault(&field, "is required: the public address of the file");
        return None;
    };
    links::check(&url).map_err(|wrong| check.fault(&field, wrong)).ok()?;
    Some(url)
}

/// By the extension of the link.
fn kind_of(url: &str, with_text: bool) -> MediaKind {
    match MediaKind::of_link(url) {
        MediaKind::Audio | MediaKind::Voice | MediaKind::Sticker if with_text => MediaKind::Document,
        kind => kind,
    }
}
