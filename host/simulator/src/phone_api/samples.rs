use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";
const WEBP: &str = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA";
const PDF: &str = "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
const MP4: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08mdat";
const OGG: &[u8] =
    b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0";

pub(crate) fn file(kind: &str) -> (&'static str, Bytes) {
    let decoded = |encoded: &str| Bytes::from(STANDARD.decode(encoded).unwrap_or_default());
    match kind {
        "image" => ("image/png", decoded(PNG)),
        "sticker" => ("image/webp", decoded(WEBP)),
        "video" => ("video/mp4", Bytes::from_static(MP4)),
        "audio" => ("audio/ogg; codecs=opus", Bytes::from_static(OGG)),
        _ => ("application/pdf", Bytes::from_static(PDF.as_bytes())),
    }
}

pub(crate) fn location() -> Value {
    json!({
        "latitude": -26.1076,
        "longitude": 28.0567,
        "name": "Sample Shop",
        "address": "1 Main Road, Sandton",
    })
}

pub(crate) fn contacts() -> Value {
    json!([{
        "name": {"formatted_name": "Thandi Nkosi", "first_name": "Thandi", "last_name": "Nkosi"},
        "phones": [{"phone": "+27 82 000 0009", "wa_id": "27820000009", "type": "CELL"}],
    }])
}

/// An order from the catalogue of the business.
pub(crate) fn order() -> Value {
    json!({
        "catalog_id": "1000000000000001",
        "text": "Before noon, please",
        "product_items": [
            {"product_retailer_id": "blue-mug", "quantity": 2, "item_price": 120, "currency": "ZAR"},
            {"product_retailer_id": "red-kettle", "quantity": 1, "item_price": 480, "currency": "ZAR"},
        ],
    })
}

/// The `errors` of a message that the Cloud API cannot show (131051).
pub(crate) fn unsupported_errors() -> Value {
    json!([{
        "code": 131_051,
        "title": "Message type unknown",
        "message": "Message type unknown",
        "error_data": {"details": "Message type is currently not supported."},
    }])
}
