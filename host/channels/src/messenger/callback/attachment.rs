//! Attachments of a message: files, locations, shared links.

use domain::{
    content::{Location, MediaKind, OutboundContent, OutboundMedia},
    file_name,
    inbound::{InboundContent, InboundMedia},
    media_type::{extension_of, of_extension},
};
use serde_json::Value;

use crate::{
    unknown_content,
    whatsapp_cloud::callback::fields::{elements, number, owned, text, word},
};

/// Most attachments of one message: an album has 30.
pub(super) const MOST: usize = 64;

pub(super) enum CallbackAttachment {
    /// A file at an address of Meta's that expires.
    File(InboundMedia),
    Place(Location),
    Link(String),
    Unknown(InboundContent),
}

/// Each attachment with its JSON. A sticker is one picture, even if Meta sends it twice, as `image` and as `sticker`.
pub(super) fn read_all(message: &Value) -> Vec<(&Value, CallbackAttachment)> {
    let mut read: Vec<(&Value, CallbackAttachment)> = Vec::new();
    for one in elements(message, "attachments").iter().take(MOST) {
        let attached = read_one(message, one);
        let again =
            is_sticker(&attached) && read.iter().any(|(earlier, kept)| is_sticker(kept) && is_same(earlier, one));
        if !again {
            read.push((one, attached));
        }
    }
    read
}

fn is_sticker(attached: &CallbackAttachment) -> bool {
    matches!(attached, CallbackAttachment::File(file) if file.media_kind == MediaKind::Sticker)
}

/// True if two attachments are one sticker: a message has one sticker, unless their ids differ.
fn is_same(one: &Value, other: &Value) -> bool {
    let id = |attachment: &'_ Value| attachment.get("payload").and_then(|payload| owned(payload, "sticker_id"));
    match (id(one), id(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

fn read_one(message: &Value, attachment: &Value) -> CallbackAttachment {
    let payload = attachment.get("payload").unwrap_or(&Value::Null);
    let has_sticker_id = |value: &Value| word(value, "sticker_id").is_some();
    let kind = match text(attachment, "type") {
        Some("image") if has_sticker_id(payload) || has_sticker_id(message) => MediaKind::Sticker,
        Some("image") => MediaKind::Image,
        Some("sticker") => MediaKind::Sticker,
        Some("video") => MediaKind::Video,
        Some("audio") => MediaKind::Audio,
        Some("file") => MediaKind::Document,
        Some("location") => return place(attachment, payload),
        Some("template") | None => return unknown(attachment),
        Some(_) => return link(attachment, payload),
    };
    match owned(payload, "url") {
        Some(url) => CallbackAttachment::File(file(kind, url)),
        None => unknown(attachment),
    }
}

/// An unknown type, or a known type with another form.
fn unknown(attachment: &Value) -> CallbackAttachment {
    let kind = text(attachment, "type").unwrap_or("attachment");
    CallbackAttachment::Unknown(unknown_content::from_json(kind, attachment, None))
}

fn place(attachment: &Value, payload: &Value) -> CallbackAttachment {
    let coordinates = payload.get("coordinates").unwrap_or(&Value::Null);
    match (number(coordinates, "lat"), number(coordinates, "long")) {
        (Some(latitude), Some(longitude)) => {
            // Meta says "Zo's Location" if no place was chosen; it counts as a name.
            CallbackAttachment::Place(Location { latitude, longitude, name: owned(attachment, "title"), address: None })
        }
        _ => unknown(attachment),
    }
}

fn link(attachment: &Value, payload: &Value) -> CallbackAttachment {
    let of = |name: &str| text(attachment, name).or_else(|| text(payload, name));
    let words: Vec<&str> = [of("title"), of("url")].into_iter().flatten().collect();
    if words.is_empty() { unknown(attachment) } else { CallbackAttachment::Link(words.join("\n")) }
}

/// Meta names no MIME type: the kind and the name in the address determine it.
fn file(kind: MediaKind, url: String) -> InboundMedia {
    let name = file_name::of_link(&url);
    let mime_type = mime(kind, name.as_deref().and_then(extension_of)).to_owned();
    InboundMedia {
        media_kind: kind,
        provider_media_id: String::new(),
        filename: name.filter(|_| kind == MediaKind::Document),
        mime_type,
        url: Some(url),
        sha256: None,
        caption: None,
    }
}

fn mime(kind: MediaKind, extension: Option<&str>) -> &'static str {
    let named = extension.and_then(of_extension);
    let of_family = |family: &str| named.filter(|mime| mime.starts_with(family));
    match kind {
        MediaKind::Image | MediaKind::Sticker => of_family("image/").unwrap_or("image/jpeg"),
        MediaKind::Video => of_family("video/").unwrap_or("video/mp4"),
        MediaKind::Audio | MediaKind::Voice => of_family("audio/").unwrap_or("audio/mp4"),
        MediaKind::Document => named.unwrap_or("application/octet-stream"),
    }
}

/// A file of an echo, as one that we sent.
pub(super) fn as_sent(file: &InboundMedia) -> Option<OutboundContent> {
    Some(OutboundContent::Media(OutboundMedia {
        kind: file.media_kind,
        url: file.url.clone()?,
        caption: file.caption.clone(),
        filename: file.filename.clone(),
    }))
}
