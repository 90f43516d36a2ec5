//! The phone of the business in a person's hand: it scans codes and causes events.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::json;

use super::{
    answer::{DeviceAnswer, DeviceError, body, number},
    device::Device,
    wire,
};
use crate::world::SimulatedWorld;

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/lite/devices", get(list))
        .route("/lite/devices/{number}", get(show))
        .route("/lite/devices/{number}/scan", post(scan))
        .route("/lite/devices/{number}/befall", post(inject_event))
}

async fn list(State(world): State<Arc<SimulatedWorld>>) -> DeviceAnswer {
    let state = world.state();
    let devices: Vec<&Device> = state.lite.all().collect();
    Ok(Json(json!({"devices": devices})))
}

async fn show(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> DeviceAnswer {
    let number = number(&written)?;
    Ok(Json(json!(world.state().lite.get(&number))))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scan {
    code: Option<String>,
}

async fn scan(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> DeviceAnswer {
    let (number, scan): (String, Scan) = (number(&written)?, body(&bytes)?);
    world.state().lite.get(&number).scan(scan.code.as_deref())?;
    world.lite_news.notify_waiters();
    Ok(Json(json!({"paired": true})))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Befall {
    event: String,
    seconds: Option<i64>,
}

async fn inject_event(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: Bytes,
) -> DeviceAnswer {
    let (number, befall): (String, Befall) = (number(&written)?, body(&bytes)?);
    let (answer, next_code) = {
        let mut state = world.state();
        let device = state.lite.get(&number);
        let before = device.code_runs_out();
        device.inject_fault(&befall.event, befall.seconds)?;
        let next_code = device.code_runs_out().filter(|shown| before != Some(*shown));
        (serde_json::to_value(device).map_err(|error| DeviceError::Body(error.to_string()))?, next_code)
    };
    if let Some((attempt, codes, seconds)) = next_code {
        world.tasks.spawn(wire::show_codes(Arc::clone(&world), number, attempt, codes, seconds));
    }
    world.lite_news.notify_waiters();
    Ok(Json(answer))
}
