use domain::content::MediaKind;

use super::media_ids::MediaIds;

pub(super) fn file_at<'a>(url: &'a str, uploaded: &'a MediaIds) -> (&'static str, &'a str) {
    match uploaded.get(url) {
        Some(id) => ("id", id),
        None => ("link", url),
    }
}

pub(super) fn media_type(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Video => "video",
        MediaKind::Audio | MediaKind::Voice => "audio",
        MediaKind::Document => "document",
        MediaKind::Sticker => "sticker",
    }
}
