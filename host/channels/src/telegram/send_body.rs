use domain::content::{MediaKind, OutboundContent, OutboundMedia};
use reqwest::{
    Body,
    multipart::{Form, Part},
};
use serde_json::{Map, Value, json};
use tokio_util::io::ReaderStream;

use super::content::{keyboard, number_of, words};
use crate::carrier::{OurFile, UnsupportedContent};

/// Largest file that a bot sends, in bytes.
const FILE_MAX: u64 = 50 << 20;
/// Largest picture, in bytes. A larger one goes out as a document.
const PHOTO_MAX: u64 = 10 << 20;

pub(super) enum BotCall {
    Json { method: &'static str, fields: Value, is_message: bool },
    Form { method: &'static str, form: Form },
}

impl BotCall {
    pub(super) fn is_message(&self) -> bool {
        match self {
            Self::Json { is_message, .. } => *is_message,
            Self::Form { .. } => true,
        }
    }
}

/// A chat as the Bot API takes it: a number.
pub(super) fn chat_id(chat: &str) -> Value {
    chat.parse::<i64>().map_or_else(|_| Value::from(chat), Value::from)
}

pub(super) fn prepare(
    content: &OutboundContent,
    chat: &str,
    quoted: Option<&str>,
    file: Option<OurFile>,
) -> Result<BotCall, UnsupportedContent> {
    let mut fields = Map::new();
    fields.insert("chat_id".to_owned(), chat_id(chat));
    if let OutboundContent::Reaction(reaction) = content {
        let number = number_of(&reaction.message_id);
        let number =
            number.ok_or_else(|| UnsupportedContent { reason: "only a message gets a reaction".to_owned() })?;
        let emoji: Vec<Value> = reaction.emoji.iter().map(|emoji| json!({ "type": "emoji", "emoji": emoji })).collect();
        fields.insert("message_id".to_owned(), number.into());
        fields.insert("reaction".to_owned(), emoji.into());
        let fields = Value::Object(fields);
        return Ok(BotCall::Json { method: "setMessageReaction", fields, is_message: false });
    }
    // A tap has no number, so it cannot be quoted. A deleted message must not stop its answer.
    if let Some(number) = quoted.and_then(number_of) {
        let quote = json!({ "message_id": number, "allow_sending_without_reply": true });
        fields.insert("reply_parameters".to_owned(), quote);
    }
    let method = match content {
        OutboundContent::Media(media) => return media_call(media, fields, file),
        OutboundContent::Location(place) => {
            fields.insert("latitude".to_owned(), place.latitude.into());
            fields.insert("longitude".to_owned(), place.longitude.into());
            let named = [&place.name, &place.address].map(|text| text.clone().unwrap_or_default());
            if named.iter().all(|text| text.trim().is_empty()) {
                "sendLocation"
            } else {
                let [name, address] = named;
                // A venue needs both.
                let title = if name.trim().is_empty() { address.clone() } else { name };
                fields.insert("title".to_owned(), title.into());
                fields.insert("address".to_owned(), address.into());
                "sendVenue"
            }
        }
        other => {
            let text =
                words(other).ok_or_else(|| UnsupportedContent { reason: "the message has no text".to_owned() })?;
            fields.insert("text".to_owned(), text.into());
            if let Some(keyboard) = keyboard(other) {
                fields.insert("reply_markup".to_owned(), keyboard);
            }
            "sendMessage"
        }
    };
    Ok(BotCall::Json { method, fields: Value::Object(fields), is_message: true })
}

fn method_of(kind: MediaKind) -> (&'static str, &'static str) {
    match kind {
        MediaKind::Image => ("sendPhoto", "photo"),
        MediaKind::Video => ("sendVideo", "video"),
        MediaKind::Audio => ("sendAudio", "audio"),
        MediaKind::Voice => ("sendVoice", "voice"),
        MediaKind::Document => ("sendDocument", "document"),
        MediaKind::Sticker => ("sendSticker", "sticker"),
    }
}

fn media_call(
    media: &OutboundMedia,
    mut fields: Map<String, Value>,
    file: Option<OurFile>,
) -> Result<BotCall, UnsupportedContent> {
    // A sticker has no caption.
    if let Some(caption) = media.caption.clone().filter(|_| media.kind != MediaKind::Sticker) {
        fields.insert("caption".to_owned(), caption.into());
    }
    let Some(OurFile { content, mime_type, filename }) = file else {
        let (method, field) = method_of(media.kind);
        fields.insert(field.to_owned(), media.url.clone().into());
        return Ok(BotCall::Json { method, fields: Value::Object(fields), is_message: true });
    };
    if content.bytes > FILE_MAX {
        let reason = format!("a file of Telegram has at most {FILE_MAX} bytes, and this one {}", content.bytes);
        return Err(UnsupportedContent { reason });
    }
    let is_large = media.kind == MediaKind::Image && content.bytes > PHOTO_MAX;
    let (method, field) = method_of(if is_large { MediaKind::Document } else { media.kind });
    let unusable = |_| UnsupportedContent { reason: format!("the file has no MIME type but `{mime_type}`") };
    let bytes = Body::wrap_stream(ReaderStream::new(content.reader));
    let part = Part::stream_with_length(bytes, content.bytes).file_name(media.filename.clone().unwrap_or(filename));
    let part = part.mime_str(&mime_type).map_err(unusable)?;
    let mut form = Form::new();
    for (name, value) in fields {
        // Values that are not text are JSON.
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        form = form.text(name, text);
    }
    Ok(BotCall::Form { method, form: form.part(field, part) })
}
