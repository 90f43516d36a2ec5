//! The JSON of `POST /{phone-number-id}/messages` for every kind of content (PROVIDERS A.2).

use domain::content::{Location, MediaKind, OutboundContent, OutboundMedia, ReplyButtons, ReplyList};
use serde_json::{Map, Value, json};

use super::{
    cloud_send::CloudSend,
    file_reference::{file_at, media_type},
    media_ids::MediaIds,
    template_body::template_object,
};

pub(super) fn message_body(send: &CloudSend<'_>) -> Option<Value> {
    let mut body = Map::new();
    body.insert("messaging_product".into(), "whatsapp".into());
    body.insert("recipient_type".into(), "individual".into());
    match (send.phone, send.bsuid) {
        (Some(phone), _) => body.insert("to".into(), phone.into()),
        (None, Some(bsuid)) => body.insert("recipient".into(), bsuid.into()),
        (None, None) => return None,
    };
    let (kind, object) = content_object(send.content, send.uploaded);
    body.insert("type".into(), kind.into());
    body.insert(kind.into(), object);
    if let Some(quoted) = send.quoted {
        body.insert("context".into(), json!({ "message_id": quoted }));
    }
    if !send.opaque.is_empty() {
        body.insert("biz_opaque_callback_data".into(), send.opaque.into());
    }
    Some(Value::Object(body))
}

pub(super) fn read_receipt_body(wamid: &str, typing: bool) -> Value {
    let mut body = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": wamid });
    if let (true, Some(fields)) = (typing, body.as_object_mut()) {
        fields.insert("typing_indicator".into(), json!({ "type": "text" }));
    }
    body
}

fn content_object(content: &OutboundContent, uploaded: &MediaIds) -> (&'static str, Value) {
    match content {
        OutboundContent::Text { body } => ("text", json!({ "preview_url": false, "body": body })),
        OutboundContent::Sms(sms) => ("text", json!({ "preview_url": false, "body": sms.text })),
        OutboundContent::Media(media) => media_object(media, uploaded),
        OutboundContent::Template(template) => ("template", template_object(template, uploaded)),
        OutboundContent::Buttons(buttons) => ("interactive", buttons_object(buttons)),
        OutboundContent::List(list) => ("interactive", list_object(list)),
        OutboundContent::Location(location) => ("location", location_object(location)),
        // Without an emoji the reaction is removed.
        OutboundContent::Reaction(reaction) => (
            "reaction",
            json!({ "message_id": reaction.message_id, "emoji": reaction.emoji.as_deref().unwrap_or_default() }),
        ),
    }
}

/// Sounds and stickers have no caption, and only documents have a name.
fn media_object(media: &OutboundMedia, uploaded: &MediaIds) -> (&'static str, Value) {
    let mut object = Map::new();
    let (name, value) = file_at(&media.url, uploaded);
    object.insert(name.into(), value.into());
    let captioned = matches!(media.kind, MediaKind::Image | MediaKind::Video | MediaKind::Document);
    if let (true, Some(caption)) = (captioned, &media.caption) {
        object.insert("caption".into(), caption.as_str().into());
    }
    if let (MediaKind::Document, Some(filename)) = (media.kind, &media.filename) {
        object.insert("filename".into(), filename.as_str().into());
    }
    if media.kind == MediaKind::Voice {
        object.insert("voice".into(), true.into());
    }
    (media_type(media.kind), Value::Object(object))
}

/// Latitude and longitude are strings in sends and numbers in callbacks.
fn location_object(location: &Location) -> Value {
    let mut object = Map::new();
    object.insert("latitude".into(), location.latitude.to_string().into());
    object.insert("longitude".into(), location.longitude.to_string().into());
    if let Some(name) = &location.name {
        object.insert("name".into(), name.as_str().into());
    }
    if let Some(address) = &location.address {
        object.insert("address".into(), address.as_str().into());
    }
    Value::Object(object)
}

fn interactive(kind: &str, header: Option<&str>, body: &str, footer: Option<&str>, action: Value) -> Value {
    let mut object = Map::new();
    object.insert("type".into(), kind.into());
    if let Some(text) = header {
        object.insert("header".into(), json!({ "type": "text", "text": text }));
    }
    object.insert("body".into(), json!({ "text": body }));
    if let Some(text) = footer {
        object.insert("footer".into(), json!({ "text": text }));
    }
    object.insert("action".into(), action);
    Value::Object(object)
}

fn buttons_object(buttons: &ReplyButtons) -> Value {
    let replies: Vec<Value> = buttons
        .buttons
        .iter()
        .map(|button| json!({ "type": "reply", "reply": { "id": button.id, "title": button.title } }))
        .collect();
    interactive(
        "button",
        buttons.header.as_deref(),
        &buttons.body,
        buttons.footer.as_deref(),
        json!({ "buttons": replies }),
    )
}

fn list_object(list: &ReplyList) -> Value {
    let sections: Vec<Value> = list
        .sections
        .iter()
        .map(|section| {
            let rows: Vec<Value> = section
                .rows
                .iter()
                .map(|row| match &row.description {
                    Some(description) => json!({ "id": row.id, "title": row.title, "description": description }),
                    None => json!({ "id": row.id, "title": row.title }),
                })
                .collect();
            // A single section may lack a title; an empty title is refused.
            if section.title.is_empty() {
                json!({ "rows": rows })
            } else {
                json!({ "title": section.title, "rows": rows })
            }
        })
        .collect();
    interactive(
        "list",
        list.header.as_deref(),
        &list.body,
        list.footer.as_deref(),
        json!({ "button": list.button, "sections": sections }),
    )
}
