//! The message processing configuration of a Lite number: batch size, delay, hours of the day (SPEC 8).

use api_core::{
    auth::{AuthorizedCaller, LiteNumbers, Looking, Permission},
    body::JsonBytes,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::{
    ids::InboxId,
    lite::{Throttle, ThrottleRequest},
};
use inbound::lite;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::refusal::api_error;

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read, change))
}

/// Pace and hours of a number.
#[derive(ToSchema)]
#[schema(as = MessageProcessing, rename_all = "camelCase", examples(json!({
    "batchSize": 10, "throttleDelayMillis": 1000, "dailyStart": "08:00", "dailyEnd": "20:00",
})))]
#[expect(dead_code, reason = "describes the body, which the domain parses")]
struct Change {
    /// Messages that go out without a pause. If absent, 10.
    #[schema(minimum = 1, maximum = 1000)]
    batch_size: Option<u32>,
    /// Pause after them. If absent, 1,000.
    #[schema(minimum = 0, maximum = 3_600_000)]
    throttle_delay_millis: Option<u64>,
    /// Start of the daily hours, in the client's time zone. If this and `dailyEnd` are absent, messages go out all day.
    #[schema(examples("08:00"))]
    daily_start: Option<String>,
    /// End of the daily hours. If it is before `dailyStart`, they go past midnight.
    #[schema(examples("20:00"))]
    daily_end: Option<String>,
}

/// Pace and hours of a number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StoredMessageProcessing)]
struct Stored {
    /// Messages that go out without a pause.
    batch_size: Option<u32>,
    /// Pause after them.
    throttle_delay_millis: Option<u64>,
    /// Start of the daily hours. Absent if messages go out all day.
    #[serde(skip_serializing_if = "Option::is_none")]
    daily_start: Option<String>,
    /// End of the daily hours. Absent if messages go out all day.
    #[serde(skip_serializing_if = "Option::is_none")]
    daily_end: Option<String>,
    /// The client's time zone, for the hours.
    #[schema(examples("Africa/Johannesburg"))]
    time_zone: String,
}

impl Stored {
    fn of(throttle: &Throttle, time_zone: String) -> Self {
        let shown = ThrottleRequest::from(throttle);
        Self {
            batch_size: shown.batch_size,
            throttle_delay_millis: shown.throttle_delay_millis,
            daily_start: shown.daily_start,
            daily_end: shown.daily_end,
            time_zone,
        }
    }
}

/// Returns the pace and hours of a Lite number.
///
/// A Lite number sends slowly and within hours, so that it is not blocked.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/messageProcessing",
    operation_id = "getMessageProcessing",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [Looking::ROW.name])),
    responses(
        (status = 200, description = "The configuration.", body = Stored),
        (status = 400, description = "The number is not a Lite number."),
    ),
)]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<Stored>, ApiError> {
    let (throttle, zone) = lite::processing(&state.context, allowed.caller.client, id).await.map_err(api_error)?;
    Ok(Json(Stored::of(&throttle, zone)))
}

/// Changes the pace and hours of a Lite number.
///
/// The configuration is replaced as a whole: absent fields get their default. Waiting messages follow it within
/// seconds.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/messageProcessing",
    operation_id = "changeMessageProcessing",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    request_body = Change,
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 200, description = "The changed configuration.", body = Stored),
        (status = 400, description = "The number is not a Lite number, or the body is wrong."),
    ),
)]
async fn change(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiteNumbers>,
    Segments(id): Segments<InboxId>,
    JsonBytes(body): JsonBytes,
) -> Result<Json<Stored>, ApiError> {
    let throttle = ThrottleRequest::parse(&body).map_err(ApiError::faults)?;
    let client = allowed.caller.client;
    let zone = lite::set_processing(&state.context, client, id, allowed.actor(), &throttle).await.map_err(api_error)?;
    Ok(Json(Stored::of(&throttle, zone)))
}
