//! The phones over HTTP: `/phones`, for people with curl and for tests.

pub(crate) mod draft;
pub(crate) mod error;
pub(crate) mod samples;
mod taps;
pub(crate) mod writing;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    identity,
    mailbox::{MessageState, PhoneChannel, PhoneRecord},
    phones::{PhonePatch, SimulatedPhone},
    timeline,
    world::SimulatedWorld,
};
use error::PhoneApiError;

type Answer = Result<Json<Value>, PhoneApiError>;

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/phones", get(list))
        .route("/phones/{msisdn}", get(show).put(change))
        .route("/phones/{msisdn}/inbox", get(inbox))
        .route("/phones/{msisdn}/outbox", get(outbox))
        .route("/phones/{msisdn}/messages", post(write))
        .route("/phones/{msisdn}/sms", post(write_sms))
        .route("/phones/{msisdn}/tap", post(tap))
        .route("/phones/{msisdn}/read", post(read))
        .route("/phones/{msisdn}/play", post(play))
        .route("/phones/{msisdn}/deliver", post(deliver))
}

fn msisdn(written: &str) -> Result<String, PhoneApiError> {
    let digits = identity::digits(written);
    if digits.is_empty() { Err(PhoneApiError::NotANumber(written.to_owned())) } else { Ok(digits) }
}

fn body<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, PhoneApiError> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| PhoneApiError::Body(error.to_string()))
}

async fn list(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    Json(json!({"phones": world.state().phones.all()}))
}

async fn show(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
) -> Result<Json<SimulatedPhone>, PhoneApiError> {
    Ok(Json(world.state().phones.get(&msisdn(&written)?).clone()))
}

async fn change(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Result<Json<SimulatedPhone>, PhoneApiError> {
    let patch: PhonePatch = body(&bytes)?;
    Ok(Json(world.state().phones.patch(&msisdn(&written)?, patch)))
}

async fn inbox(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> Answer {
    let msisdn = msisdn(&written)?;
    let state = world.state();
    let messages: Vec<&PhoneRecord> = state.mailbox.inbox(&msisdn).collect();
    Ok(Json(json!({"messages": messages})))
}

async fn outbox(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> Answer {
    let msisdn = msisdn(&written)?;
    let state = world.state();
    let messages: Vec<_> = state.mailbox.outbox(&msisdn).collect();
    Ok(Json(json!({"messages": messages})))
}

async fn write(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Answer {
    let wamid = writing::write(&world, &msisdn(&written)?, &body(&bytes)?)?;
    Ok(Json(json!({"id": wamid})))
}

#[derive(Debug, Deserialize)]
struct MobileOriginated {
    to: String,
    text: String,
}

async fn write_sms(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Answer {
    let sms: MobileOriginated = body(&bytes)?;
    let sent = writing::write_sms(&world, &msisdn(&written)?, &sms.to, &sms.text);
    Ok(Json(json!({"parts": sent.parts, "receivers": sent.systems})))
}

async fn tap(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Answer {
    let wamid = taps::tap(&world, &msisdn(&written)?, &body(&bytes)?)?;
    Ok(Json(json!({"id": wamid})))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Which {
    message_id: Option<String>,
}

async fn read(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Answer {
    move_on(&world, &written, &bytes, MessageState::Read)
}

async fn play(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Answer {
    move_on(&world, &written, &bytes, MessageState::Played)
}

async fn deliver(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: axum::body::Bytes,
) -> Answer {
    move_on(&world, &written, &bytes, MessageState::Delivered)
}

/// Advances the named message, or all WhatsApp messages on the phone that have not reached this state.
fn move_on(world: &Arc<SimulatedWorld>, written: &str, bytes: &[u8], progress: MessageState) -> Answer {
    let msisdn = msisdn(written)?;
    let which: Which = body(bytes)?;
    let ids: Vec<String> = {
        let state = world.state();
        let waiting = state.mailbox.inbox(&msisdn).filter(|message| {
            message.channel == PhoneChannel::WhatsApp && (progress != MessageState::Played || message.kind == "audio")
        });
        let all = waiting.map(|message| message.id.clone());
        match which.message_id {
            None => all.collect(),
            Some(wanted) => {
                let found: Vec<String> = all.filter(|id| *id == wanted).collect();
                if found.is_empty() {
                    return Err(PhoneApiError::NoMessage(msisdn, wanted));
                }
                found
            }
        }
    };
    let moved: Vec<&String> = ids.iter().filter(|id| timeline::advance(world, id, progress, None)).collect();
    Ok(Json(json!({"messageIds": moved})))
}
