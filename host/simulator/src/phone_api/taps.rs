use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{draft::PhoneMessage, error::PhoneApiError, writing};
use crate::{
    mailbox::{Button, PhoneRecord, TapEffect},
    world::SimulatedWorld,
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TapBody {
    message_id: Option<String>,
    /// Title, id or payload as text, or the position from 0.
    button: Value,
    card: Option<usize>,
}

pub(crate) fn tap(world: &Arc<SimulatedWorld>, msisdn: &str, tap: &TapBody) -> Result<String, PhoneApiError> {
    let draft = answer(world, msisdn, tap)?;
    writing::write(world, msisdn, &draft)
}

fn answer(world: &Arc<SimulatedWorld>, msisdn: &str, tap: &TapBody) -> Result<PhoneMessage, PhoneApiError> {
    let state = world.state();
    let tappable = |message: &&PhoneRecord| match &tap.message_id {
        Some(wanted) => message.id == *wanted,
        None => message.buttons.iter().any(answers),
    };
    let message = state.mailbox.inbox(msisdn).rev().find(tappable).ok_or_else(|| {
        let wanted = tap.message_id.clone().unwrap_or_else(|| "with a button".to_owned());
        PhoneApiError::NoMessage(msisdn.to_owned(), wanted)
    })?;
    let button = find_button(&message.buttons, tap)?;
    let mut draft = PhoneMessage::answer_to(&message.id);
    match button.kind {
        TapEffect::QuickReply => {
            draft.kind = Some("button".to_owned());
            draft.button = Some(json!({"text": button.title, "payload": button.id}));
        }
        TapEffect::Row => {
            let mut reply = json!({"id": button.id, "title": button.title});
            if let (Some(fields), Some(description)) = (reply.as_object_mut(), &button.description) {
                fields.insert("description".to_owned(), json!(description));
            }
            draft.kind = Some("interactive".to_owned());
            draft.interactive = Some(json!({"type": "list_reply", "list_reply": reply}));
        }
        TapEffect::Reply | TapEffect::Local => {
            let reply = json!({"id": button.id, "title": button.title});
            draft.kind = Some("interactive".to_owned());
            draft.interactive = Some(json!({"type": "button_reply", "button_reply": reply}));
        }
    }
    Ok(draft)
}

fn answers(button: &Button) -> bool {
    button.kind != TapEffect::Local
}

fn find_button<'a>(buttons: &'a [Button], tap: &TapBody) -> Result<&'a Button, PhoneApiError> {
    let on_card = |button: &&Button| tap.card.is_none() || button.card == tap.card;
    let candidates: Vec<&Button> = buttons.iter().filter(on_card).filter(|button| answers(button)).collect();
    let named = tap.button.as_str();
    let position = match &tap.button {
        Value::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let by_name = candidates
        .iter()
        .find(|button| named == Some(button.id.as_str()))
        .or_else(|| candidates.iter().find(|button| named == Some(button.title.as_str())));
    let by_position = || candidates.iter().find(|button| Some(button.index) == position);
    by_name.or_else(by_position).copied().ok_or_else(|| {
        let known: Vec<&str> = candidates.iter().map(|button| button.title.as_str()).collect();
        PhoneApiError::NoButton(tap.button.to_string(), known.join(", "))
    })
}
