//! The JSON of attempts, deliveries and the health of webhooks.

use domain::iso_time::iso_time;
use domain::webhook::WebhookType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use webhooks::{
    deliver::PingResult,
    history::{Attempt, Delivery, EndpointHealth, ResendResult, WebhookDeliveryState},
};

use crate::closed_sets::{DisabledReasonName, WebhookTypeName};

/// The state of a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookState)]
pub(super) enum StateName {
    /// It has an address.
    On,
    /// It has none.
    Off,
    /// Turned off because its receiver failed. Nothing is sent until the address is saved again.
    Disabled,
}

/// One webhook of a configuration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookHealth)]
pub(super) struct HealthBody {
    #[schema(value_type = WebhookTypeName)]
    webhook_type: WebhookType,
    /// The address. Empty if the webhook is off.
    url: String,
    state: StateName,
    /// The time when it was turned off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    disabled_time: Option<String>,
    /// `GONE`: its receiver answered 410. `FAILING`: it failed for five days without a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DisabledReasonName>, nullable = false)]
    disabled_reason: Option<&'static str>,
    /// The first failure since the last success.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    failing_since: Option<String>,
    /// Number of deliveries that were given up, or stored while the webhook was `DISABLED`, counted up to 10,000. They can be sent
    /// again.
    failed_deliveries: i64,
    /// Number of deliveries that wait for their first or next attempt.
    waiting_deliveries: i64,
}

impl From<EndpointHealth> for HealthBody {
    fn from(health: EndpointHealth) -> Self {
        let state = match (health.url.is_empty(), health.disabled_at) {
            (true, _) => StateName::Off,
            (false, Some(_)) => StateName::Disabled,
            (false, None) => StateName::On,
        };
        Self {
            webhook_type: health.webhook,
            url: health.url,
            state,
            disabled_time: health.disabled_at.map(iso_time),
            disabled_reason: health.disabled_reason.map(|reason| reason.as_str()),
            failing_since: health.failing_since.map(iso_time),
            failed_deliveries: health.failed,
            waiting_deliveries: health.waiting,
        }
    }
}

/// One request to a receiver.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookAttempt)]
pub(super) struct AttemptBody {
    /// Id of the attempt.
    id: Uuid,
    /// Id of the delivery, which is also the header `webhook-id`.
    delivery_id: Uuid,
    /// Absent if the attempt is shown as part of its delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<WebhookTypeName>, nullable = false)]
    webhook_type: Option<WebhookType>,
    /// Number of the attempt, from 1.
    attempt: i16,
    /// Time of the attempt.
    #[schema(format = DateTime)]
    time: String,
    /// Milliseconds until the answer or until the attempt was given up.
    duration_millis: i32,
    /// HTTP status. Absent if no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status_code: Option<i16>,
    /// The reason why the attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// The first bytes of the answer, at most 1 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response: Option<String>,
}

impl AttemptBody {
    pub(super) fn new(webhook_type: Option<WebhookType>, made: Attempt) -> Self {
        Self {
            id: made.id,
            delivery_id: made.delivery_id,
            webhook_type,
            attempt: made.attempt,
            time: iso_time(made.attempted_at),
            duration_millis: made.duration_millis,
            status_code: made.status_code,
            error: made.error,
            response: made.response_start,
        }
    }
}

/// The state of a delivery.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookDeliveryState)]
pub(super) enum DeliveryStateName {
    /// Waits for its first or next attempt.
    Pending,
    /// The receiver answered 2xx.
    Delivered,
    /// There was no body to send, or the webhook was off.
    Dropped,
    /// Given up, or stored while the webhook was `DISABLED`.
    Failed,
}

/// An event on its way to a receiver.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDelivery)]
pub(super) struct DeliveryBody {
    /// Id of the delivery, which is also the header `webhook-id`.
    id: Uuid,
    #[schema(value_type = WebhookTypeName)]
    webhook_type: WebhookType,
    /// The number that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    whats_app_number: Option<String>,
    state: DeliveryStateName,
    /// Time of the event.
    #[schema(format = DateTime)]
    created_time: String,
    /// Time of the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    next_attempt_time: Option<String>,
    /// The body as text. Absent until a shaper has made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    body: Option<String>,
    /// The attempts, oldest first.
    attempts: Vec<AttemptBody>,
}

impl DeliveryBody {
    pub(super) fn new(delivery: Delivery, attempts: Vec<Attempt>) -> Self {
        let state = match delivery.state {
            WebhookDeliveryState::Pending => DeliveryStateName::Pending,
            WebhookDeliveryState::Delivered => DeliveryStateName::Delivered,
            WebhookDeliveryState::Dropped => DeliveryStateName::Dropped,
            WebhookDeliveryState::Exhausted => DeliveryStateName::Failed,
        };
        let waits = delivery.state == WebhookDeliveryState::Pending;
        Self {
            id: delivery.id.0,
            webhook_type: delivery.webhook,
            whats_app_number: delivery.inbox,
            state,
            created_time: iso_time(delivery.created_at),
            next_attempt_time: waits.then(|| iso_time(delivery.due_at)),
            body: delivery.body.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            attempts: attempts.into_iter().map(|made| AttemptBody::new(None, made)).collect(),
        }
    }
}

/// Selects the deliveries to send again.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookResend, examples(json!({"since": "2026-01-31T08:00:00Z", "until": "2026-01-31T12:00:00Z"})))]
pub(super) struct ResendBody {
    /// Events at or after this time (ISO 8601; UTC if there is no offset).
    pub(super) since: String,
    /// Events before this time. If it is absent, all until now.
    pub(super) until: Option<String>,
    /// Only deliveries of this webhook. If it is absent, of all that are on.
    #[serde(default, deserialize_with = "domain::body::optional_word")]
    #[schema(value_type = Option<WebhookTypeName>)]
    pub(super) webhook_type: Option<WebhookType>,
}

/// The result of sending again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookResent)]
pub(super) struct ResentBody {
    /// Number of deliveries that are due now.
    resent: u64,
    /// `true` if there are more. Repeat the request.
    more: bool,
}

impl From<ResendResult> for ResentBody {
    fn from(resent: ResendResult) -> Self {
        Self { resent: resent.count, more: resent.more }
    }
}

/// The address to try.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookPing, examples(json!({"webhookType": "STATUS_UPDATE"})))]
pub(super) struct PingBody {
    #[serde(deserialize_with = "domain::body::word")]
    #[schema(value_type = WebhookTypeName)]
    pub(super) webhook_type: WebhookType,
}

/// The result of a try.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookPinged)]
pub(super) struct PingedBody {
    /// The address that was called.
    url: String,
    /// The header `webhook-id`.
    id: Uuid,
    /// `true` if the answer was 2xx.
    received: bool,
    /// Time of the request.
    #[schema(format = DateTime)]
    time: String,
    /// Milliseconds until the answer or until the request was given up.
    duration_millis: u64,
    /// HTTP status. Absent if no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status_code: Option<u16>,
    /// The reason why the try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// The first bytes of the answer, at most 1 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response: Option<String>,
}

impl PingedBody {
    pub(super) fn new(url: String, pinged: PingResult) -> Self {
        Self {
            url,
            id: pinged.id.0,
            received: pinged.error.is_none(),
            time: iso_time(pinged.at),
            duration_millis: u64::try_from(pinged.duration.as_millis()).unwrap_or(u64::MAX),
            status_code: pinged.status_code,
            error: pinged.error,
            response: pinged.response_start,
        }
    }
}
