//! `/simulator/*`: faults, events, numbers, the request log, reset.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::account_events::{self, Injection, InjectionError};
use crate::faults::{FaultError, FaultSwitches};
use crate::identity;
use crate::numbers::BusinessNumber;
use crate::request_log::LogQuery;
use crate::sites::{SimulatedSite, SimulatedSiteError};
use crate::world::SimulatedWorld;

#[derive(Debug, thiserror::Error)]
enum ControlError {
    #[error("the body is wrong: {0}")]
    Body(#[source] serde_json::Error),
    #[error(transparent)]
    Fault(#[from] FaultError),
    #[error(transparent)]
    Injection(#[from] InjectionError),
    #[error(transparent)]
    Site(#[from] SimulatedSiteError),
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Injection(InjectionError::NoTemplate { .. }) => StatusCode::NOT_FOUND,
            Self::Body(_) | Self::Fault(_) | Self::Site(_) => StatusCode::BAD_REQUEST,
        };
        (status, Json(json!({"error": self.to_string()}))).into_response()
    }
}

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/simulator/faults", get(faults).post(set_faults).delete(clear_faults))
        .route("/simulator/numbers", get(numbers).post(set_number))
        .route("/simulator/sites", get(sites).post(set_site))
        .route("/simulator/events", post(events))
        .route("/simulator/requests", get(requests))
        .route("/simulator/reset", post(reset))
        .route("/simulator/handshake", post(handshake))
        .route("/simulator/retry", post(retry))
        .merge(crate::smsc::control::routes())
}

async fn faults(State(world): State<Arc<SimulatedWorld>>) -> Json<FaultSwitches> {
    Json(world.faults())
}

async fn set_faults(
    State(world): State<Arc<SimulatedWorld>>,
    body: Bytes,
) -> Result<Json<FaultSwitches>, ControlError> {
    let patch: Value = serde_json::from_slice(&body).map_err(ControlError::Body)?;
    let mut state = world.state();
    state.faults = state.faults.patch(&patch)?;
    Ok(Json(state.faults.clone()))
}

async fn clear_faults(State(world): State<Arc<SimulatedWorld>>) -> Json<FaultSwitches> {
    world.state().faults = FaultSwitches::default();
    Json(FaultSwitches::default())
}

async fn numbers(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    Json(json!({"numbers": world.state().numbers.all()}))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NumberPatch {
    phone_number_id: String,
    waba_id: Option<String>,
    number: Option<String>,
    verified_name: Option<String>,
    quality_rating: Option<String>,
    status: Option<String>,
    messaging_limit: Option<String>,
    throughput: Option<u32>,
}

async fn set_number(
    State(world): State<Arc<SimulatedWorld>>,
    body: Bytes,
) -> Result<Json<BusinessNumber>, ControlError> {
    let patch: NumberPatch = serde_json::from_slice(&body).map_err(ControlError::Body)?;
    let mut state = world.state();
    if let Some(waba_id) = &patch.waba_id {
        state.numbers.know_waba(waba_id);
    }
    let number = state.numbers.get(&patch.phone_number_id);
    number.waba_id = patch.waba_id.or_else(|| number.waba_id.clone());
    let digits = patch.number.map(|number| identity::digits(&number));
    number.number = digits.unwrap_or_else(|| number.number.clone());
    number.verified_name = patch.verified_name.unwrap_or_else(|| number.verified_name.clone());
    number.quality_rating = patch.quality_rating.unwrap_or_else(|| number.quality_rating.clone());
    number.status = patch.status.unwrap_or_else(|| number.status.clone());
    number.messaging_limit = patch.messaging_limit.unwrap_or_else(|| number.messaging_limit.clone());
    number.throughput = patch.throughput.unwrap_or(number.throughput);
    Ok(Json(number.clone()))
}

async fn sites(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    Json(json!({"sites": world.state().sites.all()}))
}

async fn set_site(State(world): State<Arc<SimulatedWorld>>, body: Bytes) -> Result<Json<SimulatedSite>, ControlError> {
    let site: SimulatedSite = serde_json::from_slice(&body).map_err(ControlError::Body)?;
    world.state().sites.put(&site)?;
    Ok(Json(site))
}

async fn events(State(world): State<Arc<SimulatedWorld>>, body: Bytes) -> Result<StatusCode, ControlError> {
    let injection: Injection = serde_json::from_slice(&body).map_err(ControlError::Body)?;
    account_events::inject(&world, injection)?;
    Ok(StatusCode::ACCEPTED)
}

async fn requests(State(world): State<Arc<SimulatedWorld>>, Query(query): Query<LogQuery>) -> Json<Value> {
    Json(world.state().requests.answer(&query))
}

async fn reset(State(world): State<Arc<SimulatedWorld>>) -> StatusCode {
    world.reset();
    StatusCode::NO_CONTENT
}

async fn handshake(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    let verified = world.callbacks.handshake(None, None).await;
    let messenger = world.callbacks.messenger_handshake().await;
    Json(json!({"verified": verified, "messengerVerified": messenger}))
}

async fn retry(State(world): State<Arc<SimulatedWorld>>) -> StatusCode {
    world.callbacks.retry_now();
    StatusCode::NO_CONTENT
}
