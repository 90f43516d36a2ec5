use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{error::PhoneApiError, samples};
use crate::world::WorldState;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct PhoneMessage {
    /// Business number or phone-number id. Optional if it is unambiguous.
    pub(crate) to: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(super) text: Option<String>,
    /// File of a media message. Without it a small sample is sent.
    pub(super) base64: Option<String>,
    pub(super) mime_type: Option<String>,
    pub(super) filename: Option<String>,
    pub(super) caption: Option<String>,
    pub(super) voice: Option<bool>,
    pub(super) location: Option<Value>,
    pub(super) contacts: Option<Value>,
    /// `{"catalog_id","text","product_items"}`. Without it a small sample is sent.
    pub(super) order: Option<Value>,
    /// `{"messageId","emoji"}`. Without an emoji the reaction is removed.
    pub(super) reaction: Option<Value>,
    pub(crate) button: Option<Value>,
    pub(crate) interactive: Option<Value>,
    /// Id of the message that this one answers.
    pub(crate) quote: Option<String>,
    pub(super) forwarded: bool,
}

impl PhoneMessage {
    pub(crate) fn answer_to(message_id: &str) -> Self {
        Self { quote: Some(message_id.to_owned()), ..Self::default() }
    }
}

pub(crate) fn payload(
    state: &mut WorldState,
    kind: &str,
    draft: &PhoneMessage,
) -> Result<Map<String, Value>, PhoneApiError> {
    let given = |value: &Option<Value>, sample: Value| value.clone().unwrap_or(sample);
    let payload = match kind {
        "text" => match &draft.text {
            Some(text) => json!({"body": text}),
            None => return Err(PhoneApiError::Body("\"text\" is required".to_owned())),
        },
        "image" | "audio" | "video" | "document" | "sticker" => medium(state, kind, draft)?,
        "location" => given(&draft.location, samples::location()),
        "contacts" => given(&draft.contacts, samples::contacts()),
        "order" => given(&draft.order, samples::order()),
        "reaction" => reaction(draft)?,
        "button" => given(&draft.button, json!({"text": "Yes", "payload": "YES"})),
        "interactive" => match &draft.interactive {
            Some(interactive) => interactive.clone(),
            None => return Err(PhoneApiError::Body("\"interactive\" is required".to_owned())),
        },
        "unsupported" => Value::Null,
        other => {
            return Err(PhoneApiError::Body(format!("there is no message type \"{other}\"")));
        }
    };
    let mut content = Map::new();
    content.insert("type".to_owned(), json!(kind));
    if kind == "unsupported" {
        content.insert("errors".to_owned(), samples::unsupported_errors());
    } else {
        content.insert(kind.to_owned(), payload);
    }
    Ok(content)
}

pub(super) fn medium(state: &mut WorldState, kind: &str, draft: &PhoneMessage) -> Result<Value, PhoneApiError> {
    let (sample_type, sample) = samples::file(kind);
    let bytes = match &draft.base64 {
        Some(encoded) => STANDARD
            .decode(encoded)
            .map(Bytes::from)
            .map_err(|error| PhoneApiError::Body(format!("\"base64\": {error}")))?,
        None => sample,
    };
    let mime_type = draft.mime_type.as_deref().unwrap_or(sample_type);
    let stored = state.media.store(mime_type, bytes);
    let mut medium = json!({
        "id": stored.id,
        "mime_type": stored.mime_type,
        "sha256": stored.sha256_base64(),
    });
    let Some(fields) = medium.as_object_mut() else {
        return Ok(medium);
    };
    match kind {
        "audio" => {
            fields.insert("voice".to_owned(), json!(draft.voice.unwrap_or(true)));
        }
        "sticker" => {
            fields.insert("animated".to_owned(), json!(false));
        }
        "document" => {
            let filename = draft.filename.as_deref().unwrap_or("sample.pdf");
            fields.insert("filename".to_owned(), json!(filename));
        }
        _ => {}
    }
    if let Some(caption) = &draft.caption {
        fields.insert("caption".to_owned(), json!(caption));
    }
    if state.faults.media_urls {
        let url = format!("{}{}", state.origin, state.media.download_path(&stored.id));
        fields.insert("url".to_owned(), json!(url));
    }
    Ok(medium)
}

pub(super) fn reaction(draft: &PhoneMessage) -> Result<Value, PhoneApiError> {
    let field = |name: &str| draft.reaction.as_ref().and_then(|reaction| reaction.get(name));
    let id = field("messageId").and_then(Value::as_str).or(draft.quote.as_deref());
    let Some(id) = id else {
        return Err(PhoneApiError::Body("\"reaction.messageId\" is required".to_owned()));
    };
    Ok(match field("emoji").and_then(Value::as_str).filter(|emoji| !emoji.is_empty()) {
        Some(emoji) => json!({"message_id": id, "emoji": emoji}),
        None => json!({"message_id": id}),
    })
}
