//! The messages of bots and people, as the Bot API shows them.

use serde_json::{Map, Value, json};

use super::{
    params::Params,
    state::{SimulatedBot, Telegram},
};
use crate::clock;

const TEXT_MAX: usize = 4096;
const CAPTION_MAX: usize = 1024;
const CALLBACK_DATA_MAX: usize = 64;
const PHOTO_MAX: usize = 10 << 20;
const FILE_MAX: usize = 50 << 20;

pub(super) type CallRefusal = (u16, String);

fn bad(said: &str) -> CallRefusal {
    (400, format!("Bad Request: {said}"))
}

pub(super) fn message_json(number: i64, from: Value, chat: Value, content: Map<String, Value>) -> Value {
    let mut message = json!({ "message_id": number, "from": from, "chat": chat, "date": clock::now().timestamp() });
    if let Some(fields) = message.as_object_mut() {
        fields.extend(content);
    }
    message
}

pub(super) fn content(
    telegram: &mut Telegram,
    method: &str,
    params: &Params,
) -> Result<Map<String, Value>, CallRefusal> {
    let mut content = Map::new();
    match method {
        "sendMessage" => {
            let text = params.text("text").ok_or_else(|| bad("message text is empty"))?;
            if text.chars().count() > TEXT_MAX {
                return Err(bad("message is too long"));
            }
            content.insert("text".to_owned(), json!(text));
        }
        "sendLocation" | "sendVenue" => {
            let at = |name: &str| params.number(name).ok_or_else(|| bad(&format!("{name} is invalid")));
            let place = json!({ "latitude": at("latitude")?, "longitude": at("longitude")? });
            if method == "sendVenue" {
                let title = params.text("title").ok_or_else(|| bad("VENUE_TITLE_INVALID"))?;
                let address = params.text("address").unwrap_or_default();
                content.insert("venue".to_owned(), json!({ "location": place, "title": title, "address": address }));
            }
            content.insert("location".to_owned(), place);
        }
        _ => {
            let (kind, file) = media(telegram, method, params)?;
            content.insert(kind.to_owned(), file);
            if let Some(caption) = params.text("caption") {
                if caption.chars().count() > CAPTION_MAX {
                    return Err(bad("message caption is too long"));
                }
                content.insert("caption".to_owned(), json!(caption));
            }
        }
    }
    if let Some(markup) = params.json("reply_markup") {
        check_keyboard(&markup)?;
        content.insert("reply_markup".to_owned(), markup);
    }
    Ok(content)
}

fn check_keyboard(markup: &Value) -> Result<(), CallRefusal> {
    let rows = markup.get("inline_keyboard").and_then(Value::as_array);
    for button in rows.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let text = button.get("text").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            return Err(bad("text buttons are unallowed in the inline keyboard"));
        }
        match button.get("callback_data").and_then(Value::as_str) {
            Some(data) if (1..=CALLBACK_DATA_MAX).contains(&data.len()) => {}
            Some(_) => return Err(bad("BUTTON_DATA_INVALID")),
            None if button.get("url").is_some() => {}
            None => return Err(bad("text buttons are unallowed in the inline keyboard")),
        }
    }
    Ok(())
}

fn media(telegram: &mut Telegram, method: &str, params: &Params) -> Result<(&'static str, Value), CallRefusal> {
    let kind = match method {
        "sendPhoto" => "photo",
        "sendVideo" => "video",
        "sendAudio" => "audio",
        "sendVoice" => "voice",
        "sendSticker" => "sticker",
        _ => "document",
    };
    let (id, name, mime_type, bytes) = match params.upload(kind) {
        Some(upload) => {
            let most = if kind == "photo" { PHOTO_MAX } else { FILE_MAX };
            if upload.bytes.len() > most {
                return Err((413, "Request Entity Too Large".to_owned()));
            }
            let (name, mime_type) = (upload.name.clone(), upload.mime_type.clone());
            let id = telegram.keep(kind, &name, &mime_type, upload.bytes.clone());
            (id, name, mime_type, upload.bytes.len())
        }
        None => {
            let named = params.text(kind).ok_or_else(|| bad(&format!("there is no {kind} in the request")))?;
            match telegram.files.get(&named) {
                Some(file) => (named, String::new(), file.mime_type.clone(), file.bytes.len()),
                None if named.starts_with("http://") || named.starts_with("https://") => {
                    let name = named.rsplit('/').next().unwrap_or_default().to_owned();
                    // The address is not fetched; a phone shows it.
                    let id = telegram.keep(kind, &name, "text/uri-list", named.into());
                    (id, name, "application/octet-stream".to_owned(), 0)
                }
                None => return Err(bad("wrong file identifier/HTTP URL specified")),
            }
        }
    };
    Ok((kind, file_json(kind, &id, &name, &mime_type, bytes as u64)))
}

pub(super) fn file_json(kind: &str, id: &str, name: &str, mime_type: &str, bytes: u64) -> Value {
    let unique: String = id.chars().rev().take(12).collect();
    let size = |width: u32, id: &str, bytes: u64| json!({ "file_id": id, "file_unique_id": unique, "width": width, "height": width, "file_size": bytes });
    let plain = json!({ "file_id": id, "file_unique_id": unique, "file_size": bytes, "mime_type": mime_type });
    let with = |more: Value| {
        let mut one = plain.clone();
        if let (Some(fields), Value::Object(more)) = (one.as_object_mut(), more) {
            fields.extend(more);
        }
        one
    };
    match kind {
        // The small size has an id of its own.
        "photo" => json!([size(90, &format!("{id}s"), bytes.min(1_000)), size(1280, id, bytes)]),
        "video" | "animation" => with(json!({ "width": 640, "height": 480, "duration": 3 })),
        "video_note" => {
            json!({ "file_id": id, "file_unique_id": unique, "length": 240, "duration": 3, "file_size": bytes })
        }
        "audio" => with(json!({ "duration": 3, "title": name })),
        "voice" => with(json!({ "duration": 3 })),
        "sticker" => json!({ "file_id": id, "file_unique_id": unique, "type": "regular", "width": 512, "height": 512,
            "is_animated": false, "is_video": false, "file_size": bytes }),
        _ => with(json!({ "file_name": name })),
    }
}

/// The quoted message of a call, without its own quote. Refuses an unknown one, unless the call allows it.
pub(super) fn find_quote(bot: &SimulatedBot, chat: i64, params: &Params) -> Result<Option<Value>, CallRefusal> {
    let wanted = params.json("reply_parameters");
    let number = wanted.as_ref().and_then(|wanted| wanted.get("message_id")?.as_i64());
    let Some(number) = number.or_else(|| params.integer("reply_to_message_id")) else { return Ok(None) };
    let found = bot.chats.get(&chat).and_then(|chat| chat.message(number)).cloned();
    let may_lack = wanted.as_ref().and_then(|wanted| wanted.get("allow_sending_without_reply")?.as_bool());
    match found {
        Some(mut message) => {
            if let Some(fields) = message.as_object_mut() {
                fields.remove("reply_to_message");
            }
            Ok(Some(message))
        }
        None if may_lack == Some(true) => Ok(None),
        None => Err(bad("message to be replied not found")),
    }
}
