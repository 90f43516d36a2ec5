//! Webhook configuration (SPEC 2.12, 4.7; the signing secret by CONTRACT 7).

mod schema;

use api_core::{
    auth::{AuthorizedCaller, Looking, Permission, Webhooks},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    ids::WebhookConfigId,
    webhook::{WebhookConfig, WebhookConfigRequest},
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use webhooks::configure::{self, ConfigureError};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(create, update))
        .routes(routes!(client_default))
        .routes(routes!(list))
        .routes(routes!(delete))
        .routes(routes!(secret))
        .routes(routes!(rotate_secret))
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookSecret, examples(json!({"secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"})))]
struct Secret {
    /// The secret. Webhooks are signed with it by the rules of Standard Webhooks.
    secret: String,
}

/// Creates the client's default configuration, or the override of one number.
///
/// Addresses are checked when they are saved: they must be reachable from the internet, unless the operator allows
/// others.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook",
    operation_id = "createWebhookConfiguration",
    tag = "Webhook configuration",
    request_body = schema::WebhookConfiguration,
    security(("apiKey" = [Webhooks::ROW.name])),
    responses(
        (status = 200, description = "The new configuration.", body = WebhookConfig),
        (status = 403, description = "The number does not belong to the client, or the user may not do this."),
        (status = 409, description = "The client has a default configuration, or an override of that number, already."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    JsonBytes(body): JsonBytes,
) -> Result<Json<WebhookConfig>, ApiError> {
    let request = WebhookConfigRequest::parse(&body).map_err(ApiError::faults)?;
    let actor = allowed.actor().to_string();
    let config = configure::create(&state.context, allowed.caller.client, &actor, &request).await.map_err(api_error)?;
    Ok(Json(config))
}

/// Changes a configuration.
///
/// Absent fields stay as they are. An empty address turns its webhook off. A given address is checked again and turns
/// its webhook on. The number of the configuration cannot change: `whatsAppNumberId` is ignored.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook",
    operation_id = "updateWebhookConfiguration",
    tag = "Webhook configuration",
    request_body = schema::WebhookConfigurationUpdate,
    security(("apiKey" = [Webhooks::ROW.name])),
    responses(
        (status = 200, description = "The changed configuration.", body = WebhookConfig),
        (status = 404, description = "There is no such configuration."),
    ),
)]
async fn update(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    JsonBytes(body): JsonBytes,
) -> Result<Json<WebhookConfig>, ApiError> {
    let request = WebhookConfigRequest::parse(&body).map_err(ApiError::faults)?;
    let id = request.updates().map_err(|fault| ApiError::faults(vec![fault]))?.ok_or_else(ApiError::not_found)?;
    let actor = allowed.actor().to_string();
    let updated = configure::update(&state.context, allowed.caller.client, &actor, id, &request).await;
    Ok(Json(updated.map_err(api_error)?))
}

/// Returns the client's default configuration.
///
/// The default applies to each number without its own configuration. If the client has no default, the answer is 404.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/getForCurrentLoginUser",
    operation_id = "getDefaultWebhookConfiguration",
    tag = "Webhook configuration",
    security(("apiKey" = [Looking::ROW.name])),
    responses(
        (status = 200, description = "The configuration.", body = WebhookConfig),
        (status = 404, description = "The client has no default configuration."),
    ),
)]
async fn client_default(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
) -> Result<Json<WebhookConfig>, ApiError> {
    let found = configure::client_default(&state.context, allowed.caller.client).await?;
    found.map(Json).ok_or_else(|| {
        ApiError::new(ErrorKind::NotFound, "there is no default webhook configuration: create one with POST")
    })
}

/// Lists the client's configurations: the default first, then the overrides by number.
///
/// If a number has an override, the default is ignored for it. Fields are not merged.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/list",
    operation_id = "listWebhookConfigurations",
    tag = "Webhook configuration",
    params(ListQuery),
    security(("apiKey" = [Looking::ROW.name])),
    responses((status = 200, description = "A page of configurations.", body = Page<WebhookConfig>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
    query: ListQuery,
) -> Result<Page<WebhookConfig>, ApiError> {
    let found = configure::list(&state.context, allowed.caller.client, query.page).await?;
    Ok(Page::new(query.page, found, |config| config))
}

/// Deletes a configuration.
///
/// If an override is deleted, its number uses the default again. If the default is deleted, overrides stay. Deliveries
/// that wait for its addresses are dropped.
#[utoipa::path(
    delete,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}",
    operation_id = "deleteWebhookConfiguration",
    tag = "Webhook configuration",
    params(("id" = Uuid, Path, description = "Id of the configuration.")),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 204, description = "Deleted.")),
)]
async fn delete(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
) -> Result<StatusCode, ApiError> {
    let actor = allowed.actor().to_string();
    configure::delete(&state.context, allowed.caller.client, &actor, id).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the secret that signs the webhooks of a configuration.
///
/// It begins with `whsec_`. The guide `webhooks` (`/docs/webhooks`) shows in five languages how to verify a signature with it.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/secret",
    operation_id = "getWebhookSecret",
    tag = "Webhook configuration",
    params(("id" = Uuid, Path, description = "Id of the configuration.")),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 200, description = "The secret.", body = Secret)),
)]
async fn secret(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
) -> Result<Json<Secret>, ApiError> {
    let secret = configure::secret(&state.context, allowed.caller.client, id).await.map_err(api_error)?;
    Ok(Json(Secret { secret }))
}

/// Replaces the secret of a configuration.
///
/// For 24 hours, each webhook has a signature with the old secret too.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/secret/rotate",
    operation_id = "rotateWebhookSecret",
    tag = "Webhook configuration",
    params(("id" = Uuid, Path, description = "Id of the configuration.")),
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 200, description = "The new secret.", body = Secret)),
)]
async fn rotate_secret(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
    Segments(id): Segments<WebhookConfigId>,
) -> Result<Json<Secret>, ApiError> {
    let actor = allowed.actor().to_string();
    let rotated = configure::rotate_secret(&state.context, allowed.caller.client, &actor, id).await;
    Ok(Json(Secret { secret: rotated.map_err(api_error)? }))
}

fn api_error(error: ConfigureError) -> ApiError {
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
