//! Webhook configuration (SPEC 2.12, 4.7; the signing secret by CONTRACT 7).

use axum::{
    Json, Router,
    extract::State,
    routing::{get, post},
};
use domain::{
    ids::WebhookConfigId,
    webhook::{WebhookConfig, WebhookConfigRequest},
};
use serde::Serialize;
use webhooks::configure::{self, ConfigureError};

use crate::{
    auth::{Allowed, Looking, Webhooks},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};

const BASE: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route(BASE, post(create))
        .route(&format!("{BASE}/getForCurrentLoginUser"), get(client_default))
        .route(&format!("{BASE}/{{id}}/secret"), get(secret))
        .route(&format!("{BASE}/{{id}}/secret/rotate"), post(rotate_secret))
}

#[derive(Serialize)]
struct Secret {
    secret: String,
}

async fn create(
    State(state): State<ApiState>,
    allowed: Allowed<Webhooks>,
    JsonBytes(body): JsonBytes,
) -> Result<Json<WebhookConfig>, ApiError> {
    let request = WebhookConfigRequest::parse(&body).map_err(ApiError::faults)?;
    let actor = allowed.actor().to_string();
    let config = configure::create(&state.context, allowed.caller.client, &actor, &request).await.map_err(refused)?;
    Ok(Json(config))
}

async fn client_default(
    State(state): State<ApiState>,
    allowed: Allowed<Looking>,
) -> Result<Json<WebhookConfig>, ApiError> {
    let found = configure::client_default(&state.context, allowed.caller.client).await?;
    found.map(Json).ok_or_else(|| {
        ApiError::new(ErrorKind::NotFound, "there is no default webhook configuration: create one with POST")
    })
}

async fn secret(
    State(state): State<ApiState>,
    allowed: Allowed<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
) -> Result<Json<Secret>, ApiError> {
    let secret = configure::secret(&state.context, allowed.caller.client, id).await.map_err(refused)?;
    Ok(Json(Secret { secret }))
}

async fn rotate_secret(
    State(state): State<ApiState>,
    allowed: Allowed<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
) -> Result<Json<Secret>, ApiError> {
    let actor = allowed.actor().to_string();
    let rotated = configure::rotate_secret(&state.context, allowed.caller.client, &actor, id).await;
    Ok(Json(Secret { secret: rotated.map_err(refused)? }))
}

fn refused(error: ConfigureError) -> ApiError {
    match error {
        ConfigureError::NumberNotYours => ApiError::new(ErrorKind::Forbidden, error.to_string()),
        ConfigureError::DefaultExists | ConfigureError::OverrideExists => {
            ApiError::new(ErrorKind::Conflict, error.to_string())
        }
        ConfigureError::Addresses(faults) => ApiError::faults(faults),
        ConfigureError::NotFound => ApiError::not_found(),
        ConfigureError::NoRandomness(_) => ApiError::internal(error),
        ConfigureError::Failed(cause) => cause.into(),
    }
}
