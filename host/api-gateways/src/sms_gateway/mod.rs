//! The JSON SMS gateway (SPEC 4.8; `docs/sms-gateway.md`).

mod query_send;
mod schema;

use std::sync::Arc;

use api_core::{
    admission::reservation::AdmittedRequest,
    auth::{AuthorizedCaller, Permission, SmsGateway},
    body::{JsonBody, JsonBytes},
    error::{ApiError, ErrorKind},
    path::Segments,
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse, Response},
};
use base::{
    audit::Actor,
    heavy_work::{self, BodyOwner},
};
use chrono::{DateTime, Utc};
use domain::{
    ids::ClientId,
    sms_products::{GatewayStatus, cell, json::JsonSend, tracking::TrackingBody},
};
use sms::{
    json::{self, SendError, TrackError},
    stops,
};
use tenancy::credits;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::state::SmsGatewayState;
use query_send::LightSend;
use schema::{Balance, OptOuts, RemovedNumber, SendAnswer, TrackingAnswer};

const SEND: &str = "/sms/json";
const OTP_TOKEN: &str = "otptoken";

pub(crate) fn routes() -> OpenApiRouter<SmsGatewayState> {
    OpenApiRouter::new()
        .routes(routes!(send, send_light))
        .routes(routes!(track))
        .routes(routes!(opt_outs))
        .routes(routes!(take_back))
        .routes(routes!(balance))
}

/// Sends SMS.
///
/// The request has one text for all recipients at the top, or several texts in `messages`, and at most 1,000
/// recipients. If a `ctid` was used before, its messages are not sent again. The header `otpToken` marks one-time PINs,
/// which overtake other traffic.
#[utoipa::path(
    post,
    path = "/sms/json",
    operation_id = "sendSms",
    tag = "SMS gateway",
    request_body = domain::sms_products::json::JsonSmsBody,
    security(("apiKey" = [SmsGateway::ROW.name])),
    responses(
        (status = 200, description = "The SMS are stored and charged.", body = SendAnswer),
        (status = 402, description = "The balance is too small. Nothing is stored.", body = SendAnswer),
        (status = 502, description = "The request cannot be taken now. Send it to the other gateway until one answers 100.", body = SendAnswer),
    ),
)]
async fn send(
    State(state): State<SmsGatewayState>,
    allowed: AuthorizedCaller<SmsGateway>,
    headers: HeaderMap,
    JsonBytes(bytes): JsonBytes,
) -> Result<Response, ApiError> {
    let most = state.context.settings.limits.max_recipients;
    let whose = BodyOwner::Client(allowed.caller.client);
    let send = heavy_work::work(bytes.len(), whose, move || JsonSend::read(&bytes, most)).await?;
    let send = send.map_err(ApiError::faults)?;
    take(&state, &allowed, send, is_urgent(&headers)).await
}

/// Sends an SMS, for light use.
///
/// Like the POST, with all fields in the query: one text to the numbers in `to`.
#[utoipa::path(
    get,
    path = "/sms/json",
    operation_id = "sendSmsLight",
    tag = "SMS gateway",
    params(LightSend),
    security(("apiKey" = [SmsGateway::ROW.name])),
    responses(
        (status = 200, description = "The SMS are stored and charged.", body = SendAnswer),
        (status = 402, description = "The balance is too small. Nothing is stored.", body = SendAnswer),
        (status = 502, description = "The request cannot be taken now. Send it to the other gateway until one answers 100.", body = SendAnswer),
    ),
)]
async fn send_light(
    State(state): State<SmsGatewayState>,
    allowed: AuthorizedCaller<SmsGateway>,
    request: Request,
) -> Result<Response, ApiError> {
    plain_get(request.method(), request.headers())?;
    let body = query_send::read(request.uri().query().unwrap_or_default()).map_err(ApiError::faults)?;
    let send = JsonSend::judge(body, state.context.settings.limits.max_recipients).map_err(ApiError::faults)?;
    take(&state, &allowed, send, is_urgent(request.headers())).await
}

/// A GET has no body. A HEAD request must send nothing.
pub(crate) fn plain_get(method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
    if method == Method::HEAD {
        return Err(ApiError::new(ErrorKind::MethodNotAllowed, "HEAD sends nothing: use POST"));
    }
    let length = headers.get(axum::http::header::CONTENT_LENGTH);
    let has_body = length.is_some_and(|length| length != "0") || headers.contains_key("transfer-encoding");
    if has_body { Err(ApiError::fault("body", "does not go with GET: use POST")) } else { Ok(()) }
}

fn is_urgent(headers: &HeaderMap) -> bool {
    headers.get(OTP_TOKEN).is_some_and(|token| !token.is_empty())
}

async fn take(
    state: &SmsGatewayState,
    allowed: &AuthorizedCaller<SmsGateway>,
    send: JsonSend,
    urgent: bool,
) -> Result<Response, ApiError> {
    send.check_recipients(allowed.caller.mode).map_err(ApiError::faults)?;
    allowed.held.recipients_left()?;
    let recipients = u32::try_from(send.recipient_count()).unwrap_or(u32::MAX);
    let taken = to_the_end(state, allowed.held.clone(), allowed.caller.client, send, urgent).await;
    let now = state.context.now();
    match taken {
        Ok(accepted) => {
            allowed.held.charge_recipients(recipients);
            Ok(Json(SendAnswer::new(GatewayStatus::Accepted, Some(accepted.id), accepted.at)).into_response())
        }
        Err(SendError::Faults(faults)) => Err(ApiError::faults(faults)),
        Err(SendError::NoCredits) => {
            let answer = SendAnswer::new(GatewayStatus::NoCredits, None, now);
            Ok((StatusCode::PAYMENT_REQUIRED, Json(answer)).into_response())
        }
        Err(SendError::Failed(error)) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a request of the SMS gateway could not be stored"
            );
            Ok(send_again(now))
        }
    }
}

