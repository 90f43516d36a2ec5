//! Attempts and deliveries of a webhook configuration, and sending them again. Not in the specification.

mod bodies;

use api_core::{
    auth::{AuthorizedCaller, Permission, Webhooks},
    body::JsonBody,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, request::Parts},
};
use chrono::{DateTime, Utc};
use domain::{
    dates,
    ids::{DeliveryId, WebhookConfigId},
    webhook::WebhookType,
};
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};
use webhooks::history::{self, HistoryError, ResendFilter, WantedAttempts};

use self::bodies::{AttemptBody, DeliveryBody, HealthBody, PingBody, PingedBody, ResendBody, ResentBody};
use crate::closed_sets::WebhookTypeName;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(attempts))
        .routes(routes!(delivery))
        .routes(routes!(resend))
        .routes(routes!(resend_failed))
        .routes(routes!(ping))
}

/// Returns the health of the webhooks of a configuration.
///
/// A webhook is `ON`, `OFF` (it has no address) or `DISABLED` (its receiver failed), with the reason.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/health",
    operation_id = "getWebhookHealth",
    tag = "Webhook deliveries",
    params(("id" = Uuid, Path, description = "Id of the configuration.")),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 200, description = "All five webhooks.", body = Vec<HealthBody>)),
)]
async fn health(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
) -> Result<Json<Vec<HealthBody>>, ApiError> {
    let endpoints = history::endpoints(&state.context, allowed.caller.client, id).await.map_err(api_error)?;
    Ok(Json(endpoints.into_iter().map(HealthBody::from).collect()))
}

/// Filters of the list of attempts.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct AttemptFilterParameters {
    /// Only attempts of this webhook.
    #[param(nullable = false)]
    webhook_type: Option<WebhookTypeName>,
    /// Only attempts without a 2xx answer.
    #[param(nullable = false)]
    failed: Option<bool>,
}

/// Lists the attempts, newest first.
///
/// Each attempt has its status, its duration, and the first kilobyte of the answer.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/attempts",
    operation_id = "listWebhookAttempts",
    tag = "Webhook deliveries",
    params(("id" = Uuid, Path, description = "Id of the configuration."), ListQuery, AttemptFilterParameters),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 200, description = "A page of attempts.", body = Page<AttemptBody>)),
)]
async fn attempts(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<AttemptBody>, ApiError> {
    let wanted = read_filter(&parts)?;
    let page = history::attempts(&state.context, allowed.caller.client, id, wanted, query.page).await;
    let page = page.map_err(api_error)?;
    Ok(Page::new(query.page, page, |(webhook, made)| AttemptBody::new(Some(webhook), made)))
}

fn read_filter(parts: &Parts) -> Result<WantedAttempts, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let webhook = given.choice("webhookType", WebhookType::ALL, WebhookType::as_str).map_err(ApiError::faults)?;
    let failed = given.flag("failed").map_err(ApiError::faults)?.unwrap_or(false);
    Ok(WantedAttempts { webhook, failed })
}

/// Returns a delivery with its attempts.
///
/// The id is the header `webhook-id` that the receiver saw.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/deliveries/{delivery}",
    operation_id = "getWebhookDelivery",
    tag = "Webhook deliveries",
    params(
        ("id" = Uuid, Path, description = "Id of the configuration."),
        ("delivery" = Uuid, Path, description = "Id of the delivery, which is also the header `webhook-id`."),
    ),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 200, description = "The delivery.", body = DeliveryBody)),
)]
async fn delivery(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments((id, delivery)): Segments<(WebhookConfigId, DeliveryId)>,
) -> Result<Json<DeliveryBody>, ApiError> {
    let found = history::delivery(&state.context, allowed.caller.client, id, delivery).await;
    let (delivery, attempts) = found.map_err(api_error)?;
    Ok(Json(DeliveryBody::new(delivery, attempts)))
}

