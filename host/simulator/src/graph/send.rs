//! `POST /{phone-number-id}/messages`: sends, mark-read and typing (PROVIDERS A.2 to A.5).

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    body::Bytes,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{
    call::{GraphCall, parsed},
    content,
    errors::SimulatedGraphError,
    message_content::PhoneContent,
    one_time_codes, template_send,
};
use crate::{
    clock, identity,
    mailbox::{CallbackFields, MessageState, PhoneChannel, PhoneRecord},
    phones::SimulatedPhone,
    request_log::LoggedRequest,
    timeline,
    world::{SimulatedWorld, WorldState},
};

const LONGEST_OPAQUE: usize = 512;
/// Delay of the answer if the phone has `timeout`.
const NO_ANSWER: Duration = Duration::from_secs(60);
/// Time that an answer waits for its `sent` callback with `statusBeforeAnswer`.
const STATUS_FIRST: Duration = Duration::from_secs(5);
const WINDOW: chrono::TimeDelta = chrono::TimeDelta::hours(24);

struct Accepted {
    wamid: String,
    answer: Value,
    failure: Option<u32>,
    unanswered: bool,
}

struct Recipient {
    msisdn: String,
    input: String,
    by_user_id: bool,
}

pub(crate) async fn answer(call: GraphCall, body: Bytes) -> Result<Response, SimulatedGraphError> {
    let message = parsed(&body)?;
    if message.get("messaging_product").and_then(Value::as_str) != Some("whatsapp") {
        return Err(SimulatedGraphError::parameter("The parameter messaging_product is required."));
    }
    if message.get("status").is_some() {
        let outcome = mark_read(&mut call.world.state(), &message);
        log(&call, "read", &message, body, outcome.as_ref().err(), None);
        return outcome.map(|answer| Json(answer).into_response());
    }
    let (outcome, faults) = {
        let mut state = call.world.state();
        let outcome = accept(&mut state, &call.node, &message, &body);
        (outcome, state.faults.clone())
    };
    let wamid = outcome.as_ref().ok().map(|accepted| accepted.wamid.clone());
    log(&call, "send", &message, body, outcome.as_ref().err(), wamid);
    let accepted = outcome?;
    start_timeline(&call.world, &accepted, faults.status_before_answer).await;
    let held = if accepted.unanswered { NO_ANSWER } else { Duration::from_millis(faults.hold_answers_millis) };
    call.world.pause(held).await;
    Ok(Json(accepted.answer).into_response())
}

async fn start_timeline(world: &Arc<SimulatedWorld>, accepted: &Accepted, status_first: bool) {
    let (sender, receiver) = oneshot::channel();
    let first_taken = status_first.then_some(sender);
    world.tasks.spawn(timeline::play(Arc::clone(world), accepted.wamid.clone(), accepted.failure, first_taken));
    if status_first {
        // If the host never accepts the callback, the answer is sent anyway.
        let _ = tokio::time::timeout(STATUS_FIRST, receiver).await;
    }
}

fn log(
    call: &GraphCall,
    kind: &'static str,
    message: &Value,
    body: Bytes,
    refused: Option<&SimulatedGraphError>,
    wamid: Option<String>,
) {
    let opaque = message.get("biz_opaque_callback_data").and_then(Value::as_str);
    call.world.state().requests.add(LoggedRequest {
        time: clock::now(),
        path: format!("/{}/{}/messages", call.version, call.node),
        kind,
        opaque: opaque.map(str::to_owned),
        status: refused.map_or(200, |error| error.status),
        code: refused.map(|error| error.code),
        wamid,
        body,
    });
}

/// Mark-read, with or without the typing indicator. It also marks all earlier messages.
fn mark_read(state: &mut WorldState, message: &Value) -> Result<Value, SimulatedGraphError> {
    if message.get("status").and_then(Value::as_str) != Some("read") {
        return Err(SimulatedGraphError::parameter("Param status must be one of {READ}."));
    }
    let id = message.get("message_id").and_then(Value::as_str);
    let id = id.ok_or_else(|| SimulatedGraphError::missing("message_id"))?;
    let typing = match message.get("typing_indicator") {
        None => false,
        Some(indicator) if indicator.get("type").and_then(Value::as_str) == Some("text") => true,
        Some(_) => return Err(SimulatedGraphError::invalid("typing_indicator.type", "must be text")),
    };
    let marked = state
        .mailbox
        .business_read(id)
        .ok_or_else(|| SimulatedGraphError::invalid("message_id", "no message of a user has this id"))?;
    state.phones.get(&marked.msisdn).typing = typing;
    Ok(json!({"success": true}))
}