fn send_again(now: DateTime<Utc>) -> Response {
    (StatusCode::BAD_GATEWAY, Json(SendAnswer::new(GatewayStatus::SendAgain, None, now))).into_response()
}

/// The answer to a send that was refused before a handler, when the client of its key could not be looked up. The
/// caller may then use another gateway. `None` if the error is returned as it is.
pub fn outage_answer(error: &ApiError, path: &str, now: DateTime<Utc>) -> Option<Response> {
    (path.trim_end_matches('/') == SEND && error.is_outage()).then(|| send_again(now))
}

/// If the caller hangs up, its request continues.
async fn to_the_end(
    state: &SmsGatewayState,
    held: AdmittedRequest,
    client: ClientId,
    send: JsonSend,
    urgent: bool,
) -> Result<json::AcceptedJson, SendError> {
    let gateways = Arc::clone(&state.service);
    let sending = async move {
        let taken = json::send(&gateways, client, send, urgent).await;
        drop(held);
        taken
    };
    base::to_the_end(sending).await.unwrap_or_else(|stopped| Err(SendError::Failed(stopped)))
}

/// Returns the state of SMS.
///
/// They are selected by `ctid`, by the `gstid` of a request, by the `stid` of a message, or by the time of acceptance.
/// Each selection may be repeated ten times within ten minutes, then once in ten minutes. Otherwise the answer is 228.
#[utoipa::path(
    post,
    path = "/sms/trackingMessageStatus",
    operation_id = "trackSms",
    tag = "SMS gateway",
    request_body = TrackingBody,
    security(("apiKey" = [SmsGateway::ROW.name])),
    responses((status = 200, description = "100 with the receipts, or 228.", body = TrackingAnswer)),
)]
async fn track(
    State(state): State<SmsGatewayState>,
    allowed: AuthorizedCaller<SmsGateway>,
    JsonBody(query): JsonBody<TrackingBody>,
) -> Result<Json<TrackingAnswer>, ApiError> {
    let query = query.parse().map_err(ApiError::faults)?;
    match json::track(&state.context, allowed.caller.client, &query).await {
        Ok(found) => Ok(Json(TrackingAnswer::new(GatewayStatus::Accepted, &found))),
        Err(TrackError::TooOften) => Ok(Json(TrackingAnswer::new(GatewayStatus::TrackedTooOften, &[]))),
        Err(TrackError::Failed(error)) => Err(error.into()),
    }
}

/// Lists the numbers that stopped the client's messages.
///
/// Sends to these numbers are blocked and refunded.
#[utoipa::path(
    post,
    path = "/sms/getUnsubscribelist",
    operation_id = "listSmsOptOuts",
    tag = "SMS gateway",
    security(("apiKey" = [SmsGateway::ROW.name])),
    responses((status = 200, description = "The numbers, in order.", body = OptOuts)),
)]
async fn opt_outs(
    State(state): State<SmsGatewayState>,
    allowed: AuthorizedCaller<SmsGateway>,
) -> Result<Json<OptOuts>, ApiError> {
    let numbers = stops::list(&state.context.db, allowed.caller.client).await?;
    Ok(Json(OptOuts { numbers }))
}

/// Removes a number from the list of stopped numbers.
///
/// Use it for a subscriber who asked for this in another way than by an SMS START.
#[utoipa::path(
    delete,
    path = "/sms/unsubscribelist/{number}",
    operation_id = "removeSmsOptOut",
    tag = "SMS gateway",
    params(("number" = String, Path, description = "The number in digits, or in the local form of South Africa.")),
    security(("apiKey" = [SmsGateway::ROW.name])),
    responses((status = 200, description = "The number may get messages again.", body = RemovedNumber)),
)]
async fn take_back(
    State(state): State<SmsGatewayState>,
    allowed: AuthorizedCaller<SmsGateway>,
    Segments(number): Segments<String>,
) -> Result<Json<RemovedNumber>, ApiError> {
    let actor = Actor::User(allowed.caller.user);
    let Ok(number) = cell::subscriber(&number) else { return Err(ApiError::not_found()) };
    if stops::take_back(&state.administration(), allowed.caller.client, number.as_str(), actor).await? {
        Ok(Json(RemovedNumber { number: number.as_str().to_owned() }))
    } else {
        Err(ApiError::not_found())
    }
}

/// Returns the SMS credits.
///
/// An SMS costs one credit per segment.
#[utoipa::path(
    post,
    path = "/sms/getBalance",
    operation_id = "getSmsBalance",
    tag = "SMS gateway",
    security(("apiKey" = [SmsGateway::ROW.name])),
    responses((status = 200, description = "The remaining credits.", body = Balance)),
)]
async fn balance(
    State(state): State<SmsGatewayState>,
    allowed: AuthorizedCaller<SmsGateway>,
) -> Result<Json<Balance>, ApiError> {
    let balance = credits::balance(&state.context.db, allowed.caller.client).await?;
    Ok(Json(Balance { balance }))
}
