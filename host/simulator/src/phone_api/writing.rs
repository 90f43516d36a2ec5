//! Messages from a phone to a business: inbound callbacks of all types (PROVIDERS A.8).

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    draft::{PhoneMessage, payload},
    error::PhoneApiError,
};
use crate::{
    callbacks::{self, SimulatedChange},
    clock, identity,
    lite::messages,
    mailbox::{PhoneChannel, StatusContext},
    numbers::BusinessNumber,
    smsc::registry::OriginationOutcome,
    world::{SimulatedWorld, WorldState},
};

pub(crate) fn write(world: &Arc<SimulatedWorld>, msisdn: &str, draft: &PhoneMessage) -> Result<String, PhoneApiError> {
    if let Some(id) = messages::write_to_device(world, msisdn, draft)? {
        return Ok(id);
    }
    let (wamid, event) = compose(&mut world.state(), msisdn, draft)?;
    world.publish(event);
    Ok(wamid)
}

fn compose(
    state: &mut WorldState,
    msisdn: &str,
    draft: &PhoneMessage,
) -> Result<(String, SimulatedChange), PhoneApiError> {
    let phone = state.phones.get(msisdn).clone();
    if !phone.on_whatsapp {
        return Err(PhoneApiError::NotOnWhatsApp(msisdn.to_owned()));
    }
    let number = business(state, msisdn, draft)?;
    let kind = draft.kind.as_deref().unwrap_or("text");
    let mut content = payload(state, kind, draft)?;
    content.extend(context(state, &number, draft));
    let wamid = identity::wamid(msisdn);
    let waba_id = state.numbers.waba_of(&number.phone_number_id);
    let value = callbacks::inbound(&number, &phone, &wamid, &content);
    state.mailbox.write(StatusContext {
        id: wamid.clone(),
        msisdn: msisdn.to_owned(),
        channel: PhoneChannel::WhatsApp,
        to: number.number,
        phone_number_id: number.phone_number_id,
        kind: kind.to_owned(),
        body: Value::Object(content),
        sent_time: clock::now(),
        read_by_business: false,
    });
    let event = SimulatedChange { queue: msisdn.to_owned(), waba_id, field: "messages".to_owned(), value, taken: None };
    Ok((wamid, event))
}

/// An SMS to the business. It is in the outbox of the phone.
pub(super) fn write_sms(world: &SimulatedWorld, msisdn: &str, to: &str, text: &str) -> OriginationOutcome {
    let sent = world.smsc.originate(msisdn, to, text);
    world.state().mailbox.write(StatusContext {
        id: format!("sms.{}", hex::encode(clock::random_bytes::<9>())),
        msisdn: msisdn.to_owned(),
        channel: PhoneChannel::Sms,
        to: to.to_owned(),
        phone_number_id: String::new(),
        kind: "text".to_owned(),
        body: json!({"type": "text", "text": {"body": text}}),
        sent_time: clock::now(),
        read_by_business: false,
    });
    sent
}

/// The recipient: the named number, that of the quoted message, the last one that wrote to this phone, or the only one.
fn business(state: &mut WorldState, msisdn: &str, draft: &PhoneMessage) -> Result<BusinessNumber, PhoneApiError> {
    if let Some(to) = &draft.to {
        let known = state.numbers.find(to).cloned();
        return Ok(known.unwrap_or_else(|| state.numbers.get(to).clone()));
    }
    let quoted = draft.quote.as_ref().and_then(|id| state.mailbox.received_message(id));
    let last = state.mailbox.inbox(msisdn).rev().find(|message| message.phone_number_id.is_some());
    let id = quoted.or(last).and_then(|message| message.phone_number_id.clone());
    let number = match id {
        Some(id) => Some(state.numbers.get(&id).clone()),
        None => state.numbers.only().cloned(),
    };
    number.ok_or(PhoneApiError::NoBusiness)
}

/// The `context` of an answer or a forwarded message.
fn context(state: &WorldState, number: &BusinessNumber, draft: &PhoneMessage) -> Option<(String, Value)> {
    if let Some(quote) = draft.quote.as_ref().filter(|_| draft.kind.as_deref() != Some("reaction")) {
        let own = state.mailbox.written_message(quote).is_some();
        let from = state.mailbox.received_message(quote).map(|message| message.from.clone());
        let from = from.filter(|_| !own).unwrap_or_else(|| number.number.clone());
        return Some(("context".to_owned(), json!({"from": from, "id": quote})));
    }
    draft.forwarded.then(|| ("context".to_owned(), json!({"forwarded": true})))
}
