//! Messages from a phone to a business: inbound callbacks of all types (PROVIDERS A.8).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{PhoneError, samples};
use crate::callbacks::{self, Event};
use crate::mailbox::Written;
use crate::numbers::BusinessNumber;
use crate::world::{State, World};
use crate::{clock, identity, lite};

/// Body of `POST /phones/{msisdn}/messages`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Draft {
    /// Business number or phone-number id. Optional if it is unambiguous.
    pub(crate) to: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    text: Option<String>,
    /// File of a media message. Without it a small sample is sent.
    base64: Option<String>,
    mime_type: Option<String>,
    filename: Option<String>,
    caption: Option<String>,
    voice: Option<bool>,
    location: Option<Value>,
    contacts: Option<Value>,
    /// `{"messageId","emoji"}`. Without an emoji the reaction is removed.
    reaction: Option<Value>,
    pub(crate) button: Option<Value>,
    pub(crate) interactive: Option<Value>,
    /// Id of the message that this one answers.
    pub(crate) quote: Option<String>,
    forwarded: bool,
}

impl Draft {
    pub(crate) fn answer_to(message_id: &str) -> Self {
        Self { quote: Some(message_id.to_owned()), ..Self::default() }
    }
}

/// Sends a draft and returns the id of the message.
pub(crate) fn write(world: &Arc<World>, msisdn: &str, draft: &Draft) -> Result<String, PhoneError> {
    if let Some(id) = lite::write_to_device(world, msisdn, draft)? {
        return Ok(id);
    }
    let (wamid, event) = compose(&mut world.state(), msisdn, draft)?;
    world.publish(event);
    Ok(wamid)
}

fn compose(state: &mut State, msisdn: &str, draft: &Draft) -> Result<(String, Event), PhoneError> {
    let phone = state.phones.get(msisdn).clone();
    if !phone.on_whatsapp {
        return Err(PhoneError::NotOnWhatsApp(msisdn.to_owned()));
    }
    let number = business(state, msisdn, draft)?;
    let kind = draft.kind.as_deref().unwrap_or("text");
    let mut content = payload(state, kind, draft)?;
    content.extend(context(state, &number, draft));
    let wamid = identity::wamid(msisdn);
    let waba_id = state.numbers.waba_of(&number.phone_number_id);
    let value = callbacks::inbound(&number, &phone, &wamid, &content);
    state.mailbox.write(Written {
        id: wamid.clone(),
        msisdn: msisdn.to_owned(),
        to: number.number,
        phone_number_id: number.phone_number_id,
        kind: kind.to_owned(),
        body: Value::Object(content),
        sent_time: clock::now(),
        read_by_business: false,
    });
    let event = Event { queue: msisdn.to_owned(), waba_id, field: "messages".to_owned(), value, taken: None };
    Ok((wamid, event))
}

/// The recipient: the named number, that of the quoted message, the last one that wrote to this phone, or the only one.
fn business(state: &mut State, msisdn: &str, draft: &Draft) -> Result<BusinessNumber, PhoneError> {
    if let Some(to) = &draft.to {
        let known = state.numbers.find(to).cloned();
        return Ok(known.unwrap_or_else(|| state.numbers.get(to).clone()));
    }
    let quoted = draft.quote.as_ref().and_then(|id| state.mailbox.received(id));
    let last = state.mailbox.inbox(msisdn).rev().find(|message| message.phone_number_id.is_some());
    let id = quoted.or(last).and_then(|message| message.phone_number_id.clone());
    let number = match id {
        Some(id) => Some(state.numbers.get(&id).clone()),
        None => state.numbers.only().cloned(),
    };
    number.ok_or(PhoneError::NoBusiness)
}

pub(crate) fn payload(state: &mut State, kind: &str, draft: &Draft) -> Result<Map<String, Value>, PhoneError> {
    let given = |value: &Option<Value>, sample: Value| value.clone().unwrap_or(sample);
    let payload = match kind {
        "text" => match &draft.text {
            Some(text) => json!({"body": text}),
            None => return Err(PhoneError::Body("\"text\" is required".to_owned())),
        },
        "image" | "audio" | "video" | "document" | "sticker" => medium(state, kind, draft)?,
        "location" => given(&draft.location, samples::location()),
        "contacts" => given(&draft.contacts, samples::contacts()),
        "reaction" => reaction(draft)?,
        "button" => given(&draft.button, json!({"text": "Yes", "payload": "YES"})),
        "interactive" => match &draft.interactive {
            Some(interactive) => interactive.clone(),
            None => return Err(PhoneError::Body("\"interactive\" is required".to_owned())),
        },
        "unsupported" => Value::Null,
        other => {
            return Err(PhoneError::Body(format!("there is no message type \"{other}\"")));
        }
    };
    let mut content = Map::new();
    content.insert("type".to_owned(), json!(kind));
    if kind == "unsupported" {
        content.insert("errors".to_owned(), samples::unsupported());
    } else {
        content.insert(kind.to_owned(), payload);
    }
    Ok(content)
}

fn medium(state: &mut State, kind: &str, draft: &Draft) -> Result<Value, PhoneError> {
    let (sample_type, sample) = samples::file(kind);
    let bytes = match &draft.base64 {
        Some(encoded) => STANDARD
            .decode(encoded)
            .map(Bytes::from)
            .map_err(|error| PhoneError::Body(format!("\"base64\": {error}")))?,
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

fn reaction(draft: &Draft) -> Result<Value, PhoneError> {
    let field = |name: &str| draft.reaction.as_ref().and_then(|reaction| reaction.get(name));
    let id = field("messageId").and_then(Value::as_str).or(draft.quote.as_deref());
    let Some(id) = id else {
        return Err(PhoneError::Body("\"reaction.messageId\" is required".to_owned()));
    };
    Ok(match field("emoji").and_then(Value::as_str).filter(|emoji| !emoji.is_empty()) {
        Some(emoji) => json!({"message_id": id, "emoji": emoji}),
        None => json!({"message_id": id}),
    })
}

/// The `context` of an answer or a forwarded message.
fn context(state: &State, number: &BusinessNumber, draft: &Draft) -> Option<(String, Value)> {
    if let Some(quote) = draft.quote.as_ref().filter(|_| draft.kind.as_deref() != Some("reaction")) {
        let own = state.mailbox.written(quote).is_some();
        let from = state.mailbox.received(quote).map(|message| message.from.clone());
        let from = from.filter(|_| !own).unwrap_or_else(|| number.number.clone());
        return Some(("context".to_owned(), json!({"from": from, "id": quote})));
    }
    draft.forwarded.then(|| ("context".to_owned(), json!({"forwarded": true})))
}
