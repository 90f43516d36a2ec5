//! The calls of the host: start and end the connection of a device, fetch its events, and send messages.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    answer::{DeviceAnswer, DeviceError, body, number},
    messages,
};
use crate::world::SimulatedWorld;

const LONGEST_WAIT: Duration = Duration::from_secs(30);

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/lite/devices/{number}/start", post(start))
        .route("/lite/devices/{number}/disconnect", post(disconnect))
        .route("/lite/devices/{number}/logout", post(log_out))
        .route("/lite/devices/{number}/events", get(events))
        .route("/lite/devices/{number}/messages", post(send))
        .route("/lite/devices/{number}/registered/{phone}", get(look_up))
        .route("/lite/devices/{number}/read", post(read))
        .route("/lite/devices/{number}/typing", post(typing))
}

#[derive(Debug, Deserialize)]
struct Start {
    holder: String,
}

async fn start(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> DeviceAnswer {
    let (number, start): (String, Start) = (number(&written)?, body(&bytes)?);
    let shown = {
        let mut state = world.state();
        let device = state.lite.get(&number);
        let before = device.code_runs_out().map(|(attempt, ..)| attempt);
        device.start(&start.holder)?;
        device.code_runs_out().filter(|(attempt, ..)| before != Some(*attempt))
    };
    if let Some((attempt, codes, seconds)) = shown {
        world.tasks.spawn(show_codes(Arc::clone(&world), number, attempt, codes, seconds));
    }
    world.lite_news.notify_waiters();
    Ok(Json(json!({"started": true})))
}

/// Shows the next code each time one expires. Ends when another call has shown a code.
pub(super) async fn show_codes(world: Arc<SimulatedWorld>, number: String, attempt: u64, codes: u32, seconds: i64) {
    let (mut codes, mut seconds) = (codes, seconds);
    while !world.shutdown.is_cancelled() {
        world.pause(Duration::from_secs(seconds.unsigned_abs())).await;
        let next = {
            let mut state = world.state();
            let device = state.lite.get(&number);
            device.next_code(attempt, codes).then(|| device.code_runs_out()).flatten()
        };
        world.lite_news.notify_waiters();
        let Some((_, shown, lasts)) = next else { return };
        (codes, seconds) = (shown, lasts);
    }
}

async fn disconnect(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> DeviceAnswer {
    world.state().lite.get(&number(&written)?).disconnect();
    Ok(Json(json!({"connected": false})))
}

async fn log_out(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> DeviceAnswer {
    world.state().lite.get(&number(&written)?).log_out();
    Ok(Json(json!({"paired": false})))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ask {
    /// Number of the last confirmed event.
    #[serde(default)]
    seen: u64,
    #[serde(default)]
    wait_millis: u64,
}

async fn events(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    Query(ask): Query<Ask>,
) -> DeviceAnswer {
    let number = number(&written)?;
    let wait = Duration::from_millis(ask.wait_millis).min(LONGEST_WAIT);
    let deadline = tokio::time::Instant::now() + wait;
    loop {
        // Registered before the first check, so that no event is missed in between.
        let news = world.lite_news.notified();
        tokio::pin!(news);
        news.as_mut().enable();
        let (last, events) = world.state().lite.get(&number).take_events(ask.seen);
        let late = tokio::time::Instant::now() >= deadline;
        if !events.is_empty() || late || world.shutdown.is_cancelled() {
            return Ok(Json(json!({"last": last, "events": events})));
        }
        tokio::select! {
            () = news => {}
            () = tokio::time::sleep_until(deadline) => {}
            () = world.shutdown.cancelled() => {}
        }
    }
}

async fn send(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> DeviceAnswer {
    let id = messages::send(&world, &number(&written)?, &bytes)?;
    Ok(Json(json!({"id": id})))
}

async fn look_up(
    State(world): State<Arc<SimulatedWorld>>,
    Path((written, phone)): Path<(String, String)>,
) -> DeviceAnswer {
    let (number, phone) = (number(&written)?, number(&phone)?);
    let mut state = world.state();
    let device = state.lite.get(&number);
    if !device.is_up() {
        return Err(DeviceError::NotConnected);
    }
    if device.lookup_fails {
        return Err(DeviceError::LookupFails);
    }
    Ok(Json(json!({"registered": state.phones.get(&phone).on_whatsapp})))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    message_id: String,
}

async fn read(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> DeviceAnswer {
    let (_, read): (String, Read) = (number(&written)?, body(&bytes)?);
    let marked = world.state().mailbox.business_read(&read.message_id).is_some();
    Ok(Json(json!({"read": marked})))
}

#[derive(Debug, Deserialize)]
struct Typing {
    to: String,
}

async fn typing(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> DeviceAnswer {
    let (_, typing): (String, Typing) = (number(&written)?, body(&bytes)?);
    world.state().phones.get(&number(&typing.to)?).typing = true;
    Ok(Json(Value::Bool(true)))
}
