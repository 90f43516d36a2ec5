//! A message of a person to a bot, as the phone API takes it, and its content in the form of the Bot API.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{messages::file_json, state::Telegram};
use crate::phone_api::samples;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct PersonMessage {
    pub(super) to: Option<i64>,
    /// `text`, `photo`, `video`, `audio`, `voice`, `document`, `sticker`, `location`, `venue`, `contact` or `dice`.
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    /// The file. Without it a small sample is sent.
    base64: Option<String>,
    mime_type: Option<String>,
    filename: Option<String>,
    /// The size that Telegram names for the file.
    said_bytes: Option<u64>,
    pub(super) quote: Option<i64>,
    pub(super) chat_type: Option<String>,
    /// `latitude` and `longitude`; of a venue also `title` and `address`.
    location: Option<Value>,
    /// `phone_number`, `first_name` and `last_name`.
    contact: Option<Value>,
}

pub(super) fn content(telegram: &mut Telegram, draft: &PersonMessage) -> Map<String, Value> {
    let mut content = Map::new();
    let mut put = |name: &str, value: Value| content.insert(name.to_owned(), value);
    match draft.kind.as_deref().unwrap_or("text") {
        "text" => {
            put("text", json!(draft.text.clone().unwrap_or_default()));
        }
        "location" => {
            put("location", coordinates(draft));
        }
        "venue" => {
            let field = |name: &str, usual: &str| {
                let given = draft.location.as_ref().and_then(|place| place.get(name)?.as_str());
                json!(given.unwrap_or(usual))
            };
            let (title, address) = (field("title", "Office"), field("address", "1 Long Street"));
            let place = coordinates(draft);
            put("venue", json!({ "location": place, "title": title, "address": address }));
            put("location", place);
        }
        "contact" => {
            let sample = json!({ "phone_number": "27820000001", "first_name": "Zo", "last_name": "Mbeki" });
            put("contact", draft.contact.clone().unwrap_or(sample));
        }
        "dice" => {
            put("dice", json!({ "emoji": "🎲", "value": 4 }));
        }
        kind => {
            let usual = match kind {
                "photo" => "image",
                "animation" | "video_note" => "video",
                "voice" => "audio",
                other => other,
            };
            let (sample_type, sample) = samples::file(usual);
            let bytes = draft.base64.as_deref().and_then(|text| STANDARD.decode(text).ok()).map_or(sample, Bytes::from);
            let mime_type = draft.mime_type.as_deref().unwrap_or(sample_type);
            let name = draft.filename.as_deref().unwrap_or("file.bin");
            let size = draft.said_bytes.unwrap_or(bytes.len() as u64);
            let file_id = telegram.keep(kind, name, mime_type, bytes);
            if let Some(file) = telegram.files.get_mut(&file_id) {
                file.said_bytes = draft.said_bytes;
            }
            put(kind, file_json(kind, &file_id, name, mime_type, size));
            if let Some(caption) = &draft.text {
                put("caption", json!(caption));
            }
        }
    }
    content
}

fn coordinates(draft: &PersonMessage) -> Value {
    let degrees = |name: &str, usual: f64| {
        let given = draft.location.as_ref().and_then(|place| place.get(name)?.as_f64());
        given.unwrap_or(usual)
    };
    json!({ "latitude": degrees("latitude", -33.9), "longitude": degrees("longitude", 18.4) })
}
