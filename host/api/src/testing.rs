//! `testing.clock`: moves the business clock. It is served only if the setting is on.

use api_core::{body::SmallJson, error::ApiError, state::ApiState};
use axum::{Json, extract::State};
use domain::iso_time::iso_time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Ten years: longer than the period of any rule, and far from the largest timestamp.
const MAX_SECONDS: i64 = 10 * 366 * 24 * 3600;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(advance))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = ClockAdvance)]
struct Advance {
    /// Number of seconds. The clock only moves forward.
    #[schema(minimum = 0, maximum = 316_224_000, examples(3600))]
    seconds: i64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ClockAdvanced)]
struct Advanced {
    /// New time of the business clock.
    #[schema(format = DateTime)]
    now: String,
}

/// Moves the business clock of all nodes forward.
///
/// Work that is then due is done at once.
#[utoipa::path(
    post,
    path = "/testing/clock/advance",
    operation_id = "advanceClock",
    tag = "Testing",
    request_body = Advance,
    responses((status = 200, description = "The clock was moved.", body = Advanced)),
)]
async fn advance(
    State(state): State<ApiState>,
    SmallJson(body): SmallJson<Advance>,
) -> Result<Json<Advanced>, ApiError> {
    if !(0..=MAX_SECONDS).contains(&body.seconds) {
        let said = format!("must be from 0 to {MAX_SECONDS}: the clock only moves forward");
        return Err(ApiError::fault("seconds", said));
    }
    let Some(clock) = &state.settings.testing_clock else { return Err(ApiError::not_found()) };
    let now = clock.advance(body.seconds).await.map_err(ApiError::internal)?;
    Ok(Json(Advanced { now: iso_time(now) }))
}
