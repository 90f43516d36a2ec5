//! Messages through a device in both directions, and receipts of outgoing ones.

use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{DeviceError, body};
use crate::{
    clock, identity,
    mailbox::{CallbackFields, MessageState, PhoneChannel, PhoneRecord, StatusContext},
    phone_api::{
        draft::{PhoneMessage, payload},
        error::PhoneApiError,
    },
    timeline,
    world::{SimulatedWorld, WorldState},
};

/// An outgoing message of a device. Lite numbers have no templates and no buttons.
#[derive(Debug, Deserialize)]
struct Outgoing {
    id: String,
    to: String,
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    url: Option<String>,
    location: Option<Value>,
    #[serde(rename = "reactedTo")]
    reacted_to: Option<String>,
}

impl Outgoing {
    fn read(&self) -> Result<String, DeviceError> {
        let missing = |field: &str| DeviceError::Body(format!("\"{field}\" is required for type {}", self.kind));
        match self.kind.as_str() {
            "text" => self.text.clone().ok_or_else(|| missing("text")),
            "image" | "video" | "audio" | "voice" | "document" | "sticker" => {
                self.url.as_ref().ok_or_else(|| missing("url"))?;
                Ok(self.text.clone().unwrap_or_default())
            }
            "location" => {
                let place = self.location.as_ref().ok_or_else(|| missing("location"))?;
                Ok(place.get("name").and_then(Value::as_str).unwrap_or_default().to_owned())
            }
            "reaction" => {
                self.reacted_to.as_ref().ok_or_else(|| missing("reactedTo"))?;
                self.text.clone().ok_or_else(|| missing("text"))
            }
            other => Err(DeviceError::Body(format!("a device sends no messages of type \"{other}\""))),
        }
    }
}

pub(super) fn send(world: &Arc<SimulatedWorld>, number: &str, bytes: &Bytes) -> Result<String, DeviceError> {
    let outgoing: Outgoing = body(bytes)?;
    let (text, msisdn) = (outgoing.read()?, crate::lite::answer::number(&outgoing.to)?);
    {
        let mut state = world.state();
        if !state.lite.get(number).is_up() {
            return Err(DeviceError::NotConnected);
        }
        if !state.phones.get(&msisdn).on_whatsapp {
            return Err(DeviceError::NotRegistered(msisdn));
        }
        if state.mailbox.received_message(&outgoing.id).is_some() {
            return Ok(outgoing.id);
        }
        state.phones.get(&msisdn).typing = false;
        state.mailbox.receive(record_of(number, &msisdn, &outgoing, text, bytes));
    }
    world.tasks.spawn(timeline::play(Arc::clone(world), outgoing.id.clone(), None, None));
    Ok(outgoing.id)
}

fn record_of(number: &str, msisdn: &str, outgoing: &Outgoing, text: String, bytes: &Bytes) -> PhoneRecord {
    PhoneRecord {
        id: outgoing.id.clone(),
        msisdn: msisdn.to_owned(),
        channel: PhoneChannel::WhatsApp,
        from: number.to_owned(),
        phone_number_id: None,
        // The phone shows a voice note as audio.
        kind: if outgoing.kind == "voice" { "audio".to_owned() } else { outgoing.kind.clone() },
        text,
        buttons: Vec::new(),
        cards: Vec::new(),
        body: bytes.clone(),
        received_time: clock::now(),
        status: MessageState::Accepted,
        parts: None,
        data_coding: None,
        sender: Some(CallbackFields { opaque: None, by_user_id: false, category: "service".to_owned(), priced: false }),
        device: Some(number.to_owned()),
    }
}

pub(crate) fn write_to_device(
    world: &Arc<SimulatedWorld>,
    msisdn: &str,
    draft: &PhoneMessage,
) -> Result<Option<String>, PhoneApiError> {
    let id = {
        let mut state = world.state();
        let Some(number) = receiving_number(&state, msisdn, draft) else { return Ok(None) };
        compose(&mut state, msisdn, &number, draft)?
    };
    world.lite_news.notify_waiters();
    Ok(Some(id))
}

/// The Lite number that a draft is for: the named one, or the one whose message it answers.
fn receiving_number(state: &WorldState, msisdn: &str, draft: &PhoneMessage) -> Option<String> {
    if let Some(to) = &draft.to {
        let digits = identity::digits(to);
        return state.lite.knows(&digits).then_some(digits);
    }
    let quoted = draft.quote.as_ref().and_then(|id| state.mailbox.received_message(id));
    quoted.or_else(|| state.mailbox.inbox(msisdn).next_back()).and_then(|message| message.device.clone())
}

fn compose(state: &mut WorldState, msisdn: &str, number: &str, draft: &PhoneMessage) -> Result<String, PhoneApiError> {
    let phone = state.phones.get(msisdn).clone();
    if !phone.on_whatsapp {
        return Err(PhoneApiError::NotOnWhatsApp(msisdn.to_owned()));
    }
    let kind = draft.kind.as_deref().unwrap_or("text");
    let mut content: Map<String, Value> = payload(state, kind, draft)?;
    address_files(state, kind, &mut content);
    let id = format!("3A{}", hex::encode_upper(clock::random_bytes::<9>()));
    let mut event = Map::new();
    event.insert("type".to_owned(), json!("message"));
    event.insert("id".to_owned(), json!(id));
    if !phone.hide_phone {
        event.insert("from".to_owned(), json!(phone.wa_id()));
    }
    event.insert("userId".to_owned(), json!(phone.user_id));
    event.insert("name".to_owned(), json!(phone.name));
    event.insert("username".to_owned(), json!(phone.username));
    event.insert("time".to_owned(), json!(clock::now()));
    event.insert("quoted".to_owned(), json!(draft.quote));
    event.insert("message".to_owned(), Value::Object(content.clone()));
    state.mailbox.write(StatusContext {
        id: id.clone(),
        msisdn: msisdn.to_owned(),
        channel: PhoneChannel::WhatsApp,
        to: number.to_owned(),
        phone_number_id: number.to_owned(),
        kind: kind.to_owned(),
        body: Value::Object(content),
        sent_time: clock::now(),
        read_by_business: false,
    });
    state.lite.get(number).record_callback(Value::Object(event));
    Ok(id)
}

fn address_files(state: &WorldState, kind: &str, content: &mut Map<String, Value>) {
    let Some(file) = content.get_mut(kind).and_then(Value::as_object_mut) else { return };
    let Some(id) = file.get("id").and_then(Value::as_str) else { return };
    let url = format!("{}{}", state.origin, state.media.download_path(id));
    file.insert("url".to_owned(), json!(url));
}