fn accept(state: &mut WorldState, node: &str, message: &Value, body: &Bytes) -> Result<Accepted, SimulatedGraphError> {
    let recipient = recipient(state, message)?;
    let opaque = opaque(message)?;
    let kind = content::kind_of(message)?.to_owned();
    let (content, category) = match kind.as_str() {
        "template" => template(state, node, message, recipient.by_user_id)?,
        kind => (content::validate(kind, message, &state.media)?, "service".to_owned()),
    };
    let number = state.numbers.get(node).clone();
    if number.number == recipient.msisdn {
        return Err(SimulatedGraphError::plain(400, 131_021));
    }
    let faults = state.faults.clone();
    state.limits.count(&faults, node, number.throughput, &recipient.msisdn)?;
    let phone = state.phones.get(&recipient.msisdn);
    if let Some(rejection) = phone.take_rejection() {
        return Err(SimulatedGraphError::plain(rejection.status, rejection.code));
    }
    phone.typing = false;
    let phone = phone.clone();
    let outside = faults.enforce_window && kind != "template" && !in_window(state, node, &phone);
    let wamid = identity::wamid(&phone.msisdn);
    state.mailbox.receive(PhoneRecord {
        id: wamid.clone(),
        msisdn: phone.msisdn.clone(),
        channel: PhoneChannel::WhatsApp,
        from: number.number,
        phone_number_id: Some(node.to_owned()),
        kind,
        text: content.text,
        buttons: content.buttons,
        cards: content.cards,
        body: body.clone(),
        received_time: clock::now(),
        status: MessageState::Accepted,
        parts: None,
        data_coding: None,
        sender: Some(CallbackFields { opaque, by_user_id: recipient.by_user_id, category, priced: false }),
        device: None,
    });
    Ok(Accepted {
        answer: accepted_answer(&recipient, &phone, &wamid),
        wamid,
        failure: phone.failure().or(outside.then_some(131_047)),
        unanswered: phone.timeout,
    })
}

fn in_window(state: &WorldState, node: &str, phone: &SimulatedPhone) -> bool {
    let last = state.mailbox.last_written(&phone.msisdn, node);
    last.is_some_and(|last| clock::now() - last < WINDOW)
}

/// If both are given, `to` takes precedence over `recipient` (PROVIDERS A.2).
fn recipient(state: &WorldState, message: &Value) -> Result<Recipient, SimulatedGraphError> {
    let kind = message.get("recipient_type").and_then(Value::as_str).unwrap_or("individual");
    if kind != "individual" {
        return Err(SimulatedGraphError::parameter("Param recipient_type must be one of {INDIVIDUAL}."));
    }
    let read = |field: &str| match message.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(SimulatedGraphError::invalid(field, "must be a string")),
    };
    if let Some(to) = read("to")? {
        let msisdn = identity::digits(&to);
        let odd = to.chars().any(|c| !(c.is_ascii_digit() || " +-()".contains(c)));
        if odd || !(5..=20).contains(&msisdn.len()) {
            return Err(SimulatedGraphError::invalid("to", "is not a valid phone number"));
        }
        return Ok(Recipient { msisdn, input: to, by_user_id: false });
    }
    let user_id = read("recipient")?.ok_or_else(|| SimulatedGraphError::parameter("The parameter to is required."))?;
    match state.phones.by_user_id(&user_id) {
        Some(phone) => Ok(Recipient { msisdn: phone.msisdn.clone(), input: user_id, by_user_id: true }),
        None => Err(SimulatedGraphError::plain(400, 131_026)),
    }
}

fn opaque(message: &Value) -> Result<Option<String>, SimulatedGraphError> {
    match message.get("biz_opaque_callback_data") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(data)) if data.chars().count() <= LONGEST_OPAQUE => Ok(Some(data.clone())),
        Some(_) => {
            Err(SimulatedGraphError::parameter("Param biz_opaque_callback_data must be at most 512 characters long."))
        }
    }
}

fn template(
    state: &mut WorldState,
    node: &str,
    message: &Value,
    by_user_id: bool,
) -> Result<(PhoneContent, String), SimulatedGraphError> {
    let sent = super::fields::FieldNode::new(message).object("", "template")?;
    let name = sent.required_text("template", "name", 512)?;
    let language = sent.object("template", "language")?.required_text("template.language", "code", 20)?;
    let waba_id = state.numbers.waba_of(node);
    let found = state.catalogue.find(&waba_id, name, language).cloned();
    let template = found.ok_or_else(|| {
        SimulatedGraphError::new(132_001, format!("template name ({name}) does not exist in {language}"))
    })?;
    template_send::check_status(&template)?;
    if by_user_id && one_time_codes::needs_a_number(&template) {
        return Err(SimulatedGraphError::plain(400, 131_062));
    }
    let sent = message.get("template").unwrap_or(&Value::Null);
    let content = template_send::render(&template, sent, &state.media)?;
    Ok((content, template.category.to_lowercase()))
}

/// `wa_id` for sends to a number, `user_id` for sends to a BSUID (PROVIDERS A.4).
fn accepted_answer(recipient: &Recipient, phone: &SimulatedPhone, wamid: &str) -> Value {
    let contact = if recipient.by_user_id {
        json!({"input": recipient.input, "user_id": phone.user_id})
    } else {
        json!({"input": recipient.input, "wa_id": phone.wa_id()})
    };
    json!({
        "messaging_product": "whatsapp",
        "contacts": [contact],
        "messages": [{"id": wamid, "message_status": "accepted"}],
    })
}
