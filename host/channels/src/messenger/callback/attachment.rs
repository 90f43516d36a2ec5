//! What hangs on a message: files, places, shared links.

use domain::{
    content::{Location, MediaKind, OutboundContent, OutboundMedia},
    inbound::InboundMedia,
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

fn file(kind: MediaKind, url: String) -> InboundMedia {
    let name = filename(&url);
    let extension = name.as_deref().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
    InboundMedia {
        media_kind: kind,
        provider_media_id: String::new(),
        mime_type: mime(kind, extension.as_deref()).to_owned(),
        filename: name.filter(|_| kind == MediaKind::Document),
        url: Some(url),
        sha256: None,
        caption: None,
    }
}

/// The last part of a path, where it looks like the name of a file.
fn filename(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?;
    let last = path.rsplit('/').next().filter(|last| last.contains('.'))?;
    let as_query = format!("n={}", last.replace('+', "%2B").replace('&', "%26"));
    let (_, name) = url::form_urlencoded::parse(as_query.as_bytes()).next()?;
    Some(name.chars().filter(|c| !c.is_control()).take(255).collect())
}

/// Meta does not say what a file is: its kind does, and the name of its address.
fn mime(kind: MediaKind, extension: Option<&str>) -> &'static str {
    match (kind, extension) {
        (_, Some("png")) => "image/png",
        (_, Some("gif")) => "image/gif",
        (_, Some("webp")) => "image/webp",
        (MediaKind::Image | MediaKind::Sticker, _) => "image/jpeg",
        (MediaKind::Video, _) => "video/mp4",
        (_, Some("mp3")) => "audio/mpeg",
        (_, Some("aac")) => "audio/aac",
        (_, Some("ogg" | "oga" | "opus")) => "audio/ogg",
        (MediaKind::Audio | MediaKind::Voice, _) => "audio/mp4",
        (_, Some("pdf")) => "application/pdf",
        (_, Some("txt")) => "text/plain",
        (_, Some("docx")) => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        (_, Some("xlsx")) => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        (MediaKind::Document, _) => "application/octet-stream",
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
