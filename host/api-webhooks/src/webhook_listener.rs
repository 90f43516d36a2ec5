//! Webhooks for a developer who listens (`patchbay listen`). The specification has none of these endpoints.

use api_core::{
    auth::{AuthorizedCaller, Permission, Webhooks},
    body::JsonBody,
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::{ids::DeliveryId, webhook::WebhookType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;
use webhooks::deliver::{self, ListenError, SignedWebhook};

use crate::closed_sets::WebhookTypeName;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(listen)).routes(routes!(one))
}

/// The position of a listener.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookPosition, examples(json!({"after": 17})))]
struct PositionBody {
    /// The last number that the listener has. If absent, the answer comes at once, with the number of the newest webhook
    /// and without webhooks.
    #[schema(minimum = 0)]
    after: Option<i64>,
}

/// The headers that the receiver of a webhook gets.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookHeaders, examples(json!({
    "content-type": "application/json",
    "webhook-id": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
    "webhook-timestamp": "1769846400",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
})))]
struct HeadersBody {
    #[serde(rename = "content-type")]
    content_type: String,
    #[serde(rename = "webhook-id")]
    id: Uuid,
    /// Unix seconds of this answer.
    #[serde(rename = "webhook-timestamp")]
    timestamp: String,
    /// Signatures with the present secret of the configuration, and with replaced ones that are still valid.
    #[serde(rename = "webhook-signature")]
    signature: String,
}

/// A webhook as its receiver gets it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SignedWebhook)]
struct WebhookBody {
    /// Its number among the webhooks of the client that were recorded for listeners. Absent if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 18)]
    number: Option<i64>,
    /// Also the header `webhook-id`.
    id: Uuid,
    #[schema(value_type = WebhookTypeName)]
    webhook_type: WebhookType,
    /// The headers of the request, by names in lower case.
    #[schema(value_type = HeadersBody)]
    headers: serde_json::Map<String, serde_json::Value>,
    /// The body of the request, byte for byte. The signature is valid for it as it is.
    #[schema(example = "{\"messageId\":\"wamid.1\"}")]
    body: String,
}

impl From<SignedWebhook> for WebhookBody {
    fn from(webhook: SignedWebhook) -> Self {
        let SignedWebhook { number, id, webhook, headers, body } = webhook;
        Self {
            number,
            id: id.0,
            webhook_type: webhook,
            headers: headers.into_iter().map(|(name, value)| (name, value.into())).collect(),
            // Bodies are JSON, which is UTF-8.
            body: String::from_utf8_lossy(&body).into_owned(),
        }
    }
}

/// Webhooks for a listener.
#[derive(Serialize, ToSchema)]
#[schema(as = HeardWebhooks)]
struct HeardBody {
    /// The number to continue after.
    #[schema(minimum = 0)]
    last: i64,
    /// In the order of their numbers. Empty if there are none.
    #[schema(max_items = 20)]
    webhooks: Vec<WebhookBody>,
}

/// Listens to the webhooks of the client.
///
/// `patchbay listen` uses it. The server records all webhooks of the client, with numbers, until 90 seconds after the last
/// call, also webhooks without an address. If the client calls again within 90 seconds, it misses none. The answer has at
/// most 20 webhooks with numbers above `after`. If there are none, the call waits up to 20 seconds for the next one.
/// Recorded webhooks are kept for a day. Webhooks with an address are delivered there as usual.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/webhook-listener",
    operation_id = "listenToWebhooks",
    tag = "Webhook deliveries",
    request_body = PositionBody,
    security(("apiKey" = [Webhooks::ROW.name])),
    responses(
        (status = 200, description = "The webhooks.", body = HeardBody),
        (status = 409, description = "The client has no webhook configuration, so there is no secret. A configuration without addresses is enough."),
    ),
)]
async fn listen(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    JsonBody(PositionBody { after }): JsonBody<PositionBody>,
) -> Result<Json<HeardBody>, ApiError> {
    if after.is_some_and(|after| after < 0) {
        return Err(ApiError::fault("after", "must be at least 0"));
    }
    let is_stopping = || state.readiness.is_stopping();
    let heard = deliver::listen(&state.context, allowed.caller.client, after, is_stopping).await.map_err(api_error)?;
    Ok(Json(HeardBody { last: heard.last, webhooks: heard.webhooks.into_iter().map(WebhookBody::from).collect() }))
}

/// Returns one recorded webhook with new signatures.
///
/// If the body of a delivery is stored, it can be returned, also if it was delivered. `patchbay listen --replay` sends it
/// to a developer's machine.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/webhook-listener/{delivery}",
    operation_id = "getSignedWebhook",
    tag = "Webhook deliveries",
    params(("delivery" = Uuid, Path, description = "Id of the delivery, which is also the header `webhook-id`.")),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 200, description = "The webhook.", body = WebhookBody)),
)]
async fn one(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(delivery): Segments<DeliveryId>,
) -> Result<Json<WebhookBody>, ApiError> {
    let found = deliver::webhook(&state.context, allowed.caller.client, delivery).await?;
    Ok(Json(found.ok_or_else(ApiError::not_found)?.into()))
}

fn api_error(error: ListenError) -> ApiError {
    match error {
        ListenError::NoConfiguration => ApiError::new(ErrorKind::Conflict, error.to_string()),
        ListenError::Failed(cause) => cause.into(),
    }
}
