//! Taps on buttons of messages.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{draft::Draft, error::PhoneError, writing};
use crate::{
    mailbox::{Button, ButtonKind, Received},
    world::World,
};

/// Body of `POST /phones/{msisdn}/tap`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Tap {
    /// Default: the newest message with buttons.
    message_id: Option<String>,
    /// Title, id or payload as text, or the position from 0.
    button: Value,
    /// Card of a carousel, from 0.
    card: Option<usize>,
}

/// Taps a button. Returns the id of the resulting message.
pub(crate) fn tap(world: &Arc<World>, msisdn: &str, tap: &Tap) -> Result<String, PhoneError> {
    let draft = answer(world, msisdn, tap)?;
    writing::write(world, msisdn, &draft)
}

fn answer(world: &Arc<World>, msisdn: &str, tap: &Tap) -> Result<Draft, PhoneError> {
    let state = world.state();
    let tappable = |message: &&Received| match &tap.message_id {
        Some(wanted) => message.id == *wanted,
        None => message.buttons.iter().any(answers),
    };
    let message = state.mailbox.inbox(msisdn).rev().find(tappable).ok_or_else(|| {
        let wanted = tap.message_id.clone().unwrap_or_else(|| "with a button".to_owned());
        PhoneError::NoMessage(msisdn.to_owned(), wanted)
    })?;
    let button = chosen(&message.buttons, tap)?;
    let mut draft = Draft::answer_to(&message.id);
    match button.kind {
        ButtonKind::QuickReply => {
            draft.kind = Some("button".to_owned());
            draft.button = Some(json!({"text": button.title, "payload": button.id}));
        }
        ButtonKind::Row => {
            let mut reply = json!({"id": button.id, "title": button.title});
            if let (Some(fields), Some(description)) = (reply.as_object_mut(), &button.description) {
                fields.insert("description".to_owned(), json!(description));
            }
            draft.kind = Some("interactive".to_owned());
            draft.interactive = Some(json!({"type": "list_reply", "list_reply": reply}));
        }
        ButtonKind::Reply | ButtonKind::Local => {
            let reply = json!({"id": button.id, "title": button.title});
            draft.kind = Some("interactive".to_owned());
            draft.interactive = Some(json!({"type": "button_reply", "button_reply": reply}));
        }
    }
    Ok(draft)
}

/// True if a tap on the button writes to the business.
fn answers(button: &Button) -> bool {
    button.kind != ButtonKind::Local
}

fn chosen<'a>(buttons: &'a [Button], tap: &Tap) -> Result<&'a Button, PhoneError> {
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
        PhoneError::NoButton(tap.button.to_string(), known.join(", "))
    })
}
