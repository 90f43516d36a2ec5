use domain::{
    content::{MediaKind, OutboundContent, Reaction},
    messenger::{TEXT_MAX, WindowPermission, quick_replies},
};
use serde_json::{Value, json};

use super::ids;
use crate::carrier::UnsupportedContent;

#[derive(Clone, Copy)]
pub(super) struct MessageBody<'a> {
    pub(super) content: &'a OutboundContent,
    pub(super) carried: &'a OutboundContent,
    /// Meta's id of its file, if we uploaded it.
    pub(super) uploaded: Option<&'a str>,
}

/// The body of `POST /{page}/messages`. The echo returns `opaque`.
pub(super) fn body(
    psid: &str,
    allowed: WindowPermission,
    says: MessageBody<'_>,
    quoted: Option<&str>,
    opaque: &str,
) -> Result<Value, UnsupportedContent> {
    let mut message = message(says)?;
    if let (Some(fields), false) = (message.as_object_mut(), opaque.is_empty()) {
        fields.insert("metadata".to_owned(), opaque.into());
    }
    let mut body = json!({ "recipient": { "id": psid }, "messaging_type": "RESPONSE", "message": message });
    if let Some(fields) = body.as_object_mut() {
        if allowed == WindowPermission::HumanAgent {
            fields.insert("messaging_type".to_owned(), "MESSAGE_TAG".into());
            fields.insert("tag".to_owned(), "HUMAN_AGENT".into());
        }
        // A message without an id of Meta's cannot be quoted.
        if let Some(mid) = quoted.and_then(ids::mid) {
            fields.insert("reply_to".to_owned(), json!({ "mid": mid }));
        }
    }
    Ok(body)
}

pub(super) fn reaction(psid: &str, reaction: &Reaction) -> Value {
    let mid = ids::mid(&reaction.message_id).unwrap_or(&reaction.message_id);
    let (action, payload) = match &reaction.emoji {
        Some(emoji) => ("react", json!({ "message_id": mid, "reaction": emoji })),
        None => ("unreact", json!({ "message_id": mid })),
    };
    json!({ "recipient": { "id": psid }, "sender_action": action, "payload": payload })
}

fn message(MessageBody { content, carried, uploaded }: MessageBody<'_>) -> Result<Value, UnsupportedContent> {
    match carried {
        OutboundContent::Media(media) => {
            let payload = match uploaded {
                Some(id) => json!({ "attachment_id": id }),
                None => json!({ "url": media.url, "is_reusable": false }),
            };
            Ok(json!({ "attachment": { "type": attachment(media.kind), "payload": payload } }))
        }
        OutboundContent::Text { body } => {
            if body.chars().count() > TEXT_MAX {
                let reason = format!("a text of Messenger has at most {TEXT_MAX} characters");
                return Err(UnsupportedContent { reason });
            }
            let replies: Vec<Value> = quick_replies(content)
                .into_iter()
                .flatten()
                .map(|(title, payload)| json!({ "content_type": "text", "title": title, "payload": payload }))
                .collect();
            Ok(match replies.is_empty() {
                true => json!({ "text": body }),
                false => json!({ "text": body, "quick_replies": replies }),
            })
        }
        OutboundContent::Template(_)
        | OutboundContent::Buttons(_)
        | OutboundContent::List(_)
        | OutboundContent::Location(_)
        | OutboundContent::Reaction(_)
        | OutboundContent::Sms(_) => Err(UnsupportedContent { reason: "Messenger sends words and files".to_owned() }),
    }
}

pub(super) fn attachment(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image | MediaKind::Sticker => "image",
        MediaKind::Video => "video",
        MediaKind::Audio | MediaKind::Voice => "audio",
        MediaKind::Document => "file",
    }
}
