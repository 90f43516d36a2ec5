use domain::{
    content::{Location, MediaKind},
    file_name,
    inbound::{InboundContent, InboundMedia},
};
use serde_json::Value;

use super::fields::id;
use crate::{
    unknown_content,
    whatsapp_cloud::callback::fields::{elements, number, owned, text},
};

pub(crate) fn content(payload: &Value) -> InboundContent {
    let body = owned(payload, "body");
    if let Some(media) = payload.get("media").and_then(|media| media_of(media, payload)) {
        return InboundContent::Media(InboundMedia { caption: body, ..media });
    }
    if let Some(place) = payload.get("location").and_then(location) {
        return InboundContent::Location(place);
    }
    if let Some(body) = body {
        return InboundContent::Text { body };
    }
    cards(payload).unwrap_or_else(|| unmodelled_of(payload))
}

/// Contact cards: name and numbers of each, one card per line.
pub(super) fn cards(payload: &Value) -> Option<InboundContent> {
    let line = |card: &Value| {
        let fields = card.as_str().unwrap_or_default().lines().filter_map(|line| line.split_once(':'));
        let of = |wanted: &str, name: &str| {
            let name = name.split(';').next().unwrap_or_default();
            name.rsplit('.').next().unwrap_or(name).eq_ignore_ascii_case(wanted)
        };
        let values = |wanted: &str| {
            let found = fields.clone().filter(|(name, _)| of(wanted, name)).map(|(_, value)| value.trim());
            found.collect::<Vec<_>>().join(", ")
        };
        [values("FN"), values("TEL")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    };
    let lines: Vec<String> = elements(payload, "vCards").iter().map(line).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| InboundContent::Contact { formatted: lines.join("\n") })
}

/// Content that is neither text, file nor location: by the engine's name of its type.
pub(super) fn unmodelled_of(payload: &Value) -> InboundContent {
    let data = payload.get("_data").unwrap_or(&Value::Null);
    let has_file = payload.get("hasMedia").and_then(Value::as_bool) == Some(true);
    let named = text(data, "type").or_else(|| text(payload, "type")).filter(|kind| !matches!(*kind, "chat" | "text"));
    let kind = named.unwrap_or(if has_file { "file" } else { "unsupported" });
    let words = owned(data, "pollName").or_else(|| unknown_content::words(payload.get(kind)?));
    unknown_content::content(kind, words.map(|words| format!("{kind}: {words}")), None)
}

pub(super) fn media_of(media: &Value, payload: &Value) -> Option<InboundMedia> {
    let mime = text(media, "mimetype").unwrap_or("application/octet-stream");
    let plain = mime.split(';').next().unwrap_or(mime);
    let media_kind = match plain.split('/').next() {
        Some("image") if plain == "image/webp" => MediaKind::Sticker,
        Some("image") => MediaKind::Image,
        Some("video") => MediaKind::Video,
        Some("audio") if plain == "audio/ogg" => MediaKind::Voice,
        Some("audio") => MediaKind::Audio,
        _ => MediaKind::Document,
    };
    Some(InboundMedia {
        media_kind,
        provider_media_id: id(payload)?,
        url: Some(text(media, "url")?.to_owned()),
        mime_type: plain.to_owned(),
        sha256: None,
        caption: None,
        filename: file_name::given(text(media, "filename"), plain),
    })
}

pub(super) fn location(place: &Value) -> Option<Location> {
    Some(Location {
        latitude: number(place, "latitude")?,
        longitude: number(place, "longitude")?,
        name: text(place, "name").or_else(|| text(place, "description")).map(str::to_owned),
        address: text(place, "address").map(str::to_owned),
    })
}
