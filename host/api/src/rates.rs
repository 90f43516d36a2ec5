//! The rate card: what messages cost, by category and country.

use axum::{Json, extract::State};
use domain::rate::{ELSEWHERE, Rate, WireRates};
use outbound::rates;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Allowed, Permission, Rates},
    body::JsonBytes,
    error::ApiError,
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read, replace))
}

/// What messages cost. Messages that no rate fits have no cost.
#[derive(Serialize, ToSchema)]
#[schema(as = RateCard, examples(json!({"rates": [
    {"category": "MARKETING", "country": "27", "amount": "0.0379", "currency": "USD"},
    {"category": "SMS", "country": "*", "amount": "0.02", "currency": "USD"},
]})))]
struct CardBody {
    /// All of them.
    #[schema(max_items = 2000)]
    rates: Vec<RateBody>,
}

/// What a message of a category costs that goes to a country.
#[derive(Serialize, ToSchema)]
#[schema(as = Rate)]
struct RateBody {
    /// `MARKETING`, `UTILITY`, `AUTHENTICATION`, `SERVICE` (free-form), `SMS`, or `INCOMING` for what customers write.
    category: String,
    /// A calling code such as `27`; two letters such as `ZA` for recipients who are known by a user id alone; `*` for
    /// everywhere else. The longest one that fits counts.
    country: String,
    /// A decimal number, as text.
    #[schema(examples("0.0379"))]
    amount: String,
    /// Three letters.
    #[schema(examples("USD"))]
    currency: String,
}

fn shown(rates: Vec<Rate>) -> Json<CardBody> {
    let rate = |rate: Rate| RateBody {
        category: rate.category,
        country: if rate.country.is_empty() { ELSEWHERE.to_owned() } else { rate.country },
        amount: rate.amount,
        currency: rate.currency,
    };
    Json(CardBody { rates: rates.into_iter().map(rate).collect() })
}

/// What messages cost.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/rate-card",
    operation_id = "readRateCard",
    tag = "Rate card",
    security(("apiKey" = [Rates::ROW.name])),
    responses((status = 200, description = "The rates.", body = CardBody)),
)]
async fn read(State(state): State<ApiState>, allowed: Allowed<Rates>) -> Result<Json<CardBody>, ApiError> {
    Ok(shown(rates::all(&state.context.db, allowed.caller.client).await?))
}

/// Makes the rates exactly these.
///
/// Statuses that are reported from now on carry them as `cost`: amount and currency.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/rate-card",
    operation_id = "replaceRateCard",
    tag = "Rate card",
    request_body = CardBody,
    security(("apiKey" = [Rates::ROW.name])),
    responses((status = 200, description = "The rates as they are now.", body = CardBody)),
)]
async fn replace(
    State(state): State<ApiState>,
    allowed: Allowed<Rates>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<CardBody>, ApiError> {
    let card = WireRates::parse(&bytes).map_err(ApiError::faults)?;
    rates::replace(&state.context, allowed.caller.client, allowed.actor(), &card).await?;
    Ok(shown(rates::all(&state.context.db, allowed.caller.client).await?))
}
