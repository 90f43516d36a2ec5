//! `testing.clock`: moves the business clock. Not served otherwise.

use axum::{Json, extract::State};
use chrono::SecondsFormat;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{body::JsonBody, error::ApiError, state::ApiState};

/// Ten years: further than any rule looks, and far from the end of what a timestamp can say.
const MAX_SECONDS: i64 = 10 * 366 * 24 * 3600;

#[derive(Deserialize)]
pub(crate) struct Advance {
    seconds: i64,
}

pub(crate) async fn advance(
    State(state): State<ApiState>,
    JsonBody(body): JsonBody<Advance>,
) -> Result<Json<Value>, ApiError> {
    if !(0..=MAX_SECONDS).contains(&body.seconds) {
        let said = format!("must be from 0 to {MAX_SECONDS}: the clock only moves forward");
        return Err(ApiError::fault("seconds", said));
    }
    let Some(clock) = &state.settings.testing_clock else { return Err(ApiError::not_found()) };
    let now = clock.advance(body.seconds).await.map_err(ApiError::internal)?;
    Ok(Json(json!({"now": now.to_rfc3339_opts(SecondsFormat::Millis, true)})))
}
