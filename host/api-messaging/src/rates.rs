use api_core::{
    auth::{AuthorizedCaller, Permission, Rates},
    body::JsonBytes,
    error::ApiError,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::rate::{ELSEWHERE, Rate, WireRates};
use outbound::rates;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::closed_sets::RateCategoryName;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read, replace))
}

/// The cost of messages. A message without a matching rate has no cost.
#[derive(Serialize, ToSchema)]
#[schema(as = RateCard, examples(json!({"rates": [
    {"category": "MARKETING", "country": "27", "amount": "0.0379", "currency": "USD"},
    {"category": "SMS", "country": "*", "amount": "0.02", "currency": "USD"},
]})))]
struct CardBody {
    /// All rates.
    #[schema(max_items = 2000)]
    rates: Vec<RateBody>,
}

/// The cost of a message of a category to or from a country.
#[derive(Serialize, ToSchema)]
#[schema(as = Rate)]
struct RateBody {
    /// The category of the messages.
    #[schema(value_type = RateCategoryName)]
    category: String,
    /// A calling code such as `27`; two letters such as `ZA` for recipients known only by a BSUID; `*` for all other
    /// countries. The longest match counts.
    country: String,
    /// A decimal number, as text.
    #[schema(examples("0.0379"))]
    amount: String,
    /// Currency code of three letters.
    #[schema(examples("USD"))]
    currency: String,
}

fn card_body(rates: Vec<Rate>) -> Json<CardBody> {
    let rate = |rate: Rate| RateBody {
        category: rate.category,
        country: if rate.country.is_empty() { ELSEWHERE.to_owned() } else { rate.country },
        amount: rate.amount,
        currency: rate.currency,
    };
    Json(CardBody { rates: rates.into_iter().map(rate).collect() })
}

/// Returns the rate card.
///
/// Webhooks report costs by these rates.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/rate-card",
    operation_id = "readRateCard",
    tag = "Rate card",
    security(("apiKey" = [Rates::ROW.name])),
    responses((status = 200, description = "The rates.", body = CardBody)),
)]
async fn read(State(state): State<ApiState>, allowed: AuthorizedCaller<Rates>) -> Result<Json<CardBody>, ApiError> {
    Ok(card_body(rates::all(&state.context.db, allowed.caller.client).await?))
}

/// Replaces the rate card.
///
/// The body is the whole new rate card. Status events after this change report the new rate in `cost`.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/rate-card",
    operation_id = "replaceRateCard",
    tag = "Rate card",
    request_body(content = CardBody, description = "The whole new rate card."),
    security(("apiKey" = [Rates::ROW.name])),
    responses((status = 200, description = "The new rates.", body = CardBody)),
)]
async fn replace(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Rates>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<CardBody>, ApiError> {
    let card = WireRates::parse(&bytes).map_err(ApiError::faults)?;
    rates::replace(&state.context, allowed.caller.client, allowed.actor(), &card).await?;
    Ok(card_body(rates::all(&state.context.db, allowed.caller.client).await?))
}
