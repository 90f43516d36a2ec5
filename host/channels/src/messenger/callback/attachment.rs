//! What hangs on a message: files, places, shared links.

use domain::{
    content::{Location, MediaKind, OutboundContent, OutboundMedia},
    file_name,
    inbound::InboundMedia,
    media_type::{extension_of, of_extension},
};
use serde_json::Value;

use crate::whatsapp_cloud::callback::fields::{number, owned, text};

/// Attachments of one message at most: an album has 30.
pub(super) const MOST: usize = 64;

/// One attachment.
pub(super) enum Attached {
    /// A file, at an address of Meta's that ends after a while.
    File(InboundMedia),
    /// A place.
    Place(Location),
    /// Something shared, in words and an address.
    Link(String),
    /// Something that we do not model.
    Unknown,
}

/// Reads one attachment.
pub(super) fn read(attachment: &Value) -> Attached {
    let payload = attachment.get("payload").unwrap_or(&Value::Null);
    let kind = match text(attachment, "type") {
        Some("image") if payload.get("sticker_id").is_some() => MediaKind::Sticker,
        Some("image") => MediaKind::Image,
        Some("video") => MediaKind::Video,
        Some("audio") => MediaKind::Audio,
        Some("file") => MediaKind::Document,
        Some("location") => return place(attachment, payload),
        Some("template") | None => return Attached::Unknown,
        Some(_) => return link(attachment, payload),
    };
    match owned(payload, "url") {
        Some(url) => Attached::File(file(kind, url)),
        None => Attached::Unknown,
    }
}

fn place(attachment: &Value, payload: &Value) -> Attached {
    let coordinates = payload.get("coordinates").unwrap_or(&Value::Null);
    match (number(coordinates, "lat"), number(coordinates, "long")) {
        (Some(latitude), Some(longitude)) => {
            // Meta says "Zo's Location" where no place was picked; it is a name all the same.
            Attached::Place(Location { latitude, longitude, name: owned(attachment, "title"), address: None })
        }
        _ => Attached::Unknown,
    }
}

/// `fallback`, `reel`, `post` and their like: a title and an address.
fn link(attachment: &Value, payload: &Value) -> Attached {
    let of = |name: &str| text(attachment, name).or_else(|| text(payload, name));
    let words: Vec<&str> = [of("title"), of("url")].into_iter().flatten().collect();
    if words.is_empty() { Attached::Unknown } else { Attached::Link(words.join("\n")) }
}

/// Meta does not say what a file is: its kind does, and the name in its address.
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

/// A file of an echo, as something that we sent.
pub(super) fn as_sent(file: &InboundMedia) -> Option<OutboundContent> {
    Some(OutboundContent::Media(OutboundMedia {
        kind: file.media_kind,
        url: file.url.clone()?,
        caption: file.caption.clone(),
        filename: file.filename.clone(),
    }))
}
