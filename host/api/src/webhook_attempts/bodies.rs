//! The JSON of attempts, deliveries and the health of webhooks.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::webhook::WebhookType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use webhooks::{
    deliver::Pinged,
    history::{Attempt, Delivery, DeliveryState, EndpointHealth, Resent},
};

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The webhooks of a configuration.
#[derive(ToSchema)]
#[schema(as = WebhookType, rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(dead_code, reason = "described, never made: `domain` reads and writes it")]
pub(super) enum WebhookTypeName {
    /// `incomingMessageURL`.
    IncomingMessage,
    /// `statusUpdateURL`.
    StatusUpdate,
    /// `sessionStatusURL`.
    SessionStatus,
    /// `eventWebhookURL`.
    PartnerEvent,
    /// `chatbotWebhookURL`.
    Chatbot,
}

/// Whether a webhook is sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookState)]
pub(super) enum StateName {
    /// It has an address.
    On,
    /// It has none.
    Off,
    /// Its receiver did not take it: nothing is sent until the address is saved again.
    Disabled,
}

/// One webhook of a configuration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookHealth)]
pub(super) struct HealthBody {
    #[schema(value_type = WebhookTypeName)]
    webhook_type: WebhookType,
    /// Empty = off.
    url: String,
    state: StateName,
    /// When it was turned off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    disabled_time: Option<String>,
    /// `GONE`: its receiver answered 410. `FAILING`: it failed for five days, without one success.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    disabled_reason: Option<&'static str>,
    /// First failure since the last success.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failing_since: Option<String>,
    /// Deliveries that were given up and are still kept: they can be sent again.
    failed_deliveries: i64,
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
            disabled_time: health.disabled_at.map(time),
            disabled_reason: health.disabled_reason.map(|reason| reason.as_str()),
            failing_since: health.failing_since.map(time),
            failed_deliveries: health.failed,
        }
    }
}

/// One request that was made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookAttempt)]
pub(super) struct AttemptBody {
    /// Of the attempt.
    id: Uuid,
    /// What was sent: also the header `webhook-id`.
    delivery_id: Uuid,
    /// Absent where the delivery says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<WebhookTypeName>, nullable = false)]
    webhook_type: Option<WebhookType>,
    /// Counts from 1.
    attempt: i16,
    /// When it was made.
    time: String,
    /// Milliseconds until the answer, or until it was given up.
    duration_millis: i32,
    /// Absent when no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status_code: Option<i16>,
    /// Why it does not count as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// The beginning of the answer, at most 1 KiB.
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
            time: time(made.attempted_at),
            duration_millis: made.duration_millis,
            status_code: made.status_code,
            error: made.error,
            response: made.response_start,
        }
    }
}

/// Where a delivery stands.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookDeliveryState)]
pub(super) enum DeliveryStateName {
    /// To be sent, for the first time or again.
    Pending,
    /// The receiver answered 2xx.
    Delivered,
    /// There was nothing to send, or the webhook was off.
    Dropped,
    /// Given up.
    Failed,
}

/// An event on its way to a receiver.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDelivery)]
pub(super) struct DeliveryBody {
    /// Also the header `webhook-id`.
    id: Uuid,
    #[schema(value_type = WebhookTypeName)]
    webhook_type: WebhookType,
    /// The number that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    whats_app_number: Option<String>,
    state: DeliveryStateName,
    /// When the event happened.
    created_time: String,
    /// When it is sent next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_attempt_time: Option<String>,
    /// The body, as text, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    body: Option<String>,
    /// The first first.
    attempts: Vec<AttemptBody>,
}

impl DeliveryBody {
    pub(super) fn new(delivery: Delivery, attempts: Vec<Attempt>) -> Self {
        let state = match delivery.state {
            DeliveryState::Pending => DeliveryStateName::Pending,
            DeliveryState::Delivered => DeliveryStateName::Delivered,
            DeliveryState::Dropped => DeliveryStateName::Dropped,
            DeliveryState::Exhausted => DeliveryStateName::Failed,
        };
        let waits = delivery.state == DeliveryState::Pending;
        Self {
            id: delivery.id.0,
            webhook_type: delivery.webhook,
            whats_app_number: delivery.inbox,
            state,
            created_time: time(delivery.created_at),
            next_attempt_time: waits.then(|| time(delivery.due_at)),
            body: delivery.body.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            attempts: attempts.into_iter().map(|made| AttemptBody::new(None, made)).collect(),
        }
    }
}

/// What is sent again.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookResend, examples(json!({"since": "2026-01-31T08:00:00Z", "until": "2026-01-31T12:00:00Z"})))]
pub(super) struct ResendBody {
    /// Events that happened since then, in ISO 8601; without an offset it is UTC.
    pub(super) since: String,
    /// Only events that happened before then; absent = all until now.
    pub(super) until: Option<String>,
    /// Only those of this webhook; absent = of all that are on.
    #[serde(default, deserialize_with = "domain::body::optional_word")]
    #[schema(value_type = Option<WebhookTypeName>)]
    pub(super) webhook_type: Option<WebhookType>,
}

/// How much is sent again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookResent)]
pub(super) struct ResentBody {
    /// Deliveries that are due now.
    resent: u64,
    /// There are more: call again.
    more: bool,
}

impl From<Resent> for ResentBody {
    fn from(resent: Resent) -> Self {
        Self { resent: resent.count, more: resent.more }
    }
}

/// Which address is tried.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookPing, examples(json!({"webhookType": "STATUS_UPDATE"})))]
pub(super) struct PingBody {
    #[serde(deserialize_with = "domain::body::word")]
    #[schema(value_type = WebhookTypeName)]
    pub(super) webhook_type: WebhookType,
}

/// How it went.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookPinged)]
pub(super) struct PingedBody {
    /// Where it went.
    url: String,
    /// The header `webhook-id`.
    id: Uuid,
    /// Whether it was answered with 2xx.
    received: bool,
    /// When it was made.
    time: String,
    /// Milliseconds until the answer, or until it was given up.
    duration_millis: u64,
    /// Absent when no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status_code: Option<u16>,
    /// Why it does not count as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// The beginning of the answer, at most 1 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response: Option<String>,
}

impl PingedBody {
    pub(super) fn new(url: String, pinged: Pinged) -> Self {
        Self {
            url,
            id: pinged.id.0,
            received: pinged.error.is_none(),
            time: time(pinged.at),
            duration_millis: u64::try_from(pinged.duration.as_millis()).unwrap_or(u64::MAX),
            status_code: pinged.status_code,
            error: pinged.error,
            response: pinged.response_start,
        }
    }
}
