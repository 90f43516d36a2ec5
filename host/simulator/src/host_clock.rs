//! `/simulator/clock`: the business clock of the host, for the page. It can be moved if the host has `testing.clock`.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::world::SimulatedWorld;

#[derive(Debug, thiserror::Error)]
enum ClockError {
    #[error("the body is wrong: {0}")]
    Body(#[from] serde_json::Error),
    #[error("the business clock cannot be moved; start the host with testing.clock = true")]
    Fixed,
    #[error("the host refused: {0}")]
    Host(String),
}

impl IntoResponse for ClockError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Body(_) => StatusCode::BAD_REQUEST,
            Self::Fixed => StatusCode::NOT_FOUND,
            Self::Host(_) => StatusCode::BAD_GATEWAY,
        };
        (status, Json(json!({"error": self.to_string()}))).into_response()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: i64,
}

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new().route("/simulator/clock", get(show).post(advance))
}

async fn show(State(world): State<Arc<SimulatedWorld>>) -> Result<Json<Value>, ClockError> {
    ask(&world, 0).await
}

async fn advance(State(world): State<Arc<SimulatedWorld>>, body: Bytes) -> Result<Json<Value>, ClockError> {
    let Advance { seconds } = serde_json::from_slice(&body)?;
    ask(&world, seconds).await
}

/// Moves the clock by this time. Its answer is the new time, `{"now"}`.
async fn ask(world: &SimulatedWorld, seconds: i64) -> Result<Json<Value>, ClockError> {
    let url = world.testing_clock.lock().clone().ok_or(ClockError::Fixed)?;
    world.callbacks.ask_host(&url, &json!({"seconds": seconds})).await.map(Json).map_err(ClockError::Host)
}