/// Sends a delivery again.
///
/// It is sent at once, with the same bytes and the same `webhook-id`. If it fails, the schedule of retries begins
/// again.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/deliveries/{delivery}/resend",
    operation_id = "resendWebhookDelivery",
    tag = "Webhook deliveries",
    params(
        ("id" = Uuid, Path, description = "Id of the configuration."),
        ("delivery" = Uuid, Path, description = "Id of the delivery."),
    ),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses(
        (status = 202, description = "The delivery is due."),
        (status = 409, description = "The webhook is off, or the event was dropped."),
    ),
)]
async fn resend(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments((id, delivery)): Segments<(WebhookConfigId, DeliveryId)>,
) -> Result<StatusCode, ApiError> {
    let client = allowed.caller.client;
    history::resend(&state.context, client, allowed.actor(), id, delivery).await.map_err(api_error)?;
    Ok(StatusCode::ACCEPTED)
}

/// Sends the failed deliveries of a webhook again.
///
/// It sends the events of a period in their order, at most 100,000 per call. Events of the time when the webhook was turned
/// off because its receiver failed are among them.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/resend-failed",
    operation_id = "resendFailedWebhooks",
    tag = "Webhook deliveries",
    params(("id" = Uuid, Path, description = "Id of the configuration.")),
    request_body = ResendBody,
    security(("apiKey" = [Webhooks::ROW.name])),
    responses(
        (status = 202, description = "The deliveries are due.", body = ResentBody),
        (status = 409, description = "The given webhook is off."),
    ),
)]
async fn resend_failed(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
    JsonBody(body): JsonBody<ResendBody>,
) -> Result<(StatusCode, Json<ResentBody>), ApiError> {
    let since = moment("since", &body.since)?;
    let until = body.until.as_deref().map(|until| moment("until", until)).transpose()?;
    if until.is_some_and(|until| until <= since) {
        return Err(ApiError::fault("until", "must be after `since`"));
    }
    let (client, webhook) = (allowed.caller.client, body.webhook_type);
    let filter = ResendFilter { config: id, webhook, since, until };
    let resent = history::resend_failed(&state.context, client, allowed.actor(), filter).await;
    Ok((StatusCode::ACCEPTED, Json(resent.map_err(api_error)?.into())))
}

/// Parses the time in a field (ISO 8601). Without an offset it is UTC (CONTRACT 7).
fn moment(field: &str, text: &str) -> Result<DateTime<Utc>, ApiError> {
    dates::moment(text)
        .ok_or_else(|| ApiError::fault(field, "must be a time in ISO 8601, such as 2026-01-31T08:00:00Z"))
}

/// Tries an address.
///
/// Sends a signed request with `eventType` `TEST_PING` at once and returns the result. An address that was turned off
/// is tried too, and stays off.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/ping",
    operation_id = "pingWebhook",
    tag = "Webhook deliveries",
    params(("id" = Uuid, Path, description = "Id of the configuration.")),
    request_body = PingBody,
    security(("apiKey" = [Webhooks::ROW.name])),
    responses(
        (status = 200, description = "The answer, or the reason why there was none.", body = PingedBody),
        (status = 409, description = "The webhook has no address."),
    ),
)]
async fn ping(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
    JsonBody(body): JsonBody<PingBody>,
) -> Result<Json<PingedBody>, ApiError> {
    let pinged = history::ping(&state.context, allowed.caller.client, id, body.webhook_type).await;
    let (url, pinged) = pinged.map_err(api_error)?;
    Ok(Json(PingedBody::new(url, pinged)))
}

fn api_error(error: HistoryError) -> ApiError {
    match error {
        HistoryError::NotFound => ApiError::not_found(),
        HistoryError::Off(_) | HistoryError::Dropped => ApiError::new(ErrorKind::Conflict, error.to_string()),
        HistoryError::Failed(cause) => cause.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_without_an_offset_is_utc() {
        let at = |text| moment("since", text).ok().map(|moment| moment.timestamp());
        assert_eq!(at("2026-01-31T08:00:00Z"), Some(1_769_846_400));
        assert_eq!(at("2026-01-31T10:00:00+02:00"), Some(1_769_846_400));
        assert_eq!(at("2026-01-31T08:00:00"), Some(1_769_846_400));
        assert_eq!(at("2026-01-31T08:00:00.250"), Some(1_769_846_400));
        assert_eq!(at("yesterday"), None);
    }
}
